"""What the file of results has of a record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import fields
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def recorded(record: DataclassInstance, without: Collection[str] = ()) -> dict[str, object]:
    """The fields of a record, as JSON has them: `asdict` would make other keys of those of counters."""
    values = {each.name: getattr(record, each.name) for each in fields(record) if each.name not in without}
    return {name: dict(value) if isinstance(value, Counter) else value for name, value in values.items()}
