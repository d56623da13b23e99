"""How much speaks for a memory being what was asked for, 0 to 1 and comparable between questions.

A logistic curve over three signs. How the signs weigh was fitted on the questions of `bird_hints`; the constant, which
decides what reaches the default threshold, was chosen by judgement with an eye on `locomo`, too.
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

    constant: float = -5.0
    covered: float = 6.7
    cosine: float = 2.7
    matched: float = 2.4


WEIGHTS = Weights()


def score_of(signs: Signs, weights: Weights = WEIGHTS) -> float:
    """The evidence, 0 to 1."""
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
