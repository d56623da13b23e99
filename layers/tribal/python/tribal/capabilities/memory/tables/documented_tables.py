"""The documented tables that a memory names, as they are when it is added, and what has changed in them since."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tribal.capabilities.memory.records import named_tables
from tribal.errors import IndexAbsent, TribalError
from tribal.identity.table_names import TableIdentity, format_name, look_up, parse_name
from tribal.naming.mentions import written_names
from tribal.ports.index.reader import IndexFilter
from tribal.ports.remembering.tables_now import TablesNow
from tribal_contracts.memory.records import MAX_TABLES

if TYPE_CHECKING:
    from tribal.identity.scope import Scope
    from tribal.ports.index.reader import IndexedTable, IndexReader
    from tribal_contracts import ChangedTable, TableState
    from tribal_contracts.memory import MemoryRecord

_MOST_NAMES = 200
"""Names in one text that are looked up. By judgement."""
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class DocumentedTables:
    """The documented tables that a caller may see; empty without an index.

    Args:
        scope: of the caller.
        index: opens the index.
    """

    scope: Scope
    index: Callable[[], IndexReader]

    def states(self, record: MemoryRecord) -> list[TableState]:
        """The tables that a memory clearly names, in `metadata.tables` or in its text, as they are now."""
        written = [*named_tables(record), *written_names(record.content)][:_MOST_NAMES]
        names = {parts: None for text in written if (parts := _parts(text))}
        if not names:
            return []
        try:
            index = self.index()
            with index.reading():
                now = TablesNow(index.tables(IndexFilter(scope=self.scope)), self.scope, index)
                return _named(names, now)
        except TribalError as error:
            _note(error)
            return []

    def changes(self, records: Sequence[MemoryRecord]) -> Mapping[str, list[ChangedTable]]:
        """What has changed in the tables of memories since they were added, by id of the memory."""
        recorded = {each.memory_id: each.table_states for each in records if each.table_states}
        if not recorded:
            return {}
        try:
            index = self.index()
            with index.reading():
                now = TablesNow(index.tables(IndexFilter(scope=self.scope)), self.scope, index)
                now.read(recorded.values())
                return {name: now.changes(states) for name, states in recorded.items()}
        except TribalError as error:
            _note(error)
            return {}


def _named(names: Iterable[tuple[str, ...]], now: TablesNow) -> list[TableState]:
    """The states of the tables with these names; a name of a table and one of its columns is the table's too."""
    wanted = {part.casefold() for parts in names for part in parts[-2:]}
    known: dict[str, list[IndexedTable]] = {}
    for each in now.tables:
        if (last := each.table.casefold()) in wanted:
            known.setdefault(last, []).append(each)
    found: dict[TableIdentity, str | None] = {}
    for parts in names:
        table = _look_up(parts, known)
        if table is not None:
            found[table] = None
        elif len(parts) > 1 and (table := _look_up(parts[:-1], known)) is not None:
            found.setdefault(table, parts[-1].casefold())
    states = now.states(found)
    columns = {state.name: found[TableIdentity.parse(state.name)] for state in states}
    sure = [each for each in states if _has(each, columns[each.name])]
    return sure[:MAX_TABLES]


def _look_up(parts: tuple[str, ...], known: Mapping[str, list[IndexedTable]]) -> TableIdentity | None:
    alike = known.get(parts[-1].casefold(), ())
    tables = [(TableIdentity(each.database, each.schema, each.table), each.database_type) for each in alike]
    return look_up(format_name(parts), tables).found


def _has(table: TableState, column: str | None) -> bool:
    return column is None or any(name.casefold() == column for name in table.columns)


def _parts(name: str) -> tuple[str, ...]:
    with suppress(ValueError):
        return parse_name(name.strip())
    return ()


def _note(error: TribalError) -> None:
    if not isinstance(error, IndexAbsent):
        _LOG.warning("the tables that memories name were not compared: %s", error.message)
