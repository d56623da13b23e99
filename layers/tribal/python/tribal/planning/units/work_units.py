"""Cut domains into work units whose tables stay the same from run to run, and limit how many run at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from tribal.identity.locations import domain_directory
from tribal.identity.table_names import short_hash, store_name
from tribal_contracts import DatabaseEntry


@dataclass(frozen=True, slots=True)
class Chunk:
    """The tables of one work unit, sorted by fully qualified name; `number` is `None` if the domain is not cut."""

    database: str
    domain: str
    number: int | None
    tables: tuple[str, ...]

    @property
    def plain_id(self) -> str:
        """The id, unless another chunk has the same one."""
        base = f"{store_name(self.database)}_{self.domain}"
        return base if self.number is None else f"{base}_{self.number}"

    @property
    def output_directory(self) -> str:
        """A folder that no other unit writes to, relative to `docs/`."""
        base = domain_directory(self.database, self.domain)
        return base if self.number is None else f"{base}/{self.number}"


def cut_domain(
    database: str, domain: str, tables: Sequence[str], *, size: int, previous: Mapping[str, int]
) -> list[Chunk]:
    """Cut a domain into chunks of at most `size` tables, numbered from 1; a single chunk gets no number.

    While the domain needs several chunks, a table stays in its `previous` one; new tables go to the first chunk with
    space.
    """
    if len(tables) <= size:
        return [Chunk(database, domain, None, tuple(sorted(tables)))]
    chunks: dict[int, list[str]] = {}
    newcomers = []
    for table in sorted(tables):
        number = previous.get(table)
        if number is None or len(chunks.setdefault(number, [])) >= size:
            newcomers.append(table)
        else:
            chunks[number].append(table)
    for table in newcomers:
        number = 1
        while len(chunks.setdefault(number, [])) >= size:
            number += 1
        chunks[number].append(table)
    return [
        Chunk(database, domain, number, tuple(sorted(members))) for number, members in sorted(chunks.items()) if members
    ]


def unit_ids(chunks: Sequence[Chunk]) -> dict[Chunk, str]:
    """An id for each chunk; clashing ids get a short hash. Ids are never parsed."""
    taken = Counter(chunk.plain_id for chunk in chunks)
    return {
        chunk: chunk.plain_id
        if taken[chunk.plain_id] == 1
        else f"{chunk.plain_id}~{short_hash((chunk.database, chunk.domain, str(chunk.number or '')))}"
        for chunk in chunks
    }


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
