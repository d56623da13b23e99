"""What comparing the values of columns shows about keys between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

MOST_PAIRS = 5_000
"""The most column pairs of one database that are compared. By judgement: it bounds the reading."""


@dataclass(frozen=True, order=True, slots=True)
class KeyPair:
    """Columns that may reference others, paired by position; table names are fully qualified."""

    from_table: str
    from_columns: tuple[str, ...]
    to_table: str
    to_columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Overlap:
    """How many distinct values of the referencing columns were compared, and how many the referenced ones contain."""

    compared: int
    found: int
    unique: bool | None = None
    """Whether the referenced columns have no duplicate values; `None` if not checked."""


Overlaps = Mapping[KeyPair, Overlap]

ENOUGH = 3
"""Minimum number of distinct values for a conclusion. By judgement, like the shares below: names already agree wherever
values are compared, so a few are enough."""
ENOUGH_NUMBERS = 30
"""The same for numbers of columns whose names have no key word: small counts are contained in any ids."""
_ABSENT = 0.5
"""Below this share of values found, there is no key."""
_FAULTY = 0.9
"""Below this share, a key is not likely."""
_CONTAINED = 0.98
"""From this share, the confidence rises above that of the names."""
_DOUBTED = 0.5
"""The highest confidence if values are missing, or the referenced columns have duplicates."""
_DOUBT_LEFT = 0.4
"""The share of the remaining uncertainty after values were found."""


def confidence_with_values(confidence: float, overlap: Overlap | None, *, is_key: bool, enough: int = ENOUGH) -> float:
    """The confidence of a key once its values were compared; 0 if there is no key.

    Args:
        confidence: its confidence without values.
        overlap: the result of comparing values.
        is_key: whether the referenced columns are declared to be a key.
        enough: minimum number of distinct values for a conclusion.
    """
    if overlap is None:
        return confidence
    if overlap.unique is False:
        # A single duplicate is proof, however few values were compared.
        confidence = min(confidence, _DOUBTED)
    if overlap.compared < enough:
        return confidence
    share = overlap.found / overlap.compared
    if share < _ABSENT:
        return 0.0
    if share < _FAULTY:
        return min(confidence, _DOUBTED)
    if share >= _CONTAINED and (is_key or overlap.unique):
        return round(1 - (1 - confidence) * _DOUBT_LEFT, 2)
    return confidence
