"""Tool `get_join_path`: how two tables are joined."""

from __future__ import annotations

from collections.abc import Sequence

from tribal.catalog.graph import Hop, shortest_path
from tribal.catalog.joins import ROW_LIMIT, SqlTable, join_sql, join_steps, joins_along
from tribal.errors import ToolInputInvalid
from tribal.ports import IndexedTable
from tribal.retrieval.answers.fitting import fitted_join
from tribal.retrieval.graphs import join_graph
from tribal.retrieval.inferred_keys import inferred_joins
from tribal.retrieval.names import find_table, name_of
from tribal.retrieval.toolbox import Toolbox, open_index
from tribal_contracts import AgentError, GetJoinPathInput, GetJoinPathOutput, JoinStep

MAX_HOPS = 10


def get_join_path(request: GetJoinPathInput, toolbox: Toolbox) -> GetJoinPathOutput:
    """Find the shortest path along foreign keys, as steps and as SQL that runs.

    If declared keys do not connect the tables, keys inferred from names and types are tried, and the answer says so.
    Two known tables that nothing connects are no error: `path_found` is false.

    Raises:
        ToolInputInvalid: when `max_hops` is out of range.
        TableNotFound: when either name matches no table, or more than one.
        AnswerTooLong: when the path and its SQL exceed what an answer may have.
        IndexNotReady: when there is no finished index.

    Source: specification section 6.3.
    """
    if not 1 <= request.max_hops <= MAX_HOPS:
        raise ToolInputInvalid(f"max_hops is {request.max_hops}; it must be from 1 to {MAX_HOPS}")
    opened = open_index(toolbox)
    source = find_table(request.source_table, opened.tables)
    target = find_table(request.target_table, opened.tables)
    ends = name_of(source), name_of(target)
    answer = GetJoinPathOutput(
        success=True,
        tokens_used=0,
        path_found=False,
        source=ends[0],
        target=ends[1],
        warnings=list(opened.warnings) or None,
    )
    visible = frozenset(name_of(entry) for entry in opened.tables)
    way = shortest_path(join_graph(opened, toolbox), *ends, MAX_HOPS, visible.__contains__)
    if way is not None and len(way) > request.max_hops:
        message = f"declared keys join these tables over {len(way)} hops; ask with max_hops {len(way)}"
        warning = toolbox.warning("RET_ANSWER_PARTIAL", message)
        return answer.model_copy(update={"warnings": [*opened.warnings, warning]})
    # Inferred keys never replace declared ones, however long the path along these.
    if way is None and source.database == target.database:
        likely = inferred_joins(source, target, opened, toolbox)
        way = shortest_path(likely.graph, *ends, request.max_hops, likely.tables.__contains__)
    if way is None:
        return answer
    steps = join_steps(way, source.database_type)
    return _along(answer, way, _marked(steps, way), source, toolbox)


def _along(
    answer: GetJoinPathOutput, way: Sequence[Hop], steps: Sequence[JoinStep], source: IndexedTable, toolbox: Toolbox
) -> GetJoinPathOutput:
    """The answer with the path that was found."""
    start = SqlTable.named(name_of(source), toolbox.server_database)
    joins = joins_along(way, toolbox.server_database)
    warnings = [*(answer.warnings or ()), *_doubts(steps, toolbox)]
    found = {
        "path_found": True,
        "hop_count": len(steps),
        "path": steps,
        "sql_snippet": join_sql(start, joins, source.database_type, row_limit=ROW_LIMIT),
        "returned": len(steps),
        "truncated": False,
        "warnings": warnings or None,
    }
    return fitted_join(answer.model_copy(update=found), toolbox)


def _marked(steps: Sequence[JoinStep], way: Sequence[Hop]) -> list[JoinStep]:
    """The steps, with those along inferred keys marked as such."""
    marked = []
    for hop, step in zip(way, steps, strict=True):
        guessed = {} if hop.key.source == "declared" else {"source": "inferred", "confidence": hop.key.confidence}
        marked.append(step.model_copy(update=guessed))
    return marked


def _doubts(steps: Sequence[JoinStep], toolbox: Toolbox) -> list[AgentError]:
    guessed = [str(step.step) for step in steps if step.source == "inferred"]
    if not guessed:
        return []
    which = f"step{'s' if len(guessed) > 1 else ''} {', '.join(guessed)}"
    message = f"no declared keys join these tables; {which} is told from names and types alone: check it before use"
    return [toolbox.warning("RET_JOIN_INFERRED", message)]
