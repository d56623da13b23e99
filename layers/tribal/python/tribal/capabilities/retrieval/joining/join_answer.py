"""Writes the joins that were found: steps, SQL, ambiguities and alternatives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from tribal.capabilities.retrieval.bounded_table import bounded_evidence
from tribal.capabilities.retrieval.names import name_of
from tribal.capabilities.retrieval.toolbox import OpenIndex, Toolbox
from tribal.joins.ambiguities import alternatives_to, ambiguities_of, fans_out, reasons_for
from tribal.joins.graph import JoinGraph, Step
from tribal.joins.outline import TableOutline
from tribal.joins.paths import Path
from tribal.joins.shortcuts import without_pass_through
from tribal.joins.statements import ROW_LIMIT, SqlTable, join_sql, join_steps, joins_along
from tribal.joins.trees import Branch, JoinTree
from tribal.ports import IndexedTable
from tribal_contracts import AgentError, GetJoinPathOutput, JoinAlternative, JoinStep


@dataclass(slots=True)
class JoinWriter:
    """Writes answers for joins that begin at one table."""

    root: IndexedTable
    graph: JoinGraph
    opened: OpenIndex
    toolbox: Toolbox
    outlines: dict[str, TableOutline] = field(default_factory=dict)
    """Outlines of the joined tables, by name."""

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
        self.outlines.update({table.name: table for table in self.toolbox.index.documents(ids, TableOutline).values()})

    def _unique(self, table: str, columns: Sequence[str]) -> bool | None:
        outline = self.outlines.get(table)
        return None if outline is None else outline.is_unique(columns)

    def _ambiguities(self, branch: Branch) -> Iterator[str]:
        yield from ambiguities_of(branch.best, branch.others, self.graph, self._unique)
        if branch.better_hops is not None:
            yield f"a path of {branch.better_hops} joins is more likely: ask with max_hops {branch.better_hops}"

    def _alternative(self, other: Path, best: Path) -> JoinAlternative:
        steps = without_pass_through(other.steps)
        return JoinAlternative(
            path=self._join_steps(steps),
            hop_count=len(steps),
            sql_snippet=self._sql(steps),
            reasons=reasons_for(other, best, self.graph, self._unique),
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
        start = SqlTable.named(name_of(self.root), self.toolbox.server_database)
        joins = joins_along(steps, self.toolbox.server_database)
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
