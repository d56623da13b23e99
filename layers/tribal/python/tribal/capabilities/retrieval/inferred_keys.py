"""Keys guessed for the schemas of tables that no keys of the index join.

They are cached, since the next question is often about the same schemas.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tribal.capabilities.retrieval.graphs import role_words
from tribal.capabilities.retrieval.toolbox import OpenIndex, Toolbox
from tribal.joins.graph import JoinGraph, inferred_edge
from tribal.joins.outline import TableOutline
from tribal.key_inference import infer_keys
from tribal.ports import IndexedTable
from tribal_contracts import KeyEdge

LOOKED_AT = 200
"""The most tables whose columns are compared. By judgement: it bounds a first answer to a second."""


@dataclass(frozen=True, slots=True)
class InferredJoins:
    """Some tables with all keys between them, declared and inferred."""

    graph: JoinGraph
    tables: frozenset[str]
    """Fully qualified names of the tables that were compared."""


def inferred_joins(asked: Sequence[IndexedTable], opened: OpenIndex, toolbox: Toolbox) -> InferredJoins:
    """The joins between the tables in the schemas of those asked for, limited to those that the caller may see."""
    schemas = {(entry.database, entry.schema) for entry in asked}
    around = (entry for entry in opened.tables if (entry.database, entry.schema) in schemas)
    ids = [entry.record_id for entry in dict.fromkeys((*asked, *around))][:LOOKED_AT]
    key = ("likely joins", frozenset(ids))
    return toolbox.derived.get(opened.generation, key, lambda: _joins_of(ids, toolbox))


def _joins_of(ids: Sequence[int], toolbox: Toolbox) -> InferredJoins:
    keys, tables = toolbox.index.key_graph(), list(toolbox.index.documents(sorted(ids), TableOutline).values())
    known = frozenset(table.name for table in tables)
    edges = [edge for edge in (keys.edges if keys else ()) if {edge.from_table, edge.to_table} <= known]
    ends = {_ends(edge) for edge in edges}
    # What planning inferred may rest on values too, and counts for more than a guess at the same columns.
    guessed = (edge for edge in map(inferred_edge, infer_keys(tables)) if _ends(edge) not in ends)
    return InferredJoins(JoinGraph.of([*edges, *guessed], role_words), known)


def _ends(edge: KeyEdge) -> tuple[str, tuple[str, ...], str, tuple[str, ...]]:
    return edge.from_table, tuple(edge.from_columns), edge.to_table, tuple(edge.to_columns)
