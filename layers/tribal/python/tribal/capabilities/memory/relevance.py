"""How much speaks for a memory being what was asked for, 0 to 1 and comparable between questions.

A memory is read together with what the same author added right before and after it in the same session: a turn of a
conversation often has half of what is asked for, and the turn beside it the other half. How the signs weigh was chosen
on one half of the conversations of `locomo` and of the databases of `bird_hints`, and is measured on the other halves;
`python -m bench.memory` tells both.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

SCORE_DIGITS = 4
TOGETHER = timedelta(hours=1)
"""The longest time between two memories of a session that are read together. By judgement."""
_K1, _B = 1.2, 0.75
"""Of BM25, as Lucene has them."""


@dataclass(frozen=True, slots=True)
class Weights:
    """Of the signs that speak for a memory."""

    covered: float = 1.0
    """Share of the question's words that it or its neighbours have, each weighed by its rarity."""
    words: float = 0.2
    """BM25 as a share of what the question's words could give."""
    alike: float = 0.2
    """Cosine of the words, weighed by rarity: what else it says counts against it."""
    meaning: float = 0.4
    """Cosine of the vectors, and of those of its neighbours."""
    matched: float = 0.1
    """Logarithm of how many of the question's words it has."""
    neighbours: tuple[float, ...] = (0.7, 0.5, 0.3)
    """How much a word counts that a neighbour has, by the steps to that neighbour."""
    near_meaning: tuple[float, ...] = (0.3, 0.2, 0.1)
    """How much the cosine of a neighbour adds."""


WEIGHTS = Weights()
_ENOUGH = 0.69
"""Evidence that the default threshold asks for."""
_ENOUGH_SCORE = 0.7
_SLOPE = 3.0


@dataclass(frozen=True, slots=True)
class Candidate:
    """What is known of a memory when it is compared with a question."""

    terms: Sequence[str]
    """Stemmed words, with repetitions."""
    cosine: float
    """Between the question and it."""
    session: tuple[str, str] | None
    """Author and session, if it was added in one."""
    created_at: datetime


def scores(question: Sequence[str], candidates: Sequence[Candidate], weights: Weights = WEIGHTS) -> list[float]:
    """The score of each candidate for a question of these terms."""
    return [score_of(each) for each in evidence(question, candidates, weights)]


def score_of(evidence: float) -> float:
    """Evidence as a score from 0 to 1."""
    told = _SLOPE * (evidence - _ENOUGH) + math.log(_ENOUGH_SCORE / (1 - _ENOUGH_SCORE))
    return round(1.0 / (1.0 + math.exp(-told)), SCORE_DIGITS)


def evidence(question: Sequence[str], candidates: Sequence[Candidate], weights: Weights = WEIGHTS) -> list[float]:
    """What speaks for each candidate."""
    counts = [Counter(each.terms) for each in candidates]
    rarity = _rarity(question, counts)
    asked = {term: rarity[term] for term in question}
    most = sum(asked.values()) or 1.0
    length = math.hypot(*asked.values()) or 1.0
    mean = sum(map(Counter.total, counts)) / max(len(counts), 1) or 1.0
    held = [asked.keys() & count.keys() for count in counts]
    near = _near(candidates)
    told = []
    for number, (each, count) in enumerate(zip(candidates, counts, strict=True)):
        # What shares no word with the question is not pulled up by what was said beside it.
        beside = near.get(number, {}) if held[number] else {}
        covered = _covered(asked, held, number, beside, weights.neighbours)
        shortness = _K1 * (1 - _B + _B * count.total() / mean)
        words = sum(asked[term] * count[term] * (_K1 + 1) / (count[term] + shortness) for term in held[number])
        shared = sum(asked[term] ** 2 for term in held[number])
        alike = shared / (length * math.hypot(*(rarity[term] for term in count))) if shared else 0.0
        meaning = each.cosine + sum(
            share * max(candidates[one].cosine for one in beside[step])
            for step, share in enumerate(weights.near_meaning, 1)
            if beside.get(step)
        )
        told.append(
            weights.covered * covered / most
            + weights.words * words / most
            + weights.alike * alike
            + weights.meaning * meaning
            + weights.matched * math.log1p(len(held[number]))
        )
    return told


def _rarity(question: Sequence[str], counts: Sequence[Mapping[str, int]]) -> dict[str, float]:
    """How much each term tells; one that nothing has tells most."""
    holders = Counter(term for count in counts for term in count)
    every = len(counts)
    return {term: math.log(1 + (every - holders[term] + 0.5) / (holders[term] + 0.5)) for term in {*holders, *question}}


def _covered(
    asked: Mapping[str, float],
    held: Sequence[set[str]],
    number: int,
    beside: Mapping[int, Sequence[int]],
    shares: Sequence[float],
) -> float:
    best = dict.fromkeys(held[number], 1.0)
    for step, share in enumerate(shares, 1):
        for one in beside.get(step, ()):
            for term in held[one]:
                best.setdefault(term, share)
    return sum(asked[term] * share for term, share in best.items())


def _near(candidates: Sequence[Candidate]) -> dict[int, dict[int, list[int]]]:
    """Which candidates were added beside which, by the steps between them."""
    near: dict[int, dict[int, list[int]]] = defaultdict(dict)
    for run in _runs(candidates):
        for place, number in enumerate(run):
            for step in range(1, len(WEIGHTS.neighbours) + 1):
                beside = [run[at] for at in (place - step, place + step) if 0 <= at < len(run)]
                if beside:
                    near[number][step] = beside
    return near


def _runs(candidates: Sequence[Candidate]) -> Iterator[list[int]]:
    """Candidates that an author added one after the other in a session."""
    sessions: dict[tuple[str, str], list[int]] = defaultdict(list)
    for number, each in enumerate(candidates):
        if each.session is not None:
            sessions[each.session].append(number)
    for numbers in sessions.values():
        run: list[int] = []
        for number in sorted(numbers, key=lambda one: candidates[one].created_at):
            if run and candidates[number].created_at - candidates[run[-1]].created_at > TOGETHER:
                yield run
                run = []
            run.append(number)
        yield run
