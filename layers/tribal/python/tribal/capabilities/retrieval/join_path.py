"""Tool `get_join_path`: how to join two or more tables.

If no keys of the index join the tables, keys are inferred for their schemas. They are cached, because the next question
is often about the same schemas.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from tribal.capabilities.retrieval.bounded_table import bounded_evidence
from tribal.capabilities.retrieval.graphs import graph_for, join_graph, role_words
from tribal.capabilities.retrieval.names import find_table, name_of
from tribal.capabilities.retrieval.paging import fit_join
from tribal.capabilities.retrieval.toolbox import OpenIndex, Toolbox, open_index
from tribal.errors import ToolInputInvalid
from tribal.joins.ambiguities import alternatives_to, ambiguities_of, fans_out, reasons_for
from tribal.joins.graph import JoinGraph, Step, inferred_edge
from tribal.joins.outline import TableOutline
from tribal.joins.paths import Keys, Path, without_pass_through
from tribal.joins.statements import ROW_LIMIT, SqlTable, join_sql, join_steps, joins_along
from tribal.joins.trees import MAX_HOPS, Branch, JoinTree, cheapest_tree
from tribal.key_inference import infer_keys
from tribal.naming import index_terms
from tribal.ports import IndexedTable
from tribal_contracts import (
    AgentError,
    Contract,
    DatabaseType,
    GetJoinPathInput,
    GetJoinPathOutput,
    JoinAlternative,
    JoinStep,
    KeyEdge,
)
from tribal_contracts.core.shape import Unset, optional


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
    terms = frozenset(index_terms(request.question)) if request.question else frozenset[str]()
    return _Search(requested, request.max_hops, terms, opened, toolbox).answer(answer)


@dataclass(frozen=True, slots=True)
class _Search:
    """Finds joins between tables of one database."""

    requested: Sequence[IndexedTable]
    max_hops: int
    terms: frozenset[str]
    """Of what the join is for; they choose between keys."""
    opened: OpenIndex
    toolbox: Toolbox

    def answer(self, answer: GetJoinPathOutput) -> GetJoinPathOutput:
        """The answer with the joins, or with the reason why they are missing."""
        visible = frozenset(name_of(entry) for entry in self.opened.tables)
        keys = Keys(graph_for(join_graph(self.opened, self.toolbox), self.terms), visible.__contains__)
        tree = self._tree(keys)
        steps = self._hops_needed(tree, keys)
        if tree.missing and steps is None:
            likely = _inferred_joins(self.requested, self.opened, self.toolbox)
            keys = Keys(graph_for(likely.graph, self.terms), likely.tables.__contains__)
            tree = self._tree(keys)
            steps = self._hops_needed(tree, keys)
        if not tree.missing:
            found = _JoinWriter(self.requested[0], keys.graph, self.opened, self.toolbox).write(answer, tree)
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
    message = f"{name_of(one)} and {name_of(other)} {in_different_databases(one.database_type)}"
    return toolbox.warning("RET_JOIN_CROSS_DATABASE", message)


def in_different_databases(kind: DatabaseType) -> str:
    """Why a table of such a database and one of another database are not joined: the end of a sentence about both."""
    reason = (
        "PostgreSQL cannot join tables of two databases in one statement"
        if kind == "postgres"
        else "no key is known between databases"
    )
    return f"are in different databases: {reason}; query each and join the results on a value that both have"


def _with_warning(answer: GetJoinPathOutput, warning: AgentError) -> GetJoinPathOutput:
    return answer.model_copy(update={"warnings": [*(answer.warnings or ()), warning]})


class _OnServer(Contract):
    """The name of a table's database on its server."""

    server_database: str | Unset = optional()


