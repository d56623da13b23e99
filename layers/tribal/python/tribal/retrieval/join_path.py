"""Tool `get_join_path`: how two tables are joined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tribal.catalog.graph import Hop, JoinGraph, shortest_path
from tribal.catalog.joins import join_sql, join_steps
from tribal.errors import ToolInputInvalid
from tribal.ports import TableEntry
from tribal.retrieval.graphs import join_graph
from tribal.retrieval.key_words import role_words
from tribal.retrieval.names import find_table, name_of
from tribal.retrieval.toolbox import Ready, Toolbox, open_index
from tribal.retrieval.undeclared_keys import undeclared_keys
from tribal_contracts import AgentError, GetJoinPathInput, GetJoinPathOutput, JoinStep, KeyEdge

MAX_HOPS = 10
GUESSED_OVER = 200
"""Tables whose columns are looked at when no declared keys lead from one table to the other."""


@dataclass(frozen=True, slots=True)
class _Way:
    """A way along keys, with how sure it is of those that nobody declared."""

    hops: list[Hop]
    confidences: dict[str, float]
    """Of inferred keys, by their edge as JSON."""


def get_join_path(request: GetJoinPathInput, toolbox: Toolbox) -> GetJoinPathOutput:
    """Find the shortest way along foreign keys, as steps and as SQL that runs.

    Where declared keys lead nowhere, keys that names and types suggest are tried; the answer says so. Two known tables
    without a way between them are an answer too: `path_found` is false.

    Raises:
        ToolInputInvalid: when `max_hops` is out of range.
        TableNotFound: when either name stands for no table, or for more than one.
        IndexNotReady: when there is no index to ask.

    Source: specification section 6.3.
    """
    if not 1 <= request.max_hops <= MAX_HOPS:
        raise ToolInputInvalid(f"max_hops is {request.max_hops}; it must be from 1 to {MAX_HOPS}")
    ready = open_index(toolbox)
    source = find_table(request.source_table, ready.tables)
    target = find_table(request.target_table, ready.tables)
    visible = frozenset(name_of(entry) for entry in ready.tables)
    graph = join_graph(toolbox.index)
    declared = shortest_path(graph, name_of(source), name_of(target), request.max_hops, visible.__contains__)
    way = _guessed(source, target, request.max_hops, ready, toolbox) if declared is None else _Way(declared, {})
    answer = GetJoinPathOutput(
        success=True,
        tokens_used=0,
        path_found=way is not None,
        source=name_of(source),
        target=name_of(target),
        warnings=list(ready.warnings) or None,
    )
    if way is None:
        return answer
    steps = _marked(way, join_steps(way.hops, source.database_type))
    sql = join_sql(name_of(source), steps, source.database_type, toolbox.server_database)
    warnings = [*ready.warnings, *_doubts(steps, toolbox)]
    return answer.model_copy(
        update={
            "hop_count": len(steps),
            "path": steps,
            "sql_snippet": sql,
            "returned": len(steps),
            "truncated": False,
            "warnings": warnings or None,
        }
    )


def _guessed(source: TableEntry, target: TableEntry, max_hops: int, ready: Ready, toolbox: Toolbox) -> _Way | None:
    """The shortest way over declared and likely keys of the two tables' schemas."""
    near = _near(source, target, ready.tables)
    if source.database != target.database or len(near) < 2:
        return None
    records = toolbox.index.records([entry.record_id for entry in near])
    documents = [record.structured for record in records.values() if record.structured is not None]
    guesses = undeclared_keys(documents)
    known = frozenset(document.name for document in documents)
    keys = toolbox.index.key_graph()
    declared = [edge for edge in (keys.edges if keys else ()) if {edge.from_table, edge.to_table} <= known]
    graph = JoinGraph.of([*declared, *(guess.edge for guess in guesses)], role_words)
    hops = shortest_path(graph, name_of(source), name_of(target), max_hops, known.__contains__)
    return None if hops is None else _Way(hops, {_text(guess.edge): guess.confidence for guess in guesses})


def _near(source: TableEntry, target: TableEntry, tables: Sequence[TableEntry]) -> list[TableEntry]:
    schemas = {(entry.database, entry.schema) for entry in (source, target)}
    around = (entry for entry in tables if (entry.database, entry.schema) in schemas)
    return list(dict.fromkeys((source, target, *around)))[:GUESSED_OVER]


def _marked(way: _Way, steps: Sequence[JoinStep]) -> list[JoinStep]:
    """The steps, those over keys that nobody declared marked as such."""
    return [
        step
        if hop.key.source == "declared"
        else step.model_copy(update={"source": "inferred", "confidence": way.confidences.get(_text(hop.key), 0.0)})
        for hop, step in zip(way.hops, steps, strict=True)
    ]


def _doubts(steps: Sequence[JoinStep], toolbox: Toolbox) -> list[AgentError]:
    guessed = [str(step.step) for step in steps if step.source == "inferred"]
    if not guessed:
        return []
    which = f"step{'s' if len(guessed) > 1 else ''} {', '.join(guessed)}"
    message = f"no declared keys join these tables; {which} is told from names and types alone: check it before use"
    return [toolbox.warning("RET_JOIN_INFERRED", message)]


def _text(edge: KeyEdge) -> str:
    return edge.to_compact_json().decode()
