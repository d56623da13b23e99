"""Writes the joins that were found: steps, SQL, doubts and alternatives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from tribal.capabilities.retrieval.bounded_table import bounded_evidence
from tribal.capabilities.retrieval.names import name_of
from tribal.capabilities.retrieval.toolbox import OpenIndex, Toolbox
from tribal.joins.ambiguities import alternatives_to, doubts_about, fans_out, reasons_for
from tribal.joins.graph import Hop, JoinGraph
from tribal.joins.outline import TableOutline
from tribal.joins.paths import Path
from tribal.joins.shortcuts import without_passed_on
from tribal.joins.statements import ROW_LIMIT, SqlTable, join_sql, join_steps, joins_along
from tribal.joins.trees import Branch, JoinTree
from tribal.ports import IndexedTable
from tribal_contracts import AgentError, GetJoinPathOutput, JoinAlternative, JoinStep


@dataclass(slots=True)
class JoinWriter:
    """Writes answers about joins that begin at one table."""

    root: IndexedTable
    graph: JoinGraph
    opened: OpenIndex
    toolbox: Toolbox
    outlines: dict[str, TableOutline] = field(default_factory=dict)
    """What is known of the tables that were joined, by name."""

    def written(self, answer: GetJoinPathOutput, tree: JoinTree) -> GetJoinPathOutput:
        """The answer with the joins."""
        shown = [(branch.best, alternatives_to(branch.best, branch.others)) for branch in tree.branches]
        self._look_up([*tree.hops, *(hop for _, others in shown for other in others for hop in other.hops)])
        # Where several tables are joined, one that is passed may be where they meet.
        hops = without_passed_on(tree.hops) if len(tree.branches) == 1 else tree.hops
        steps = self._steps(hops)
        doubts = [doubt for branch in tree.branches for doubt in self._doubts(branch)]
        # Alternatives to a part of a tree would be trees of their own.
        best, others = shown[0] if doubts and len(shown) == 1 else (Path((), 0), [])
        alternatives = [self._alternative(other, best) for other in others]
        warnings = [*(answer.warnings or ()), *self._warnings(steps, doubts, alternatives)]
        found = {
            "path_found": True,
            "hop_count": len(steps),
            "path": steps,
            "sql_snippet": self._sql(hops),
            "alternatives": alternatives or None,
            "returned": len(steps),
            "truncated": False,
            "warnings": warnings or None,
        }
        return answer.model_copy(update=found)

    def _look_up(self, hops: Iterable[Hop]) -> None:
        names = {table for hop in hops for table in (hop.source, hop.target)}
        ids = [entry.record_id for entry in self.opened.tables if name_of(entry) in names]
        self.outlines.update({table.name: table for table in self.toolbox.index.documents(ids, TableOutline).values()})

    def _unique(self, table: str, columns: Sequence[str]) -> bool | None:
        outline = self.outlines.get(table)
        return None if outline is None else outline.is_unique(columns)

    def _doubts(self, branch: Branch) -> Iterator[str]:
        yield from doubts_about(branch.best, branch.others, self.graph, self._unique)
        if branch.better_hops is not None:
            yield f"a path of {branch.better_hops} joins is likelier: ask with max_hops {branch.better_hops}"

    def _alternative(self, other: Path, best: Path) -> JoinAlternative:
        hops = without_passed_on(other.hops)
        return JoinAlternative(
            path=self._steps(hops),
            hop_count=len(hops),
            sql_snippet=self._sql(hops),
            reasons=reasons_for(other, best, self.graph, self._unique),
        )

    def _steps(self, hops: Sequence[Hop]) -> list[JoinStep]:
        steps = join_steps(hops, self.root.database_type)
        return [step.model_copy(update=self._extensions(hop)) for hop, step in zip(hops, steps, strict=True)]

    def _extensions(self, hop: Hop) -> dict[str, object]:
        fans: dict[str, object] = {"fans_out": fans_out(hop, self._unique)}
        if hop.key.source == "declared":
            return fans
        known = hop.key.evidence
        evidence = None if known is None else bounded_evidence(known, self.opened.bounds)
        return {**fans, "source": "inferred", "confidence": hop.key.confidence, "evidence": evidence}

    def _sql(self, hops: Sequence[Hop]) -> str:
        start = SqlTable.named(name_of(self.root), self.toolbox.server_database)
        joins = joins_along(hops, self.toolbox.server_database)
        return join_sql(start, joins, self.root.database_type, row_limit=ROW_LIMIT)

    def _warnings(
        self, steps: Sequence[JoinStep], doubts: Sequence[str], alternatives: Sequence[JoinAlternative]
    ) -> Iterator[AgentError]:
        guessed = [str(step.step) for step in steps if step.source == "inferred"]
        if guessed:
            which = f"step{'s' if len(guessed) > 1 else ''} {', '.join(guessed)}"
            yield self.toolbox.warning("RET_JOIN_INFERRED", f"no key is declared for {which}: check it before use")
        if doubts:
            message = f"this may not be the join that is meant: {'; '.join(doubts)}"
            end = "; compare the alternatives" if alternatives else ""
            yield self.toolbox.warning("RET_JOIN_AMBIGUOUS", message + end)
