"""Resolves names that callers type to documented tables, domains and databases."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Protocol

from tribal.capabilities.retrieval.errors import ColumnNotFound, DatabaseNotFound, DomainNotFound
from tribal.errors import TableNotFound
from tribal.identity.scope import Scope
from tribal.identity.table_names import TableIdentity, domain_name, look_up
from tribal.naming import index_terms
from tribal.ports import IndexedTable

MAX_SUGGESTIONS = 5
_LEAST_LIKENESS = 0.2
_SHOWN_CHARS = 120


def identity_of(entry: IndexedTable) -> TableIdentity:
    """The identity of an indexed table."""
    return TableIdentity(entry.database, entry.schema, entry.table)


@lru_cache(maxsize=65_536)
def name_of(entry: IndexedTable) -> str:
    """The fully qualified name of an indexed table."""
    return str(identity_of(entry))


def may_see(name: str, scope: Scope) -> bool:
    """Whether a caller may see the table with that fully qualified name."""
    try:
        identity = TableIdentity.parse(name)
    except ValueError:
        return False
    return scope.allows(identity.database, identity.schema)


def find_table(text: str, tables: Sequence[IndexedTable]) -> IndexedTable:
    """Find a table by its exact name, or by a folded, case-insensitive or shortened name if that is unique.

    The name of a partition finds the table that it is documented with.

    Raises:
        TableNotFound: with the candidates for an ambiguous name, or with near misses.
    """
    found = look_up(text, [(identity_of(entry), entry.database_type) for entry in tables])
    if found.found is not None:
        return next(entry for entry in tables if identity_of(entry) == found.found)
    if not found.candidates and (place := find_partition(text, tables)) is not None:
        return place[1]
    shown = _shown(text)
    if found.candidates:
        candidates = [str(identity) for identity in found.candidates[:MAX_SUGGESTIONS]]
        raise TableNotFound(
            f"{shown} may be any of {len(found.candidates)} tables; write database.schema.table", candidates
        )
    raise TableNotFound(f"there is no table {shown} in the index; search for it by topic", _near(text, tables))


def find_partition(text: str, tables: Sequence[IndexedTable]) -> tuple[TableIdentity, IndexedTable] | None:
    """The partition that a text names, and the table that it is documented with."""
    owners = {TableIdentity.parse(name): entry for entry in tables for name in entry.partitions}
    found = look_up(text, [(identity, entry.database_type) for identity, entry in owners.items()]).found
    return None if found is None else (found, owners[found])


def partition_note(text: str, entry: IndexedTable) -> str | None:
    """A sentence about a name that found the table of a partition; `None` for the table's own name."""
    itself = look_up(text, [(identity_of(entry), entry.database_type)]).found
    place = find_partition(text, [entry]) if itself is None else None
    return None if place is None else partition_of(place[0], identity_of(entry))


def partition_of(partition: TableIdentity, table: TableIdentity) -> str:
    """A sentence that says what a partition belongs to."""
    return f"{partition} is a partition of {table}, and has its columns; rows of the other partitions are not in it."


def _near(text: str, tables: Sequence[IndexedTable]) -> list[str]:
    """Near misses by the full name or by the plain table name, which people remember best."""
    names: dict[str, list[str]] = {}
    for entry in tables:
        names.setdefault(entry.table, []).append(name_of(entry))
    own = text.rpartition(".")[2]
    by_table = [name for table in near_misses(own, names) for name in names[table]]
    by_name = near_misses(text, (name_of(entry) for entry in tables))
    return list(dict.fromkeys((*by_table, *by_name)))[:MAX_SUGGESTIONS]


class NamedColumn(Protocol):
    """A column."""

    @property
    def name(self) -> str: ...


def find_column(text: str, table: str, columns: Iterable[NamedColumn]) -> str:
    """Find a column of a table by its exact name, or case-insensitively if that is unique.

    Raises:
        ColumnNotFound: with near misses.
    """
    names = [column.name for column in columns]
    loose = [name for name in names if name.casefold() == text.casefold()]
    if text in names:
        return text
    if len(loose) == 1:
        return loose[0]
    near = near_misses(text, names)
    raise ColumnNotFound(f"{table} has no column {_shown(text)}; see its columns with get_table_schema", near)


def find_database(text: str, tables: Iterable[IndexedTable]) -> str:
    """Find a database by its exact name, or case-insensitively if that is unique.

    Raises:
        DatabaseNotFound: with near misses.
    """
    known = sorted({entry.database for entry in tables})
    loose = [name for name in known if name.casefold() == text.casefold()]
    if text in known:
        return text
    if len(loose) == 1:
        return loose[0]
    raise DatabaseNotFound(f"there is no database {_shown(text)} in the index", _near_or_first(text, known))


def find_domain(text: str, tables: Sequence[IndexedTable], database: str | None = None) -> str:
    """Find a domain by its exact name or another spelling of it.

    Raises:
        DomainNotFound: with near misses; also when only other databases have it.
    """
    everywhere = {entry.domain for entry in tables}
    here = {entry.domain for entry in tables if database in (None, entry.database)}
    for name in (text, domain_name(text)):
        if name in here:
            return name
        if name in everywhere:
            others = sorted({entry.database for entry in tables if entry.domain == name})
            raise DomainNotFound(
                f"database {_shown(database or '')} has no domain {_shown(name)}; {', '.join(others[:5])} has it",
                _near_or_first(text, sorted(here)),
            )
    raise DomainNotFound(f"there is no domain {_shown(text)} in the index", _near_or_first(text, sorted(here)))


def _near_or_first(text: str, known: Sequence[str]) -> list[str]:
    return near_misses(text, known) or list(known[:MAX_SUGGESTIONS])


def _shown(text: str) -> str:
    return repr(text if len(text) <= _SHOWN_CHARS else text[:_SHOWN_CHARS] + "...")


def near_misses(text: str, known: Iterable[str]) -> list[str]:
    """Known names similar to a text in spelling or wording, most similar first; may be empty."""
    wanted, terms = _trigrams(text), frozenset(index_terms(text))
    scored = [(_likeness(wanted, terms, name), name) for name in dict.fromkeys(known)]
    alike = sorted((-score, name) for score, name in scored if score >= _LEAST_LIKENESS)
    return [name for _, name in alike[:MAX_SUGGESTIONS]]


def _likeness(wanted: frozenset[str], terms: frozenset[str], name: str) -> float:
    letters, words = _trigrams(name), frozenset(index_terms(name))
    return max(_overlap(wanted, letters), _overlap(terms, words))


def _overlap(left: frozenset[str], right: frozenset[str]) -> float:
    return len(left & right) / len(left | right) if left and right else 0.0


def _trigrams(text: str) -> frozenset[str]:
    padded = f"  {text.casefold()[:256]} "
    return frozenset(padded[start : start + 3] for start in range(len(padded) - 2))
