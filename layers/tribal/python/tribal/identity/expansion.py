"""Expands entries of `databases.yaml` that name several databases of a server: lists and globs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

from tribal.errors import ConfigurationError
from tribal.sql.dialect import stored_name, written_name
from tribal_contracts import DatabaseEntry, DatabaseType

PLACE = "{database}"
"""Placeholder in an entry's name for the name of each database."""
_NOT = "!"
_LONGEST_NAME = 128


def names_several(entry: DatabaseEntry) -> bool:
    """Whether an entry is expanded: its database is a list or has a wildcard."""
    return isinstance(entry.database, list) or (entry.database is not None and _is_glob(entry.database))


def asks_server(entry: DatabaseEntry) -> bool:
    """Whether only the server knows which databases an entry names."""
    return any(_is_glob(pattern) for pattern in _wanted(entry))


def only_excludes(entry: DatabaseEntry) -> bool:
    """Whether an entry for several databases has only exclusions."""
    return not any(_wanted(entry))


def chosen(entry: DatabaseEntry, listed: Iterable[str]) -> list[str]:
    """The databases of an entry, in order: the listed ones that match, and the ones that it names in full."""
    wanted = list(_wanted(entry))
    names = {name for name in listed if any(fnmatchcase(name, pattern) for pattern in wanted)}
    names |= {pattern for pattern in wanted if not _is_glob(pattern)}
    unwanted = [pattern.removeprefix(_NOT) for pattern in _patterns(entry) if pattern.startswith(_NOT)]
    return sorted(name for name in names if not any(fnmatchcase(name, pattern) for pattern in unwanted))


def expanded(entries: Iterable[DatabaseEntry], found: Mapping[str, Sequence[str]]) -> tuple[DatabaseEntry, ...]:
    """An entry for each database; those of an entry that has not been expanded yet are left out.

    Args:
        entries: as they are configured.
        found: the databases of each entry, by the entry's name.

    Raises:
        ConfigurationError: when two databases would have the same name, or one a name that is too long.
    """
    by_name: dict[str, DatabaseEntry] = {}
    origins: dict[str, str] = {}
    for entry in entries:
        for single in _each(entry, found.get(entry.name, ())):
            if single.name in by_name:
                raise ConfigurationError(
                    f"{origins[single.name]!r} and {entry.name!r} both have a database named {single.name!r}; give one "
                    f"of them another name, with {PLACE} in it for the name of each database"
                )
            if len(single.name) > _LONGEST_NAME:
                raise ConfigurationError(
                    f"{entry.name!r} makes the name {single.name!r}, which has more than {_LONGEST_NAME} characters; "
                    "shorten the name of the entry"
                )
            by_name[single.name] = single
            origins[single.name] = entry.name
    return tuple(by_name.values())


def _each(entry: DatabaseEntry, databases: Sequence[str]) -> Iterator[DatabaseEntry]:
    if not names_several(entry):
        yield entry
        return
    for database in databases:
        name = entry.name.replace(PLACE, database) if PLACE in entry.name else f"{entry.name}_{database}"
        yield entry.model_copy(update={"name": name, "database": written_name(database, entry.type)})


def _patterns(entry: DatabaseEntry) -> Sequence[str]:
    if entry.database is None:
        return ()
    patterns = [entry.database] if isinstance(entry.database, str) else entry.database
    return [_stored(pattern, entry.type) for pattern in patterns]


def _stored(pattern: str, kind: DatabaseType) -> str:
    unwanted = _NOT * pattern.startswith(_NOT)
    return unwanted + stored_name(pattern.removeprefix(_NOT), kind)


def _wanted(entry: DatabaseEntry) -> Iterator[str]:
    return (pattern for pattern in _patterns(entry) if not pattern.startswith(_NOT))


def _is_glob(pattern: str) -> bool:
    return not set("*?[").isdisjoint(pattern)
