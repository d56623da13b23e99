"""Chooses the weights of ranking and fits `relevance_score`, each set left out in turn.

Each is chosen on three sets and rated on the fourth.
From a shell: `TRIBAL_BENCH_DATA=FOLDER python -m bench.choosing`. What it chooses on all sets together is what
`ranking/weights.py` ships; the figures to be believed are those of the sets that were left out.
"""

from __future__ import annotations

import math
import os
import random
import statistics
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Literal

import numpy as np

from bench.evaluation import EvaluationSet, Question, asked, evaluation_sets, plain_name
from bench.retrieval import DATA_VARIABLE
from tribal.capabilities.retrieval.names import name_of
from tribal.capabilities.retrieval.searching.candidates import Found, find
from tribal.capabilities.retrieval.searching.ordering import order_of
from tribal.capabilities.retrieval.toolbox import OpenIndex, Toolbox, open_index
from tribal.capabilities.retrieval.tools import toolbox_of
from tribal.ports import Application, Caller, IndexFilter
from tribal.ranking.relevance import Evidence, relevance
from tribal.ranking.weights import WEIGHTS, Certainty, Weights

SETS = ("bird_mini", "spider_union", "defog", "kaggledbqa")
GRID: Mapping[str, Sequence[float]] = {
    "letters": (0.1, 0.2, 0.3),
    "propagation": (1.0, 1.5, 2.0),
    "schema": (0.5, 0.7, 0.9),
}
"""The weights that are chosen, each with what it may be; the others were never found to matter."""
_FOREIGN = 120
"""Questions of each other set that are asked of a set, which cannot answer them."""
_SEED = 14
_EVERYWHERE = IndexFilter()
_RIDGE = 0.01
Kind = Literal["right", "wrong", "foreign"]
_SHARES: Mapping[Kind, float] = {"right": 0.4, "wrong": 0.2, "foreign": 0.4}
"""What the first tables of a set's own questions, right and wrong, and those of foreign ones count in fitting.

By judgement: counted as often as they occur, wrong ones would be a twelfth of all, and .45 of them below .5 on defog.
"""


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question with what was found for it."""

    found: Found
    tables: frozenset[str]


@dataclass(frozen=True)
class _Set:
    """One set with its open index, its questions, those of others, and those that nothing answers."""

    name: str
    opened: OpenIndex
    toolbox: Toolbox
    names: Mapping[int, str]
    own: Sequence[_Asked]
    foreign: Mapping[str, Sequence[_Asked]]
    unanswerable: Sequence[_Asked]

    def order(self, one: _Asked, weights: Weights) -> list[int]:
        """Ids of the first ten tables."""
        order = order_of(one.found, _EVERYWHERE, self.opened, replace(self.toolbox, weights=weights))
        return [int(table) for table in order.ids[:10]]

    def all_at_10(self, weights: Weights) -> float:
        """Share of questions with every table among the first ten."""
        return statistics.fmean(
            one.tables <= {self.names[table] for table in self.order(one, weights)} for one in self.own
        )


def main() -> int:
    """Choose, fit and print; returns the exit code."""
    if not os.environ.get(DATA_VARIABLE):
        print(f"bench.choosing: set {DATA_VARIABLE} to a folder of evaluation sets", file=sys.stderr)
        return 2
    with ExitStack() as stack:
        report(Path(os.environ[DATA_VARIABLE]), Path(sys.executable).parent / "tribal", stack)
    return 0


def report(data: Path, tribal: Path, stack: ExitStack) -> None:
    """Print what is chosen without each set and how it does there, then what is chosen on all."""
    sets = [one for one in evaluation_sets(data) if one.name in SETS]
    opened = {one.name: stack.enter_context(asked(one, tribal)) for one in sets}
    for app in opened.values():
        stack.enter_context(app.index().reading())
    read = [_read(one, opened[one.name], sets) for one in sets]
    choices = [
        replace(WEIGHTS, letters=letters, propagation=propagation, schema=schema)
        for letters, propagation, schema in product(*GRID.values())
    ]
    rates = {one.name: [one.all_at_10(weights) for weights in choices] for one in read}
    print(f"{'left out':<16}{'chosen on the others':<44}{'ALL@10':>8}")
    for one in read:
        best = _best(choices, [rates[other.name] for other in read if other is not one])
        print(f"{one.name:<16}{_said(choices[best]):<44}{rates[one.name][best]:>8.3f}")
    best = _best(choices, list(rates.values()))
    print(f"{'chosen on all':<16}{_said(choices[best]):<44}   shipped: {_said(WEIGHTS)}")
    _report_certainty(read)


def _read(one: EvaluationSet, app: Application, sets: Sequence[EvaluationSet]) -> _Set:
    toolbox = toolbox_of(Caller("bench"), app)
    opened = open_index(toolbox)
    chance = random.Random(_SEED)

    def ask(questions: Sequence[Question], tables: bool = False) -> list[_Asked]:
        return [
            _Asked(find(each.text, _EVERYWHERE, opened, toolbox), each.tables if tables else frozenset())
            for each in questions
        ]

    return _Set(
        name=one.name,
        opened=opened,
        toolbox=toolbox,
        names={entry.record_id: plain_name(name_of(entry)) for entry in opened.tables},
        own=ask(one.questions, tables=True),
        foreign={
            other.name: ask(chance.sample(other.questions, min(_FOREIGN, len(other.questions))))
            for other in sets
            if other is not one
        },
        unanswerable=ask(one.unanswerable),
    )


def _best(choices: Sequence[Weights], rates: Sequence[Sequence[float]]) -> int:
    """The choice with the highest mean over sets; of equals, the one nearest to what is shipped."""

    def distance(weights: Weights) -> float:
        return math.fsum(abs(getattr(weights, name) / getattr(WEIGHTS, name) - 1) for name in GRID)

    means = [round(statistics.fmean(values), 4) for values in zip(*rates, strict=True)]
    return max(range(len(choices)), key=lambda number: (means[number], -distance(choices[number])))


def _said(weights: Weights) -> str:
    return ", ".join(f"{name} {getattr(weights, name):g}" for name in GRID)


@dataclass(frozen=True, slots=True)
class _First:
    """The first table of an answer: what speaks for it, and whether it is right."""

    evidence: Evidence
    right: bool
    kind: tuple[str, str]
    """The set that was asked, and where the question is from."""


def _report_certainty(sets: Sequence[_Set]) -> None:
    firsts = {one.name: _firsts(one) for one in sets}
    print(f"\n{'left out':<16}{'right > .5':>12}{'wrong < .5':>12}{'foreign < .5':>14}{'AUC of unanswerable':>22}")
    for one in sets:
        others = [first for name, some in firsts.items() for first in some if name != one.name]
        # Questions of the set that is left out are left out too, wherever they were asked.
        certainty = _fitted([first for first in others if first.kind[1] != one.name])
        print(f"{one.name:<16}{_rates(one, firsts[one.name], certainty)}")
    fitted = _fitted([first for some in firsts.values() for first in some])
    print(f"fitted on all: {fitted}\nshipped:       {WEIGHTS.certainty}")
    for one in sets:
        print(f"  {one.name:<14}{_rates(one, firsts[one.name], WEIGHTS.certainty)}")


def _firsts(one: _Set) -> list[_First]:
    asked_of = [("own", each) for each in one.own]
    asked_of += [(name, each) for name, some in one.foreign.items() for each in some]
    firsts = []
    for kind, each in asked_of:
        order = one.order(each, WEIGHTS)
        if order:
            right = one.names[order[0]] in each.tables
            firsts.append(_First(each.found.evidence_for(order[0]), right, (one.name, kind)))
    return firsts


def _fitted(firsts: Sequence[_First]) -> Certainty:
    """Logistic regression with a small ridge; each set counts the same, and so does each of its `_SHARES`."""
    kinds = [(first.kind[0], _kind(first)) for first in firsts]
    sizes = Counter(kinds)
    weights = np.array([_SHARES[kind] / sizes[name, kind] for name, kind in kinds])
    weights /= weights.mean()
    features = np.array([_features(first.evidence) for first in firsts])
    right = np.array([first.right for first in firsts], dtype=float)
    means, spreads = features.mean(axis=0), features.std(axis=0)
    table = np.column_stack([np.ones(len(firsts)), (features - means) / spreads])
    ridge = _RIDGE * len(firsts) * np.diag([0.0, *np.ones(features.shape[1])])
    found = np.zeros(table.shape[1])
    for _ in range(50):
        told = 1.0 / (1.0 + np.exp(-table @ found))
        slope = table.T @ (weights * (told - right)) + ridge @ found
        curve = (table * (weights * told * (1.0 - told))[:, None]).T @ table + ridge
        found -= np.linalg.solve(curve, slope)
    scaled = found[1:] / spreads
    constant, *rest = (round(float(value), 2) for value in (found[0] - scaled @ means, *scaled))
    return Certainty(constant, *rest)


def _kind(first: _First) -> Kind:
    if first.right:
        return "right"
    return "wrong" if first.kind[1] == "own" else "foreign"


def _features(evidence: Evidence) -> tuple[float, ...]:
    return float(np.log1p(evidence.words)), evidence.covered, evidence.name, float(np.log(evidence.tables))


def _rates(one: _Set, firsts: Sequence[_First], certainty: Certainty) -> str:
    def share(values: Sequence[bool]) -> str:
        return f"{statistics.fmean(values):.2f}" if values else "-"

    scores = [(relevance(first.evidence, certainty), first) for first in firsts]
    own = [(score, first) for score, first in scores if first.kind[1] == "own"]
    right = share([score > 0.5 for score, first in own if first.right])
    wrong = share([score < 0.5 for score, first in own if not first.right])
    foreign = share([score < 0.5 for score, first in scores if first.kind[1] != "own"])
    others = [_certainty_of(one, each, certainty) for each in one.unanswerable]
    auc = f"{_auc([score for score, _ in own], others):.3f}" if others else ""
    return f"{right:>12}{wrong:>12}{foreign:>14}{auc:>22}"


def _certainty_of(one: _Set, each: _Asked, certainty: Certainty) -> float:
    order = one.order(each, WEIGHTS)
    return relevance(each.found.evidence_for(order[0]), certainty) if order else 0.0


def _auc(answerable: Sequence[float], others: Sequence[float]) -> float:
    wins = sum((good > bad) + 0.5 * (good == bad) for good in answerable for bad in others)
    return wins / (len(answerable) * len(others))


if __name__ == "__main__":
    sys.exit(main())