@dataclass(slots=True)
class _JoinWriter:
    """Writes answers for joins that begin at one table."""

    root: IndexedTable
    graph: JoinGraph
    opened: OpenIndex
    toolbox: Toolbox
    outlines: dict[str, TableOutline] = field(default_factory=dict)
    """Outlines of the joined tables, by name."""
    database: str = ""
    """The name of their database on its server."""

    def write(self, answer: GetJoinPathOutput, tree: JoinTree) -> GetJoinPathOutput:
        """Add the joins to the answer."""
        shown = [(branch.best, alternatives_to(branch.best, branch.others)) for branch in tree.branches]
        self._look_up([*tree.steps, *(step for _, others in shown for other in others for step in other.steps)])
        # With several targets, a table that only passes a value on may be where their paths meet.
        steps = without_pass_through(tree.steps) if len(tree.branches) == 1 else tree.steps
        shown_steps = self._join_steps(steps)
        ambiguities = [ambiguity for branch in tree.branches for ambiguity in self._ambiguities(branch)]
        # An alternative to one branch of a tree would be another tree.
        best, others = shown[0] if ambiguities and len(shown) == 1 else (Path((), 0), [])
        alternatives = [self._alternative(other, best) for other in others]
        warnings = [*(answer.warnings or ()), *self._warnings(shown_steps, ambiguities, alternatives)]
        found = {
            "path_found": True,
            "hop_count": len(shown_steps),
            "path": shown_steps,
            "sql_snippet": self._sql(steps),
            "alternatives": alternatives or None,
            "returned": len(shown_steps),
            "truncated": False,
            "warnings": warnings or None,
        }
        return answer.model_copy(update=found)

    def _look_up(self, steps: Iterable[Step]) -> None:
        names = {table for step in steps for table in (step.source, step.target)}
        ids = [entry.record_id for entry in self.opened.tables if name_of(entry) in names]
        index, root = self.toolbox.index, self.root
        self.outlines.update({table.name: table for table in index.documents(ids, TableOutline).values()})
        on_server = index.documents([root.record_id], _OnServer).get(root.record_id)
        self.database = (on_server and on_server.server_database) or root.database

    def _unique(self, table: str, columns: Sequence[str]) -> bool | None:
        outline = self.outlines.get(table)
        return None if outline is None else outline.is_unique(columns)

    def _ambiguities(self, branch: Branch) -> Iterator[str]:
        yield from ambiguities_of(branch.best, branch.others, self.graph)
        if branch.better_hops is not None:
            yield f"a path of {branch.better_hops} joins is more likely: ask with max_hops {branch.better_hops}"

    def _alternative(self, other: Path, best: Path) -> JoinAlternative:
        steps = without_pass_through(other.steps)
        return JoinAlternative(
            path=self._join_steps(steps),
            hop_count=len(steps),
            sql_snippet=self._sql(steps),
            reasons=reasons_for(other, best, self.graph),
        )

    def _join_steps(self, steps: Sequence[Step]) -> list[JoinStep]:
        shown_steps = join_steps(steps, self.root.database_type)
        return [
            shown_step.model_copy(update=self._extensions(step))
            for step, shown_step in zip(steps, shown_steps, strict=True)
        ]

    def _extensions(self, step: Step) -> dict[str, object]:
        fans: dict[str, object] = {"fans_out": fans_out(step, self._unique)}
        if step.key.source == "declared":
            return fans
        known = step.key.evidence
        evidence = None if known is None else bounded_evidence(known, self.opened.bounds)
        return {**fans, "source": "inferred", "confidence": step.key.confidence, "evidence": evidence}

    def _sql(self, steps: Sequence[Step]) -> str:
        start = SqlTable.named(name_of(self.root), lambda _: self.database)
        joins = joins_along(steps, lambda _: self.database)
        return join_sql(start, joins, self.root.database_type, row_limit=ROW_LIMIT)

    def _warnings(
        self, shown_steps: Sequence[JoinStep], ambiguities: Sequence[str], alternatives: Sequence[JoinAlternative]
    ) -> Iterator[AgentError]:
        guessed = [str(shown_step.step) for shown_step in shown_steps if shown_step.source == "inferred"]
        if guessed:
            which = f"step{'s' if len(guessed) > 1 else ''} {', '.join(guessed)}"
            yield self.toolbox.warning("RET_JOIN_INFERRED", f"no key is declared for {which}: check it before use")
        if ambiguities:
            message = f"this may not be the intended join: {'; '.join(ambiguities)}"
            end = "; compare the alternatives" if alternatives else ""
            yield self.toolbox.warning("RET_JOIN_AMBIGUOUS", message + end)


MAX_COMPARED_TABLES = 200
"""The most tables whose columns are compared. By judgement: the first answer then takes at most a second."""


@dataclass(frozen=True, slots=True)
class LikelyJoins:
    """Some tables with all declared and inferred keys between them."""

    graph: JoinGraph
    tables: frozenset[str]
    """Fully qualified names of the compared tables."""
    guessed: tuple[KeyEdge, ...]
    """The keys that are not in the index."""


def _inferred_joins(requested: Sequence[IndexedTable], opened: OpenIndex, toolbox: Toolbox) -> LikelyJoins:
    """The joins between the tables in the schemas of the requested ones, limited to tables that the caller may see."""
    schemas = {(entry.database, entry.schema) for entry in requested}
    around = (entry for entry in opened.tables if (entry.database, entry.schema) in schemas)
    ids = [entry.record_id for entry in dict.fromkeys((*requested, *around))][:MAX_COMPARED_TABLES]
    key = ("likely joins", frozenset(ids))
    return toolbox.derived.get(opened.generation, key, lambda: likely_joins(ids, toolbox))


def likely_joins(ids: Sequence[int], toolbox: Toolbox) -> LikelyJoins:
    """Infer keys between some tables of one database by comparing their columns, and add those of the index.

    Args:
        ids: of the tables in the index, at most `MAX_COMPARED_TABLES`, since each is compared with each.
        toolbox: has the index.
    """
    keys, tables = toolbox.index.key_graph(), list(toolbox.index.documents(sorted(ids), TableOutline).values())
    known = frozenset(table.name for table in tables)
    edges = [edge for edge in (keys.edges if keys else ()) if {edge.from_table, edge.to_table} <= known]
    ends = {_ends(edge) for edge in edges}
    # Planning may have compared values, so its keys outrank a guess about the same columns.
    new = [edge for edge in map(inferred_edge, infer_keys(tables)) if _ends(edge) not in ends]
    guessed = tuple(_identifying(new, tables))
    return LikelyJoins(JoinGraph.of([*edges, *guessed], role_words), known, guessed)


def _identifying(guessed: Iterable[KeyEdge], tables: Iterable[TableOutline]) -> Iterator[KeyEdge]:
    """Guessed keys, with whether their columns are unique."""
    by_name = {table.name: table for table in tables}
    for edge in guessed:
        is_unique = by_name[edge.from_table].is_unique(edge.from_columns)
        yield edge.model_copy(update={"identifies": "alone"}) if is_unique else edge


def _ends(edge: KeyEdge) -> tuple[str, tuple[str, ...], str, tuple[str, ...]]:
    return edge.from_table, tuple(edge.from_columns), edge.to_table, tuple(edge.to_columns)
