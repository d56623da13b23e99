"""What a request shows to a model, as far as the checks of its answer need it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

MAX_SAMPLE_CHARS = 40
"""The length at which a shown sample value is cut."""


@dataclass(frozen=True, slots=True)
class Handle:
    """What a handle refers to: a table, a column, or a value."""

    kind: Literal["table", "column", "value"]
    parts: tuple[str, ...]
    """Schema and table, the column, or the label."""


@dataclass(frozen=True, slots=True)
class ShownText:
    """What a request shows, for checking the words of the answer."""

    own: tuple[str, ...] = ()
    """Names of the described table and of its columns."""
    others: tuple[str, ...] = ()
    """Names of the other tables that have a handle."""
    human_text: tuple[str, ...] = ()
    """Text by people: about this table, and the terms of the settings."""
    texts: tuple[str, ...] = ()
    """Free text from the database."""
    declared: tuple[str, ...] = ()
    """Checks and defaults, as SQL; their numbers may be said."""
    samples: tuple[str, ...] = ()
    """Sample values and the patterns of masked ones."""
