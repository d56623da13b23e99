"""How much to do at once without exceeding the connection limits of a server's databases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from tribal_contracts import DatabaseEntry


def concurrency_limit(most: int, entries: Iterable[DatabaseEntry], server_of: Callable[[DatabaseEntry], str]) -> int:
    """The number of entries to work on at once, at most `most`, each with one connection to its server.

    If the databases of a server have different limits, the lowest applies.
    """
    wanted: Counter[str] = Counter()
    limits: dict[str, int] = {}
    for entry in entries:
        server = server_of(entry)
        wanted[server] += 1
        limits[server] = min(entry.limits.connections, limits.get(server, entry.limits.connections))
    return max(1, min([most, *(limit for server, limit in limits.items() if wanted[server] > limit)]))
