"""What the changes in databases affect: views, definitions, decisions and memories."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tribal.capabilities.retrieval.definitions.visible import NOTHING
from tribal.capabilities.retrieval.guidance import is_name_of, named_guidance
from tribal.capabilities.retrieval.impact.used_columns import UsedColumns
from tribal.capabilities.retrieval.lineage.get_lineage import lineage_reading
from tribal.capabilities.retrieval.names import name_of
from tribal.capabilities.retrieval.toolbox import OpenIndex, Toolbox, open_index
from tribal.identity.changes import Change, TableChange
from tribal.identity.table_names import TableIdentity
from tribal.joins.lineage import Reading, affected_views
from tribal.naming.mentions import says_name
from tribal.ports import IndexedTable
from tribal_contracts import DefinedMetric, DefinedTerm, Definitions, VerifiedQuery

if TYPE_CHECKING:
    from tribal.runs.comparing import Comparison

_GONE = ("dropped", "excluded", "unreadable")
_ASPECTS = ("type", "nullable", "default", "generated", "values", "fields")
"""Of a column."""
_OWN = ("primary key", "unique key", "kind", "may be selected")
"""Changes of a whole table that name nothing but the table; callers with a scope get these alone."""
_OF_TABLES = (*_OWN, "foreign key", "foreign key to another database", "check", "exclusion", "view definition")


@dataclass(frozen=True, slots=True)
class Affected:
    """Something that a change affects.

    Attributes:
        kind: "view", "query", "metric", "term", "memory", or the type of a decision.
        name: the qualified name of a view, the file of a query, the name of a metric or term, or the id of the rest.
        text: the question of a query, or what the definition, decision or memory says.
    """

    kind: str
    name: str
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Impact:
    """A change, and what it affects.

    Attributes:
        table: the qualified name.
        fate: as in the comparison.
        what: "table", "column", "primary key" and so on.
        name: of the column or key.
        aspects: what changed about a column that stays.
        affected: views, nearest first, then queries, metrics, terms, decisions and memories.
    """

    table: str
    fate: str
    what: str
    name: str
    aspects: tuple[str, ...]
    affected: tuple[Affected, ...]


def impact_of(found: Comparison, toolbox: Toolbox) -> list[Impact]:
    """The changes that affect something, in the order of the comparison; call it within `reading()`.

    New tables, columns and keys to them affect nothing, nor do comments, indexes and the order of columns.

    Raises:
        IndexNotReady: when there is no finished index.
    """
    opened = open_index(toolbox)
    finder = _Finder(opened, toolbox)
    impacts: list[Impact] = []
    for database in found.databases:
        gone = [f"{each.schema}.{each.table}" for each in database.tables if each.fate in _GONE]
        for change in database.tables:
            if toolbox.scope.allows(database.database, change.schema):
                impacts += finder.of(TableIdentity(database.database, change.schema, change.table), change, gone)
    return [each for each in impacts if each.affected]


class _Finder:
    def __init__(self, opened: OpenIndex, toolbox: Toolbox) -> None:
        self._opened, self._toolbox = opened, toolbox
        self._entries = {name_of(each): each for each in opened.tables}
        self._read: Reading = lineage_reading(opened, toolbox)
        self._used = UsedColumns(opened, toolbox)
        self._definitions = NOTHING if toolbox.definitions is None else toolbox.definitions(opened.bounds)

    def of(self, table: TableIdentity, change: TableChange, gone: Sequence[str]) -> Iterator[Impact]:
        if change.fate == "changed":
            parts = _parts(change.changes, gone, is_open=self._opened.bounds.is_open)
        else:
            parts = {("table", ""): ()} if change.fate in _GONE else {}
        guidance = self._guidance(table, change) if parts else []
        for (what, name), aspects in parts.items():
            column = name if what == "column" else None
            affected = [
                *(Affected("view", view) for view in self._views(str(table), column)),
                *_definitions(self._definitions, str(table), column, self._used),
                *(one for one, named in guidance if column is None or named & {"", column.casefold()}),
            ]
            yield Impact(str(table), change.fate, what, name, aspects, tuple(affected))

    def _views(self, table: str, column: str | None) -> list[str]:
        return affected_views(table, column, self._read) if table in self._entries else []

    def _guidance(self, table: TableIdentity, change: TableChange) -> list[tuple[Affected, frozenset[str]]]:
        """What is decided and remembered of a table, also of one that is no longer documented.

        Each has the folded names of the columns that it names; `""` if it names the table.
        """
        entry, opened = self._entries.get(str(table)), self._opened
        columns: set[str] | None = None
        if entry is None:
            others = (each.database_type for each in opened.tables if each.database == table.database)
            entry = IndexedTable(0, table.database, table.schema, table.table, "", next(others, "postgres"))
            opened = replace(opened, tables=(*opened.tables, entry))
        else:
            columns = {each.name for each in change.changes if each.what == "column"}
            document = self._read([str(table)]).get(str(table))
            columns.update(each.name for each in (document.columns if document else ()))
        is_unique = is_name_of(entry.table, entry, opened.tables)
        found = [
            (each, named or frozenset([""]))
            for each, named in named_guidance(entry, columns, opened, self._toolbox)
            if named or (is_unique and says_name(each.text, entry.table))
        ]
        found.sort(key=lambda each: (each[0].place, each[0].kind, each[0].id))
        return [(Affected(each.kind, each.id, each.text), named) for each, named in found]


def _parts(
    changes: Iterable[Change], gone: Sequence[str], *, is_open: bool
) -> Mapping[tuple[str, str], tuple[str, ...]]:
    """What of a table changed in a way that can affect others, each with its aspects.

    A key to a table that is gone, perhaps to another name, affects nothing that this table does not.
    """
    found: dict[tuple[str, str], tuple[str, ...]] = {}
    for change in changes:
        if change.what == "column":
            if change.aspect in _ASPECTS:
                key = (change.what, change.name)
                found[key] = (*found.get(key, ()), change.aspect)
            elif not change.aspect and change.after is None:
                found[change.what, change.name] = ()
        elif change.what == "foreign key" and any(f" to {name} (" in (change.before or "") for name in gone):
            continue
        elif change.what in (_OF_TABLES if is_open else _OWN):
            found[change.what, change.name] = ()
    return found


def _definitions(definitions: Definitions, table: str, column: str | None, used: UsedColumns) -> Iterator[Affected]:
    groups: Sequence[Sequence[VerifiedQuery | DefinedMetric | DefinedTerm]]
    groups = (definitions.queries, definitions.metrics, definitions.terms)
    for items in groups:
        for item in items:
            if table in (*item.tables, *(item.gone_tables or ())) and (
                column is None or used.uses(item, table, column)
            ):
                yield _affected(item)


def _affected(item: VerifiedQuery | DefinedMetric | DefinedTerm) -> Affected:
    if isinstance(item, VerifiedQuery):
        return Affected("query", item.file, item.questions[0])
    if isinstance(item, DefinedMetric):
        return Affected("metric", item.name, item.description)
    return Affected("term", item.name, item.definition)
