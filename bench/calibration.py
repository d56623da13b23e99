"""Fits how evidence becomes a probability. Needs `TRIBAL_BENCH_DATA`.

`python -m bench.calibration` fits, for the embedder of the projects and for words alone, that a question needs a table
and that it is about a database at all; prints what each set shows when it is left out; and prints the numbers for
`tribal/ranking/calibration.py`.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np

from bench.harness import Bench, Row, Table, run
from bench.question_sets import Question, opened, plain_name, question_sets, read_lines
from tribal.capabilities.retrieval.names import name_of
from tribal.capabilities.retrieval.searching.candidates import SearchCandidates, find_candidates
from tribal.capabilities.retrieval.searching.ordering import rank_candidates
from tribal.capabilities.retrieval.toolbox import open_index
from tribal.capabilities.retrieval.tools import toolbox_of
from tribal.identity.scope import EVERYTHING, Scope
from tribal.ports import Application, Caller, IndexFilter
from tribal.ranking.named import MISSPELT

if TYPE_CHECKING:
    from numpy.typing import NDArray

SETS = ("beaver", "bird_mini", "defog", "kaggledbqa")
_CALLER = Caller("bench")
_SEED = 63
_OF_A_DATABASE = 60
"""The most questions of each kind that are asked of one database."""
_FIRST = 10
_ACCEPTED = 0.05


@dataclass(frozen=True, slots=True)
class Case:
    """The evidence for a question, or for one table of its answer, and whether it is right."""

    set: str
    kind: str
    evidence: tuple[float, ...]
    is_right: bool


def tables(bench: Bench) -> Iterator[Table]:
    """Fit both probabilities."""
    sets = [one for one in question_sets(bench.data) if one.name in SETS]
    others = [str(each["question"]) for each in read_lines(bench.data / "out_of_scope" / "questions.jsonl")]
    random = Random(_SEED)
    needed, topics = list[Case](), list[Case]()
    for one in sets:
        foreign = [each.text for other in sets if other.name != one.name for each in other.questions]
        with opened(one.project(bench)) as app:
            for schema in sorted({each.schema for each in one.questions}):
                own = [each for each in one.questions if each.schema == schema]
                own = random.sample(own, min(len(own), _OF_A_DATABASE))
                asked = [(each, "own") for each in own]
                for kind, texts in (("other topics", others), ("other databases", foreign)):
                    asked += [
                        (Question(each, schema, frozenset()), kind) for each in random.sample(texts, _OF_A_DATABASE)
                    ]
                for question, kind in asked:
                    topics.append(_topic(*_first_tables(question, one.scope_of(question), app)[:2], one.name, kind))
                for question in own:
                    for scope in (one.scope_of(question), EVERYTHING):
                        needed += _needed(question, *_first_tables(question, scope, app), one.name)
    for title, cases in (
        ("a question is about a database", topics),
        ("a question is about a database, by words alone", _without(topics, 1, 2)),
        ("a question needs a table", needed),
        ("a question needs a table, by words alone", _without(needed, 1)),
    ):
        rows = [_left_out(name, cases) for name in SETS]
        yield Table(title, rows, [f"weights: {_shown(_fit(cases))}"])


def _without(cases: Sequence[Case], *vectors: int) -> list[Case]:
    """The same without the evidence of vectors."""
    return [
        replace(each, evidence=tuple(0.0 if place in vectors else one for place, one in enumerate(each.evidence)))
        for each in cases
    ]


def _first_tables(
    question: Question, scope: Scope, app: Application
) -> tuple[SearchCandidates, list[int], Mapping[int, str]]:
    """Return the candidates, the ids of the first tables, and the names of all tables by id."""
    toolbox, where = toolbox_of(replace(_CALLER, scope=scope), app), IndexFilter(scope=scope)
    index = open_index(toolbox)
    found = find_candidates(question.text, where, index, toolbox)
    first = rank_candidates(found, where, index, toolbox).ids[:_FIRST].tolist()
    return found, first, {entry.record_id: plain_name(name_of(entry)) for entry in index.tables}


def _topic(found: SearchCandidates, first: Sequence[int], name: str, kind: str) -> Case:
    topic = found.topic_evidence(first)
    return Case(name, kind, (topic.covered, topic.table, topic.column, math.log(topic.tables)), kind == "own")


def _needed(
    question: Question, found: SearchCandidates, first: Sequence[int], names: Mapping[int, str], name: str
) -> list[Case]:
    return [
        Case(name, "own", _evidence(found, table), names[table] in question.tables)
        for table in first
        if found.named.get(table, 0.0) < MISSPELT
    ]


def _evidence(found: SearchCandidates, table: int) -> tuple[float, ...]:
    one = found.evidence_for(table)
    sizes = math.log1p(one.words), math.log(one.tables), math.log1p(one.keys)
    return (one.covered, one.name, *sizes, float(one.is_called))


def _left_out(name: str, cases: Sequence[Case]) -> Row:
    """How well a fit to the other sets does on one set."""
    weights = _fit([each for each in cases if each.set != name])
    others = [each for each in cases if each.set != name and each.kind == "other topics"]
    mine = [each for each in cases if each.set == name]
    sure, right = _probabilities(mine, weights), np.array([each.is_right for each in mine])
    row: dict[str, Any] = {"left out": name, "cases": len(mine), "ECE": _calibration_error(sure, right)}
    if not others:
        return row
    threshold = float(np.quantile(_probabilities(others, weights), 1 - _ACCEPTED))
    kinds = np.array([each.kind for each in mine])
    return {
        **row,
        "threshold": threshold,
        "own refused": float((sure[kinds == "own"] < threshold).mean()),
        **{
            f"{kind} accepted": float((sure[kinds == kind] >= threshold).mean())
            for kind in dict.fromkeys(kinds)
            if kind != "own"
        },
    }


def _calibration_error(sure: NDArray[Any], right: NDArray[Any]) -> float:
    """Expected difference between probability and frequency, over ten bins."""
    bins = np.minimum((sure * 10).astype(int), 9)
    each = [(bins == one) for one in range(10) if (bins == one).any()]
    return float(sum(abs(sure[one].mean() - right[one].mean()) * one.mean() for one in each))


def _fit(cases: Sequence[Case]) -> NDArray[Any]:
    """A logistic regression by Newton's method; the constant comes last. Sets count equally, and so do right and wrong
    questions of each."""
    inputs = np.array([(*each.evidence, 1.0) for each in cases])
    right = np.array([each.is_right for each in cases], float)
    has_kinds = len({each.kind for each in cases}) > 1
    groups = [(each.set, each.is_right) if has_kinds else (each.set,) for each in cases]
    sizes = {group: groups.count(group) for group in set(groups)}
    share = np.array([1_000.0 / sizes[group] for group in groups])
    weights = np.zeros(inputs.shape[1])
    for _ in range(50):
        sure = 1.0 / (1.0 + np.exp(-inputs @ weights))
        slope = inputs.T @ (share * (right - sure)) - 1e-3 * weights
        curve = (inputs * (share * sure * (1.0 - sure))[:, None]).T @ inputs + 1e-3 * np.eye(len(weights))
        weights = weights + np.linalg.solve(curve, slope)
    return weights


def _probabilities(cases: Sequence[Case], weights: NDArray[Any]) -> NDArray[Any]:
    inputs = np.array([(*each.evidence, 1.0) for each in cases])
    sure: NDArray[Any] = 1.0 / (1.0 + np.exp(-inputs @ weights))
    return sure


def _shown(weights: NDArray[Any]) -> str:
    return ", ".join(f"{each:.2f}" for each in weights)


if __name__ == "__main__":
    sys.exit(run("calibration", tables))
