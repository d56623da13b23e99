"""Tool `get_join_path`: how two tables are joined."""

from __future__ import annotations

from tribal.catalog.graph import shortest_path
from tribal.catalog.joins import join_sql, join_steps
from tribal.errors import ToolInputInvalid
from tribal.retrieval.graphs import join_graph
from tribal.retrieval.names import find_table, name_of
from tribal.retrieval.toolbox import Toolbox, open_index
from tribal_contracts import GetJoinPathInput, GetJoinPathOutput

MAX_HOPS = 10


def get_join_path(request: GetJoinPathInput, toolbox: Toolbox) -> GetJoinPathOutput:
    """Find the shortest way along foreign keys, as steps and as SQL that runs.

    Two known tables without a way between them are an answer too: `path_found` is false.

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
    path = shortest_path(graph, name_of(source), name_of(target), request.max_hops, visible.__contains__)
    answer = GetJoinPathOutput(
        success=True,
        tokens_used=0,
        path_found=path is not None,
        source=name_of(source),
        target=name_of(target),
        warnings=list(ready.warnings) or None,
    )
    if path is None:
        return answer
    steps = join_steps(path, source.database_type)
    sql = join_sql(name_of(source), steps, source.database_type, toolbox.server_database)
    return answer.model_copy(
        update={"hop_count": len(steps), "path": steps, "sql_snippet": sql, "returned": len(steps), "truncated": False}
    )
