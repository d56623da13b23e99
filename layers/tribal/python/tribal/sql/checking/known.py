"""What is known of the tables that a query may name: plain data, loaded only for the tables that it does name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from tribal.sql.checking.keys import KeyIndex
from tribal.sql.dialect import fold
from tribal.sql.references import TableName
from tribal_contracts import DatabaseType


@dataclass(frozen=True, slots=True)
class KnownColumn:
    """A column.

    Attributes:
        type: as the catalog writes it; the base type of a domain.
        allowed_values: the only values that it may hold; empty if others are allowed, or nothing is known.
        is_enum: whether its type lists the values, so that PostgreSQL refuses any other literal.
    """

    name: str
    type: str = ""
    allowed_values: tuple[str, ...] = ()
    is_enum: bool = False


@dataclass(frozen=True, slots=True)
class KnownTable:
    """A table or view.

    Attributes:
        name: fully qualified, as keys name it.
        keys: sets of columns of which each identifies a row.
        is_stored: whether it has the system columns of a table.
    """

    name: str
    schema: str
    table: str
    columns: Sequence[KnownColumn] = ()
    keys: Sequence[frozenset[str]] = ()
    is_stored: bool = True


LoadTables = Callable[[Sequence[TableName]], Mapping[TableName, KnownTable]]
"""Loads tables by their names; one without documentation is left out."""


@dataclass(frozen=True)
class KnownTables:
    """The tables of one database that the caller may see.

    Args:
        dialect: of the database.
        names: of its tables.
        load: loads some of them.
        keys: the declared and the inferred keys of its tables.
        database: its names, in the configuration and on the server.
        partitions: with the table that each is documented with; asked for only where no table has a name.
        search_path: schemas in which names without a schema are looked up; without it, a name must be unique, or be in
            `public` (PostgreSQL) or `PUBLIC` (Snowflake).
        routines: schema and name of each documented routine that only reads and computes, in all its overloads.
    """

    dialect: DatabaseType
    names: Sequence[TableName]
    load: LoadTables
    keys: Callable[[], KeyIndex] = KeyIndex
    database: frozenset[str] = frozenset()
    search_path: Sequence[str] = ()
    partitions: Callable[[], Mapping[TableName, TableName]] = dict
    routines: frozenset[TableName] = frozenset()
    _loaded: dict[TableName, KnownTable] = field(default_factory=dict, init=False)

    @classmethod
    def of(cls, tables: Iterable[KnownTable], dialect: DatabaseType) -> KnownTables:
        """From tables that are loaded already."""
        known = {(each.schema, each.table): each for each in tables}
        return cls(dialect, tuple(known), lambda names: {name: known[name] for name in names})

    def find(self, schema: str | None, table: str, *, anywhere: bool = False) -> list[TableName]:
        """The tables that a name means: one, none, or several if it is ambiguous.

        With `anywhere`, a name without a schema may be that of any schema, as in dbt.
        """
        found = self._by_table.get(table, ())
        if schema is not None:
            found = [name for name in found if name[0] == schema]
        if not found and anywhere and (folded := fold(table, self.dialect)) != table:
            # A project of dbt may leave out the quotes.
            return self.find(None if schema is None else fold(schema, self.dialect), folded, anywhere=True)
        if schema is not None:
            return list(found)
        for each in self.search_path or (self._default,):
            if (each, table) in found:
                return [(each, table)]
        return [] if self.search_path and not anywhere else list(found)

    def partition_of(self, schema: str | None, table: str, *, anywhere: bool = False) -> TableName | None:
        """The partition that a name means, if it is certain."""
        parts = self._partitions_by_table.get(table, ())
        found = [name for name in parts if schema in (None, name[0])]
        for each in self.search_path or (self._default,) if schema is None else ():
            if (each, table) in found:
                return each, table
        is_hidden = schema is None and self.search_path and not anywhere
        return found[0] if len(found) == 1 and not is_hidden else None

    def prepare(self, names: Iterable[TableName]) -> None:
        """Load those of some tables that there are, at once."""
        wanted = [name for name in dict.fromkeys(names) if name not in self._loaded]
        if missing := [name for name in wanted if name in self._by_table.get(name[1], ())]:
            self._loaded.update(self.load(missing))

    def table(self, name: TableName) -> KnownTable | None:
        """A table with its columns; `None` if its documentation is missing."""
        self.prepare([name])
        return self._loaded.get(name)

    def alike(self, schema: str | None, table: str) -> Iterator[TableName]:
        """Tables whose names differ in case only, or have another schema."""
        for name in self._by_folded.get(table.casefold(), ()):
            if schema is None or name[1] == table or name[0].casefold() == schema.casefold():
                yield name

    def is_harmless_routine(self, names: Sequence[str]) -> bool:
        """Whether a name that is called is that of a documented routine that only reads and computes."""
        schemas = names[-2:-1] or self.search_path or (self._default,)
        return any((schema, names[-1]) in self.routines for schema in schemas)

    @property
    def _default(self) -> str:
        return "PUBLIC" if self.dialect == "snowflake" else "public"

    @cached_property
    def _by_table(self) -> Mapping[str, Sequence[TableName]]:
        return _grouped(self.names, lambda table: table)

    @cached_property
    def partition_parents(self) -> Mapping[TableName, TableName]:
        """The table that each partition is documented with."""
        return self.partitions()

    @cached_property
    def _partitions_by_table(self) -> Mapping[str, Sequence[TableName]]:
        return _grouped(self.partition_parents, lambda table: table)

    @cached_property
    def _by_folded(self) -> Mapping[str, Sequence[TableName]]:
        return _grouped(self.names, str.casefold)


def _grouped(names: Iterable[TableName], key: Callable[[str], str]) -> dict[str, list[TableName]]:
    found: dict[str, list[TableName]] = {}
    for name in names:
        found.setdefault(key(name[1]), []).append(name)
    return found
