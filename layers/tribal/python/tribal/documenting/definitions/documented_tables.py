"""The documented tables that definitions are checked against; a document is read when something names its table."""

from __future__ import annotations

import difflib
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field

from tribal.identity.table_names import TableIdentity, format_name, parse_name
from tribal.joins.known_tables import parents_of
from tribal_contracts import TableDocument

_NEAR = 3


@dataclass(slots=True)
class DocumentedTables:
    """All documented tables, and their documents.

    Args:
        identities: of the tables.
        load: reads the document of a table; `None` if it cannot be read.
        routines: those that SQL may call, as `database.schema.name`.
    """

    identities: frozenset[TableIdentity]
    load: Callable[[TableIdentity], TableDocument | None]
    routines: tuple[str, ...] = ()
    _documents: dict[TableIdentity, TableDocument | None] = field(default_factory=dict)
    _partitions: dict[str, dict[tuple[str, str], tuple[str, str]]] = field(default_factory=dict)
    _sorted: list[TableIdentity] = field(default_factory=list)
    _named: defaultdict[str, list[TableIdentity]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        self._sorted = sorted(self.identities)
        for each in self._sorted:
            self._named[each.table.casefold()].append(each)

    @property
    def databases(self) -> list[str]:
        """The documented databases, sorted."""
        return sorted({each.database for each in self.identities})

    def of(self, database: str) -> list[TableIdentity]:
        """The tables of a database, sorted."""
        return [each for each in self._sorted if each.database == database]

    def document(self, table: TableIdentity) -> TableDocument | None:
        """The document of a table; `None` if it is unknown or cannot be read."""
        if table not in self._documents:
            self._documents[table] = self.load(table) if table in self.identities else None
        return self._documents[table]

    def partitions(self, database: str) -> dict[tuple[str, str], tuple[str, str]]:
        """The partitions of a database, with the tables that they are documented with; reads every document."""
        if database not in self._partitions:
            documents = (document for table in self.of(database) if (document := self.document(table)) is not None)
            self._partitions[database] = parents_of(documents)
        return self._partitions[database]

    def resolve(self, written: str, database: str | None) -> TableIdentity | str:
        """The table that a name means, or what is wrong with the name.

        Args:
            written: `schema.table`, with the database where there are several; a bare name if it is unique.
            database: the database that it is in, if known.
        """
        try:
            parts = parse_name(written.strip())
        except ValueError:
            parts = ()
        if not 1 <= len(parts) <= 3:
            return f"{written!r} is not the name of a table; write schema.table"
        named = [each for each in self._named.get(parts[-1].casefold(), ()) if database in (None, each.database)]
        exact = [each for each in named if _parts(each)[-len(parts) :] == parts]
        plain = tuple(part.casefold() for part in parts)
        found = exact or [each for each in named if tuple(p.casefold() for p in _parts(each)[-len(parts) :]) == plain]
        if len(found) == 1:
            return found[0]
        if found:
            names = ", ".join(map(str, found[:_NEAR]))
            return f"{written!r} may be any of {names}; add the schema or the database"
        inside = [each for each in self.identities if database in (None, each.database)]
        all_names = {format_name(_parts(each)[-max(len(parts), 2) :]) for each in inside}
        near = difflib.get_close_matches(written, sorted(all_names), n=_NEAR)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        return f"there is no documented table {written!r}{hint}"


def _parts(table: TableIdentity) -> tuple[str, str, str]:
    return table.database, table.schema, table.table
