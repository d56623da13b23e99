"""How evidence becomes a probability: logistic regressions, one for each model of vectors.

The numbers are those of `python -m bench.calibration` on public sets of questions; docs/adr/0067 has what each set
shows when it is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NeededTable:
    """That a question needs a table, from the evidence of that table alone."""

    constant: float
    covered: float
    """Of the share of the question's words that the table has, rare words weighing more."""
    name: float
    """Of the cosine similarity between the question and the table's name."""
    words: float
    """Of the logarithm of one more than the words of the question."""
    tables: float
    """Of the logarithm of how many tables there are."""
    keys: float
    """Of the logarithm of one more than the tables that declared keys join to it."""
    called: float
    """Of whether words of the question are its name."""


@dataclass(frozen=True, slots=True)
class KnownTopic:
    """That a question is about these databases at all."""

    constant: float
    covered: float
    """Of the best share of the question's words that one of the first ten tables has."""
    table: float
    """Of the best cosine similarity of a table."""
    column: float
    """Of the best cosine similarity of a column."""
    tables: float
    """Of the logarithm of how many tables there are."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """The regressions for one model of vectors."""

    needed: NeededTable
    topic: KnownTopic


WORDS_ONLY = ""
"""The key of the regressions for an index without vectors."""
CALIBRATIONS: Mapping[str, Calibration] = {
    WORDS_ONLY: Calibration(
        NeededTable(-4.18, covered=8.34, name=0.0, words=0.96, tables=-0.42, keys=0.85, called=2.16),
        KnownTopic(-2.13, covered=14.29, table=0.0, column=0.0, tables=-0.17),
    ),
    "wordllama-l2-supercat-256": Calibration(
        NeededTable(-4.71, covered=7.59, name=3.13, words=1.08, tables=-0.48, keys=0.91, called=1.53),
        KnownTopic(-4.71, covered=5.62, table=8.78, column=9.65, tables=-0.76),
    ),
    # MiniLM-L6 in 8 bit, by the hash of its files: decision 68.
    "onnx/c33c3da9ae38497a": Calibration(
        NeededTable(-4.77, covered=7.39, name=3.37, words=0.95, tables=-0.44, keys=0.93, called=1.84),
        KnownTopic(-9.02, covered=6.11, table=18.11, column=12.19, tables=-0.87),
    ),
}
LEAST_TOPIC = 0.33
"""The probability from which a question is about what is documented; with the default model, 5 % of those about other
things reach it."""


def calibration_for(model: str | None) -> Calibration:
    """The regressions for a model of vectors; without any for it, those that use words alone."""
    return CALIBRATIONS.get(model or WORDS_ONLY, CALIBRATIONS[WORDS_ONLY])
