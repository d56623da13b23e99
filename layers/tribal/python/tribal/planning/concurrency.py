"""How many things may be worked on at once without more connections to a server than its databases allow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from tribal_contracts import DatabaseEntry


def at_once(most: int, entries: Iterable[DatabaseEntry], server_of: Callable[[DatabaseEntry], str]) -> int:
    """At most `most` of these, in whatever order they come, each with one connection to the server of its entry.

    Of several limits for the databases of one server the lowest holds.
    """
    wanted: Counter[str] = Counter()
    limits: dict[str, int] = {}
    for entry in entries:
        server = server_of(entry)
        wanted[server] += 1
        limits[server] = min(entry.limits.connections, limits.get(server, entry.limits.connections))
    return max(1, min([most, *(limit for server, limit in limits.items() if wanted[server] > limit)]))
