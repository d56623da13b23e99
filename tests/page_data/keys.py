"""Reads the part of the page's data for keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def column_names(part: Mapping[str, Any], columns: int | list[int]) -> list[str]:
    """The names of some columns of a key."""
    numbers = columns if isinstance(columns, list) else [columns]
    return [name if isinstance(name, str) else name[0] for name in (part["c"][number] for number in numbers)]
