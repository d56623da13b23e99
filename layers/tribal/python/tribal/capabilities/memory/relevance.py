"""The relevance of memories to a question, from 0 to 1 and comparable between questions.

A memory is scored together with the ones that the same author added right before and after it in the same session: in a
conversation, one turn often has half of the answer and the next turn the other half.

The weights were chosen on one half of the conversations of `locomo` and of the databases of `bird_hints`, and are
measured on the other halves; `python -m bench.memory` prints both.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

SCORE_DIGITS = 4
MAX_GAP = timedelta(hours=1)
"""The longest time between two neighbouring memories of a session. By judgement."""
_K1, _B = 1.2, 0.75
"""BM25 parameters with Lucene's defaults."""


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights of the signals."""

    covered: float = 1.0
    """Share of the question's words that it or its neighbours have, weighted by rarity."""
    words: float = 0.2
    """BM25 as a share of the highest possible score."""
    alike: float = 0.2
    """Cosine of the words, weighted by rarity: other words count against it."""
    meaning: float = 0.4
    """Cosine of the vectors, and of those of its neighbours."""
    matched: float = 0.1
    """Logarithm of the number of the question's words that it has."""
    neighbours: tuple[float, ...] = (0.7, 0.5, 0.3)
    """Weight of a neighbour's word, by distance."""
    near_meaning: tuple[float, ...] = (0.3, 0.2, 0.1)
    """Weight of a neighbour's cosine, by distance."""


WEIGHTS = Weights()
_ENOUGH = 0.69
"""Evidence at the default threshold."""
_ENOUGH_SCORE = 0.7
_SLOPE = 3.0


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory as it is compared with a question."""

    terms: Sequence[str]
    """Stemmed words, with repetitions."""
    cosine: float
    """Cosine between the question and the memory."""
    session: tuple[str, str] | None
    """Author and session, if it was added in a session."""
    created_at: datetime


def scores(question: Sequence[str], candidates: Sequence[Candidate]) -> list[float]:
    """The score of each candidate for a question of these terms."""
    return [score_of(each) for each in evidence(question, candidates)]


def score_of(evidence: float) -> float:
    """Evidence as a score from 0 to 1."""
    scored = _SLOPE * (evidence - _ENOUGH) + math.log(_ENOUGH_SCORE / (1 - _ENOUGH_SCORE))
    return round(1.0 / (1.0 + math.exp(-scored)), SCORE_DIGITS)


def evidence(question: Sequence[str], candidates: Sequence[Candidate]) -> list[float]:
    """The evidence for each candidate."""
    counts = [Counter(each.terms) for each in candidates]
    rarity = _rarity(question, counts)
    asked = {term: rarity[term] for term in question}
    most = sum(asked.values()) or 1.0
    length = math.hypot(*asked.values()) or 1.0
    mean = sum(map(Counter.total, counts)) / max(len(counts), 1) or 1.0
    held = [asked.keys() & count.keys() for count in counts]
    near = _near(candidates)
    scored = []
    for number, (each, count) in enumerate(zip(candidates, counts, strict=True)):
        # A memory without any word of the question is not raised by its neighbours.
        neighbours = near.get(number, {}) if held[number] else {}
        covered = _covered(asked, held, number, neighbours, WEIGHTS.neighbours)
        shortness = _K1 * (1 - _B + _B * count.total() / mean)
        words = sum(asked[term] * count[term] * (_K1 + 1) / (count[term] + shortness) for term in held[number])
        shared = sum(asked[term] ** 2 for term in held[number])
        alike = shared / (length * math.hypot(*(rarity[term] for term in count))) if shared else 0.0
        meaning = each.cosine + sum(
            share * max(candidates[one].cosine for one in neighbours[step])
            for step, share in enumerate(WEIGHTS.near_meaning, 1)
            if neighbours.get(step)
        )
        scored.append(
            WEIGHTS.covered * covered / most
            + WEIGHTS.words * words / most
            + WEIGHTS.alike * alike
            + WEIGHTS.meaning * meaning
            + WEIGHTS.matched * math.log1p(len(held[number]))
        )
    return scored


def _rarity(question: Sequence[str], counts: Sequence[Mapping[str, int]]) -> dict[str, float]:
    """The rarity of each term; highest for a term that no memory has."""
    holders = Counter(term for count in counts for term in count)
    every = len(counts)
    return {term: math.log(1 + (every - holders[term] + 0.5) / (holders[term] + 0.5)) for term in {*holders, *question}}


def _covered(
    asked: Mapping[str, float],
    held: Sequence[set[str]],
    number: int,
    neighbours: Mapping[int, Sequence[int]],
    shares: Sequence[float],
) -> float:
    best = dict.fromkeys(held[number], 1.0)
    for step, share in enumerate(shares, 1):
        for one in neighbours.get(step, ()):
            for term in held[one]:
                best.setdefault(term, share)
    return sum(asked[term] * share for term, share in best.items())


def _near(candidates: Sequence[Candidate]) -> dict[int, dict[int, list[int]]]:
    """The neighbours of each candidate, with their distance."""
    near: dict[int, dict[int, list[int]]] = defaultdict(dict)
    for run in _runs(candidates):
        for place, number in enumerate(run):
            for step in range(1, len(WEIGHTS.neighbours) + 1):
                neighbours = [run[at] for at in (place - step, place + step) if 0 <= at < len(run)]
                if neighbours:
                    near[number][step] = neighbours
    return near


def _runs(candidates: Sequence[Candidate]) -> Iterator[list[int]]:
    """Candidates that an author added in a row in one session."""
    sessions: dict[tuple[str, str], list[int]] = defaultdict(list)
    for number, each in enumerate(candidates):
        if each.session is not None:
            sessions[each.session].append(number)
    for numbers in sessions.values():
        run: list[int] = []
        for number in sorted(numbers, key=lambda one: candidates[one].created_at):
            if run and candidates[number].created_at - candidates[run[-1]].created_at > MAX_GAP:
                yield run
                run = []
            run.append(number)
        yield run
