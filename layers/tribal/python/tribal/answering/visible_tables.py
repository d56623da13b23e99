"""Documented tables as one caller sees them, for capabilities that name a table."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tribal.capabilities.retrieval.bounded_table import bounded_table
from tribal.capabilities.retrieval.names import find_column, find_table, identity_of, name_of
from tribal.capabilities.retrieval.toolbox import OpenIndex, Toolbox, open_index
from tribal.errors import IndexNotReady
from tribal.identity.table_names import TableIdentity
from tribal.naming.mentions import OwnNames
from tribal.ports.application import Application
from tribal.ports.caller import Caller
from tribal_contracts import TableDocument


@dataclass(frozen=True, slots=True)
class VisibleTable:
    """A table that a caller may see."""

    bounded: TableDocument
    """The table as the caller may see it."""
    unrestricted: TableDocument
    """The table as documented."""

    def column(self, name: str) -> str:
        """Return the name of a column as the table has it.

        Raises:
            ColumnNotFound: when the table has no such column.
        """
        return find_column(name, self.bounded.name, self.bounded.columns)


@dataclass(frozen=True, slots=True)
class VisibleTables:
    """The tables that a caller may see, in one generation of the index."""

    opened: OpenIndex
    toolbox: Toolbox

    def find(self, name: str) -> VisibleTable:
        """Return the table of a name, as `get_table_schema` finds it.

        Raises:
            TableNotFound: when no visible table has that name, or more than one.
            IndexNotReady: when the index has no document of it.
        """
        entry = find_table(name, self.opened.tables)
        whole = self._document(entry.record_id)
        if whole is None:
            raise IndexNotReady(
                f"the index has no document of {name_of(entry)}; run `tribal index --force` to rebuild it"
            )
        return VisibleTable(bounded_table(whole, self.opened.bounds), whole)

    def named(self, name: str) -> VisibleTable | None:
        """Return the table of exactly this name; `None` if no visible one has it."""
        known = any(name_of(each) == name for each in self.opened.tables)
        return self.find(name) if known else None

    def withholds(self, text: str, table: TableIdentity) -> bool:
        """Whether a text about a table, which may be gone, mentions something that the caller may not see."""
        bounds = self.opened.bounds
        if bounds.is_open or not text:
            return False
        entry = next((each for each in self.opened.tables if identity_of(each) == table), None)
        document = None if entry is None else self._document(entry.record_id)
        columns = () if document is None else (column.name for column in document.columns)
        own = OwnNames.of([table.database, table.schema, table.table, *columns])
        return bounds.reveals_derived(text, table.database, own)

    def _document(self, record_id: int) -> TableDocument | None:
        return self.toolbox.index.documents([record_id], TableDocument).get(record_id)


@contextmanager
def visible_tables(caller: Caller, app: Application) -> Iterator[VisibleTables]:
    """Open the index for a caller.

    Raises:
        IndexNotReady: when there is no finished index.
    """
    toolbox = Toolbox(app.index(), embedder=None, clock=app.clock, scope=caller.scope, derived=app.derived)
    with toolbox.index.reading():
        yield VisibleTables(open_index(toolbox), toolbox)
