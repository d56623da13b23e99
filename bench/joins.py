"""Scores whether `get_join_path` joins two tables as people did."""

from __future__ import annotations

import re
from collections.abc import Sequence
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


def score_joins(tests: Sequence[JoinTest], app: Application) -> JoinScore:
    """Ask for each pair once."""
    exact = tables = found = 0
    wrong = []
    for test in tests:
        way = _answered(test, app)
        found += way is not None
        tables += way is not None and any(way[0] == gold[0] for gold in test.ways)
        exact += way in test.ways
        if way not in test.ways:
            wrong.append(f"{test.source} -> {test.target}: {' '.join(way[0]) if way else 'no path'}")
    return JoinScore(len(tests), exact / len(tests), tables / len(tests), found / len(tests), tuple(wrong))


def _answered(test: JoinTest, app: Application) -> Way | None:
    asked = {"source_table": test.source, "target_table": test.target}
    answer = call_tool("get_join_path", asked, Caller("bench"), app)
    assert isinstance(answer, GetJoinPathOutput)
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
