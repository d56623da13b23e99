"""Keys guessed for the schemas of tables that no keys of the index join.

They are cached, since the next question is often about the same schemas.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tribal.catalog.graph import JoinGraph
from tribal.keys import infer_keys
from tribal.ports import IndexedTable
from tribal.retrieval.graphs import role_words
from tribal.retrieval.toolbox import OpenIndex, Toolbox
from tribal_contracts import InferredKey, KeyEdge

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
    keys, tables = toolbox.index.key_graph(), list(toolbox.index.outlines(sorted(ids)).values())
    known = frozenset(table.name for table in tables)
    declared = [edge for edge in (keys.edges if keys else ()) if {edge.from_table, edge.to_table} <= known]
    return InferredJoins(JoinGraph.of([*declared, *map(edge_of, infer_keys(tables))], role_words), known)


def edge_of(key: InferredKey) -> KeyEdge:
    """An inferred key as an edge to walk along; nothing says that its columns are never null."""
    return KeyEdge(
        name=f"{', '.join(key.from_columns)} = {', '.join(key.to_columns)}",
        from_table=key.from_table,
        from_columns=key.from_columns,
        to_table=key.to_table,
        to_columns=key.to_columns,
        nullable=True,
        source="inferred",
        confidence=key.confidence,
        evidence=key.evidence,
    )
