"""How likely a memory is what was asked for, comparable between questions.

The likelihood is that of a logistic regression on three signs, fitted on hints of `bird_hints` alone; what it does on
other questions is in docs/performance.md. Source: `python -m bench.memory`.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass

SCORE_DIGITS = 4


@dataclass(frozen=True, slots=True)
class Signs:
    """What speaks for a memory."""

    covered: float
    """Share of the question's words that it has, each weighed by its rarity, 0 to 1."""
    cosine: float
    """Between the question and it."""
    matched: int
    """How many of the question's words it has."""


@dataclass(frozen=True, slots=True)
class Weights:
    """Of the signs."""

    constant: float = -6.0
    covered: float = 6.0
    cosine: float = 6.0
    matched: float = 0.5


WEIGHTS = Weights()


def score_of(signs: Signs, weights: Weights = WEIGHTS) -> float:
    """The likelihood, 0 to 1."""
    told = (
        weights.constant
        + weights.covered * signs.covered
        + weights.cosine * signs.cosine
        + weights.matched * math.log1p(signs.matched)
    )
    return round(1.0 / (1.0 + math.exp(-told)), SCORE_DIGITS)


def covered(wanted: Collection[str], held: Collection[str], rarity: dict[str, float]) -> float:
    """Share of the wanted terms that are held, each weighed by its rarity; one that nothing has weighs most."""
    most = max(rarity.values(), default=1.0)
    total = sum(rarity.get(term, most) for term in wanted)
    return sum(rarity.get(term, most) for term in wanted if term in held) / total if total else 0.0
