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
