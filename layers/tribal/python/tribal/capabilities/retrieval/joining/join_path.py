"""Tool `get_join_path`: how to join two or more tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tribal.capabilities.retrieval.answers.fitting import fit_join
from tribal.capabilities.retrieval.graphs import join_graph
from tribal.capabilities.retrieval.inferred_keys import inferred_joins
from tribal.capabilities.retrieval.joining.join_answer import JoinWriter
from tribal.capabilities.retrieval.names import find_table, name_of
from tribal.capabilities.retrieval.toolbox import OpenIndex, Toolbox, open_index
from tribal.errors import ToolInputInvalid
from tribal.joins.paths import Keys
from tribal.joins.trees import MAX_HOPS, JoinTree, cheapest_tree
from tribal.ports import IndexedTable
from tribal_contracts import AgentError, GetJoinPathInput, GetJoinPathOutput


def get_join_path(request: GetJoinPathInput, toolbox: Toolbox) -> GetJoinPathOutput:
    """Find the cheapest path along keys, or a tree of paths to several tables, as steps and as SQL that runs.

    If the keys of the index do not connect the tables, keys are inferred for their schemas, and the answer says so.
    If nothing connects known tables, that is not an error: `path_found` is false.

    Raises:
        ToolInputInvalid: when `max_hops` is out of range.
        TableNotFound: when a name matches no table, or more than one.
        AnswerTooLong: when the path and its SQL exceed what an answer may have.
        IndexNotReady: when there is no finished index.

    Source: specification section 6.3.
    """
    if not 1 <= request.max_hops <= MAX_HOPS:
        raise ToolInputInvalid(f"max_hops is {request.max_hops}; it must be from 1 to {MAX_HOPS}")
    opened = open_index(toolbox)
    requested = [
        find_table(name, opened.tables) for name in (request.source_table, request.target_table, *(request.also or ()))
    ]
    answer = GetJoinPathOutput(
        success=True,
        tokens_used=0,
        path_found=False,
        source=name_of(requested[0]),
        target=name_of(requested[1]),
        warnings=list(opened.warnings) or None,
    )
    foreign = next((table for table in requested if table.database != requested[0].database), None)
    if foreign is not None:
        return _with_warning(answer, _between_databases(requested[0], foreign, toolbox))
    return _Search(requested, request.max_hops, opened, toolbox).answer(answer)


@dataclass(frozen=True, slots=True)
class _Search:
    """Finds joins between tables of one database."""

    requested: Sequence[IndexedTable]
    max_hops: int
    opened: OpenIndex
    toolbox: Toolbox

    def answer(self, answer: GetJoinPathOutput) -> GetJoinPathOutput:
        """The answer with the joins, or with the reason why there are none."""
        visible = frozenset(name_of(entry) for entry in self.opened.tables)
        keys = Keys(join_graph(self.opened, self.toolbox), visible.__contains__)
        tree = self._tree(keys)
        steps = self._hops_needed(tree, keys)
        if tree.missing and steps is None:
            likely = inferred_joins(self.requested, self.opened, self.toolbox)
            keys = Keys(likely.graph, likely.tables.__contains__)
            tree = self._tree(keys)
            steps = self._hops_needed(tree, keys)
        if not tree.missing:
            found = JoinWriter(self.requested[0], keys.graph, self.opened, self.toolbox).write(answer, tree)
            return fit_join(found, self.toolbox)
        if steps is None and len(self.requested) == 2:
            return answer
        return _with_warning(answer, self._missing_path(tree, steps))

    def _tree(self, keys: Keys) -> JoinTree:
        root, target, *also = map(name_of, self.requested)
        return cheapest_tree(keys, root, [target, *(table for table in also if table != root)], self.max_hops)

    def _hops_needed(self, tree: JoinTree, keys: Keys) -> int | None:
        """The `max_hops` that would reach every missing table; `None` if even the highest would not."""
        needed = [keys.distance(tree.tables, table, MAX_HOPS) for table in tree.missing]
        return max((steps for steps in needed if steps is not None), default=None) if None not in needed else None

    def _missing_path(self, tree: JoinTree, steps: int | None) -> AgentError:
        which = "these tables" if len(self.requested) == 2 else f"{', '.join(tree.missing)} to the others"
        message = (
            f"no keys join {which}; ask without"
            if steps is None
            else f"keys join {which} over {steps} hops; ask with max_hops {steps}"
        )
        return self.toolbox.warning("RET_ANSWER_PARTIAL", message)


def _between_databases(one: IndexedTable, other: IndexedTable, toolbox: Toolbox) -> AgentError:
    reason = (
        "PostgreSQL cannot join tables of two databases in one statement"
        if one.database_type == "postgres"
        else "no key is known between databases"
    )
    message = (
        f"{name_of(one)} and {name_of(other)} are in different databases: {reason};"
        " query each and join the results on a value that both have"
    )
    return toolbox.warning("RET_JOIN_CROSS_DATABASE", message)


def _with_warning(answer: GetJoinPathOutput, warning: AgentError) -> GetJoinPathOutput:
    return answer.model_copy(update={"warnings": [*(answer.warnings or ()), warning]})
