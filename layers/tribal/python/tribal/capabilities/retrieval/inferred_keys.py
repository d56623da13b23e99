"""Infers keys for the schemas of tables that no keys of the index join.

The result is cached, because the next question is often about the same schemas.
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

MAX_TABLES = 200
"""The most tables whose columns are compared. By judgement: the first answer then takes at most a second."""


@dataclass(frozen=True, slots=True)
class InferredJoins:
    """Some tables with all declared and inferred keys between them."""

    graph: JoinGraph
    tables: frozenset[str]
    """Fully qualified names of the compared tables."""


def inferred_joins(requested: Sequence[IndexedTable], opened: OpenIndex, toolbox: Toolbox) -> InferredJoins:
    """The joins between the tables in the schemas of the requested ones, limited to tables that the caller may see."""
    schemas = {(entry.database, entry.schema) for entry in requested}
    around = (entry for entry in opened.tables if (entry.database, entry.schema) in schemas)
    ids = [entry.record_id for entry in dict.fromkeys((*requested, *around))][:MAX_TABLES]
    key = ("likely joins", frozenset(ids))
    return toolbox.derived.get(opened.generation, key, lambda: _joins_of(ids, toolbox))


def _joins_of(ids: Sequence[int], toolbox: Toolbox) -> InferredJoins:
    keys, tables = toolbox.index.key_graph(), list(toolbox.index.documents(sorted(ids), TableOutline).values())
    known = frozenset(table.name for table in tables)
    edges = [edge for edge in (keys.edges if keys else ()) if {edge.from_table, edge.to_table} <= known]
    ends = {_ends(edge) for edge in edges}
    # Planning may have compared values, so its keys outrank a guess about the same columns.
    guessed = (edge for edge in map(inferred_edge, infer_keys(tables)) if _ends(edge) not in ends)
    return InferredJoins(JoinGraph.of([*edges, *guessed], role_words), known)


def _ends(edge: KeyEdge) -> tuple[str, tuple[str, ...], str, tuple[str, ...]]:
    return edge.from_table, tuple(edge.from_columns), edge.to_table, tuple(edge.to_columns)
