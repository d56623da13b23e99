"""Scores whether `get_join_path` joins two tables as people did."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bench.evaluation import JoinTest, Way, plain_name
from tribal.ports import Application, Caller
from tribal.tools.call import call_tool
from tribal_contracts import GetJoinPathOutput, JoinStep

_IDENTIFIER = r'"(?:[^"]|"")*"|[^\s="]+'
_PAIR = re.compile(rf"t\d+\.({_IDENTIFIER}) = t\d+\.({_IDENTIFIER})")


@dataclass(frozen=True, slots=True)
class JoinScore:
    """Scores over the distinct pairs of tables of a set."""

    pairs: int
    exact: float
    """Share of pairs whose answer has the tables of a human path in the same order, and its columns."""
    same_tables: float
    """Share of pairs whose answer has the tables of a human path, whatever the columns."""
    found: float
    """Share of pairs with any path."""
    wrong: tuple[str, ...]
    """Pairs whose answer matches none of the human paths."""
    wrong_marked: int
    """Wrong paths with a warning that they are inferred or ambiguous."""
    wrong_unmarked: int
    right_declared: int
    """Right answers along declared keys alone."""
    right_declared_marked: int
    """Those of them that are marked as ambiguous."""


Answered = tuple[JoinTest, GetJoinPathOutput]


def answers(tests: Sequence[JoinTest], app: Application) -> list[Answered]:
    """Ask for each pair once."""
    return [(test, _asked(test, app)) for test in tests]


def scored(answered: Sequence[Answered]) -> JoinScore:
    """Compare each answer with the ways of people."""
    exact = tables = found = 0
    wrong = []
    marks: Counter[tuple[bool, bool, bool]] = Counter()
    for test, answer in answered:
        way = _way(answer)
        found += way is not None
        tables += way is not None and any(way[0] == gold[0] for gold in test.ways)
        right = way is not None and any(way[0] == gold[0] and gold[1] in ((), way[1]) for gold in test.ways)
        exact += right
        if not right:
            wrong.append(f"{test.source} -> {test.target}: {' '.join(way[0]) if way else 'no path'}")
        if way is not None:
            codes = {warning.code for warning in answer.warnings or ()}
            marks[right, "RET_JOIN_INFERRED" in codes, "RET_JOIN_AMBIGUOUS" in codes] += 1
    pairs = max(len(answered), 1)
    return JoinScore(
        pairs=len(answered),
        exact=exact / pairs,
        same_tables=tables / pairs,
        found=found / pairs,
        wrong=tuple(wrong),
        wrong_marked=marks[False, True, True] + marks[False, True, False] + marks[False, False, True],
        wrong_unmarked=marks[False, False, False],
        right_declared=marks[True, False, False] + marks[True, False, True],
        right_declared_marked=marks[True, False, True],
    )


def print_joins(scores: Mapping[str, JoinScore]) -> None:
    """Print one line per set."""
    print(f"{'joins':<32}{'pairs':>7}{'right':>8}{'wrong: marked':>15}{'not':>5}{'right declared: marked':>24}")
    for name, score in scores.items():
        right = f"{score.right_declared_marked} of {score.right_declared}"
        print(
            f"{name:<32}{score.pairs:>7}{score.exact:>8.3f}{score.wrong_marked:>15}{score.wrong_unmarked:>5}{right:>24}"
        )


def _asked(test: JoinTest, app: Application) -> GetJoinPathOutput:
    asked = {"source_table": test.source, "target_table": test.target, "max_hops": test.max_hops}
    answer = call_tool("get_join_path", asked, Caller("bench"), app)
    assert isinstance(answer, GetJoinPathOutput)
    return answer


def _way(answer: GetJoinPathOutput) -> Way | None:
    if answer.path is None:
        return None
    tables = (plain_name(answer.source), *(plain_name(step.to_table) for step in answer.path))
    return tables, tuple(_columns(step) for step in answer.path)


def _columns(step: JoinStep) -> frozenset[frozenset[str]]:
    here, there = plain_name(step.from_table), plain_name(step.to_table)
    pairs = _PAIR.findall(step.on_clause)
    return frozenset(frozenset((f"{here}.{_bare(own)}", f"{there}.{_bare(other)}")) for own, other in pairs)


def _bare(identifier: str) -> str:
    return identifier[1:-1].replace('""', '"') if identifier.startswith('"') else identifier
