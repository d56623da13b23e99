"""What comparing the values of columns in live data says of keys between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

MOST_PAIRS = 5_000
"""The most pairs of columns of one database whose values are worth comparing. By judgement: it bounds the reading."""


@dataclass(frozen=True, order=True, slots=True)
class KeyPair:
    """Columns that may reference others, paired up by position; tables are fully qualified."""

    from_table: str
    from_columns: tuple[str, ...]
    to_table: str
    to_columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Overlap:
    """How many distinct values of the referencing columns were looked for, and found, among all of the referenced."""

    compared: int
    found: int
    unique: bool | None = None
    """Whether no value of the referenced columns occurs twice; `None` where nobody looked."""


Overlaps = Mapping[KeyPair, Overlap]

ENOUGH = 3
"""Distinct values that must have been looked for before they say anything. By judgement, as the shares below: names
agree too wherever values are compared, so that few are needed."""
_ABSENT = 0.5
"""Where less than this share of values was found, there is no key."""
_FAULTY = 0.9
"""Where less than this share was found, a key is not likely."""
_CONTAINED = 0.98
"""Where this share was found, a key is likelier than names say."""
_DOUBTED = 0.5
"""How sure a key is at most where values are missing, or occur twice in what would be a key."""
_DOUBT_LEFT = 0.4
"""The part of the doubt that contained values leave."""


def weighed(confidence: float, overlap: Overlap | None, *, is_key: bool) -> float:
    """How sure a key is when its values are known too; 0 where there is none.

    Args:
        confidence: how sure it is without them.
        overlap: what comparing the values showed.
        is_key: whether the referenced columns are declared to be a key.
    """
    if overlap is None:
        return confidence
    if overlap.unique is False:
        # One value that occurs twice proves it, however few were looked for.
        confidence = min(confidence, _DOUBTED)
    if overlap.compared < ENOUGH:
        return confidence
    share = overlap.found / overlap.compared
    if share < _ABSENT:
        return 0.0
    if share < _FAULTY:
        return min(confidence, _DOUBTED)
    if share >= _CONTAINED and (is_key or overlap.unique):
        return round(1 - (1 - confidence) * _DOUBT_LEFT, 2)
    return confidence
