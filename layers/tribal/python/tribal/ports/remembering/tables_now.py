"""Documented tables as they are now, for what was remembered of them before."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from tribal.identity.scope import Scope
from tribal.identity.table_names import TableIdentity
from tribal.identity.table_states import TableShape, changes_since, state_of
from tribal.ports.index.reader import IndexedTable, IndexReader
from tribal_contracts import ChangedTable, TableState

_SHOWN = 20
"""Columns of one table that are named as added, removed or changed."""


@dataclass(slots=True)
class TablesNow:
    """The tables that a caller may see; use it within `reading()`.

    Args:
        tables: all tables in the caller's scope.
        scope: tells tables that are gone from hidden ones.
        index: has their documents.
    """

    tables: Sequence[IndexedTable]
    scope: Scope
    index: IndexReader
    _ids: dict[TableIdentity, int] = field(init=False)
    _states: dict[TableIdentity, TableState] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._ids = {TableIdentity(each.database, each.schema, each.table): each.record_id for each in self.tables}

    def states(self, tables: Collection[TableIdentity]) -> list[TableState]:
        """The states of tables, in their order, each read once; without those that cannot be read."""
        ids = [self._ids[each] for each in tables if each in self._ids and each not in self._states]
        if ids:
            for document in self.index.documents(ids, TableShape).values():
                self._states[TableIdentity.parse(document.name)] = state_of(document)
        return [self._states[each] for each in tables if each in self._states]

    def read(self, several: Iterable[Iterable[TableState]]) -> None:
        """Read the tables of several memories at once, before `changes` asks for them one by one."""
        self.states({*_identities(state for states in several for state in states)})

    def changes(self, recorded: Collection[TableState]) -> list[ChangedTable]:
        """Which of these tables have changed since, or are gone; nothing is said of hidden ones."""
        seen = {
            each: state
            for each, state in _identities(recorded).items()
            if self.scope.allows(each.database, each.schema)
        }
        now = {state.name: state for state in self.states(seen)}
        gone = [ChangedTable(name=state.name, gone=True) for each, state in seen.items() if each not in self._ids]
        changed = map(_cut, changes_since(seen.values(), now))
        return sorted([*changed, *gone], key=lambda each: each.name)


def _identities(recorded: Iterable[TableState]) -> dict[TableIdentity, TableState]:
    found = {}
    for each in recorded:
        # An imported memory may name anything.
        with suppress(ValueError):
            found[TableIdentity.parse(each.name)] = each
    return found


def _cut(change: ChangedTable) -> ChangedTable:
    lists = {"added": change.added, "removed": change.removed, "changed": change.changed}
    return change.model_copy(update={name: columns[:_SHOWN] for name, columns in lists.items()})
