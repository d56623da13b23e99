"""Tool `get_lineage`: what a table is made from, and what is made from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tribal.capabilities.retrieval.names import find_column, find_table, name_of, partition_note
from tribal.capabilities.retrieval.paging import Page, Place, fill_page
from tribal.capabilities.retrieval.toolbox import OpenIndex, Toolbox, open_index
from tribal.errors import IndexNotReady
from tribal.joins.lineage import Edge, Reading, TableReads, Walk, visible_reading, walk_downstream, walk_upstream
from tribal.ports import IndexedTable
from tribal.scoping.bounds import Bounds
from tribal_contracts import (
    Contract,
    GetLineageInput,
    GetLineageOutput,
    LineageEdge,
    LineageEnd,
    LineageNode,
    UnresolvedTable,
)

_MOST_UNRESOLVED = 20
"""Reasons in one answer. By judgement: they are not paged."""
_WITHHELD = "its SQL could not be read"


class _Step(Contract):
    """An edge, with the tables that no edge before it has."""

    edge: LineageEdge
    nodes: list[LineageNode]


def get_lineage(request: GetLineageInput, toolbox: Toolbox) -> GetLineageOutput:
    """Follow a table, or a column of it, through views in one direction or both; nearest edges first, in pages.

    Raises:
        TableNotFound: when no table has that name, or more than one.
        ColumnNotFound: when the table has no such column.
        ToolInputInvalid: when the cursor belongs to another question.
        IndexNotReady: when there is no finished index.
    """
    opened = open_index(toolbox)
    entry = find_table(request.table, opened.tables)
    name, read = name_of(entry), lineage_reading(opened, toolbox)
    start = read([name]).get(name)
    if start is None:
        raise IndexNotReady(f"the index has no document of {name}; run `tribal index --force` to rebuild it")
    column = None if request.column is None else find_column(request.column, start.name, start.columns)
    walk = Walk(tables={name})
    if request.direction != "downstream":
        walk_upstream(walk, name, column, request.depth, read)
    if request.direction != "upstream":
        walk_downstream(walk, name, column, request.depth, read)
    kinds = {name_of(each): each.kind for each in opened.tables}
    steps = _steps(walk, name, kinds)
    question = (
        "get_lineage", name, column, request.direction, str(request.depth), opened.metadata.manifest_hash
    )  # fmt: skip
    place = Place.of(len(steps), request.cursor, question)
    unresolved = _unresolved(walk, opened.bounds) if place.is_first else []
    note = partition_note(request.table, entry)
    first = [LineageNode(table=name, kind=entry.kind)] if place.is_first else []

    def answer(page: Page[_Step]) -> GetLineageOutput:
        return GetLineageOutput(
            success=True,
            tokens_used=0,
            table=name,
            column=column,
            nodes=[*first, *(node for step in page.items for node in step.nodes)],
            edges=[step.edge for step in page.items],
            unresolved=unresolved,
            total=page.total,
            returned=page.returned,
            truncated=page.truncated or walk.truncated,
            next_cursor=page.next_cursor,
            notes=None if note is None else [note],
            warnings=list(opened.warnings) or None,
        )

    return fill_page(place, steps[place.start :], answer, toolbox, around=f"the lineage of {name}")


def lineage_reading(opened: OpenIndex, toolbox: Toolbox) -> Reading:
    """Reads documents of tables that the caller may see, each once."""
    ids = {name_of(entry): entry.record_id for entry in opened.tables}
    known: dict[str, TableReads] = {}

    def read(names: Sequence[str]) -> Mapping[str, TableReads]:
        missing = [ids[name] for name in names if name not in known]
        if missing:
            known.update({each.name: each for each in toolbox.index.documents(missing, TableReads).values()})
        return {name: known[name] for name in names if name in known}

    return visible_reading(read, ids.keys(), [name_of(entry) for entry in reading_tables(opened)])


def reading_tables(opened: OpenIndex) -> list[IndexedTable]:
    """The tables that can be made from others."""
    return [entry for entry in opened.tables if "view" in entry.kind or entry.kind == "dynamic_table"]


def bounded_reason(reason: str, bounds: Bounds) -> str:
    """Why a view could not be followed; a message of the parser may quote a hidden name."""
    return reason if bounds.is_open else _WITHHELD


def _steps(walk: Walk, start: str, kinds: Mapping[str, str]) -> list[_Step]:
    seen, steps = {start}, []
    for edge in walk.edges:
        new = [table for table in (edge.from_table, edge.to_table) if table not in seen]
        seen.update(new)
        nodes = [LineageNode(table=table, kind=kinds[table]) for table in new]
        steps.append(_Step(edge=_shown(edge), nodes=nodes))
    return steps


def _shown(edge: Edge) -> LineageEdge:
    return LineageEdge(
        from_=LineageEnd(table=edge.from_table, column=edge.from_column or None),
        to=LineageEnd(table=edge.to_table, column=edge.to_column or None),
        via=edge.via,
    )


def _unresolved(walk: Walk, bounds: Bounds) -> list[UnresolvedTable]:
    found = sorted(walk.problems.items())[:_MOST_UNRESOLVED]
    return [UnresolvedTable(table=view, reason=bounded_reason(reason, bounds)) for view, reason in found]
