"""The numbers that ranking is tuned by, in one place."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each signal counts; the defaults are measured on four public sets of questions, one set for all."""

    lexical: float = 1.0
    whole: float = 0.8
    column: float = 0.5
    name: float = 0.5
    propagation: float = 1.5
    """Of a table's standing among the neighbours of the best; scaled by the share of tables that have a key."""
    propagation_seeds: int = 10
    damping: float = 0.85
    """Share of a table's standing that it hands on to the tables that it is joined to."""
    rounds: int = 10
    schema: float = 0.7
    """Of the mean score of the best tables of a table's schema."""
    schema_best: int = 3
    """How many of them speak for a schema: a large one must not win by its size, nor a small one by one good table."""
    covered: float = 0.8
    """Certainty that a table is meant when it holds every word of the question."""
    alike: float = 0.6
    """Certainty when it means the same by its vector alone."""
    cosine_floor: float = 0.1
    cosine_ceiling: float = 0.8
    unknown_word: float = 0.8
    """What a word counts that no table holds, against one that a single table holds."""


WEIGHTS = Weights()
