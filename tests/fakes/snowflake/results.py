"""A statement's result: typed columns, and rows as text.

How values are written: the connector's tests and `_internal/arrow_context.py`; wire format read from its core.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

Row = Sequence[str | None]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MOST_TEXT = 16_777_216


@dataclass(frozen=True)
class Field:
    """A column of a result."""

    name: str
    type: str = "text"
    precision: int | None = None
    scale: int | None = None
    length: int | None = None

    def told(self) -> dict[str, Any]:
        """As the answer tells it."""
        length = (self.length or _MOST_TEXT) if self.type == "text" else self.length
        return {
            "name": self.name,
            "database": "",
            "schema": "",
            "table": "",
            "nullable": True,
            "type": self.type,
            "byteLength": length,
            "length": length,
            "scale": self.scale,
            "precision": self.precision,
            "collation": None,
        }


def fixed(name: str, scale: int = 0) -> Field:
    """A column of numbers."""
    return Field(name, "fixed", precision=38, scale=scale)


def moment(name: str) -> Field:
    """A column of times of day and date, in the session's zone."""
    return Field(name, "timestamp_ltz", precision=0, scale=3)


@dataclass
class Result:
    """Rows are in order; a value that is missing is `None`."""

    fields: Sequence[Field]
    rows: Sequence[Row]

    def reordered(self) -> Result:
        """The same with its columns the other way round, as an account may show them."""
        return Result([*reversed(self.fields)], [[*reversed(row)] for row in self.rows])

    def with_more(self) -> Result:
        """The same with one more column in front and at the end, as a release of Snowflake may add them:
        https://docs.snowflake.com/en/release-notes/behavior-changes-new-columns"""
        fields = [Field("added_first"), *self.fields, Field("added_last")]
        return Result(fields, [["first", *row, None] for row in self.rows])


def ok(text: str = "Statement executed successfully.") -> Result:
    """What a statement without rows answers."""
    return Result([Field("status")], [[text]])


def encoded(value: Any) -> str | None:
    """A value of Python as the wire writes it."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, datetime):
        return _instant(value)
    if isinstance(value, date):
        return str((value - _EPOCH.date()).days)
    if isinstance(value, time):
        seconds = value.hour * 3600 + value.minute * 60 + value.second
        return f"{seconds}.{value.microsecond:06d}000"
    if isinstance(value, bytes):
        return value.hex().upper()
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, (dict, list)):
        # VARIANT is printed with two spaces to a level: https://docs.snowflake.com/en/sql-reference/functions/to_json
        return json.dumps(value, indent=2, ensure_ascii=False)
    return str(value)


def _instant(value: datetime) -> str:
    aware = value if value.tzinfo else value.replace(tzinfo=UTC)
    since = aware - _EPOCH
    seconds, microseconds = divmod(abs(since // timedelta(microseconds=1)), 1_000_000)
    text = f"{'-' if since < timedelta() else ''}{seconds}.{microseconds:06d}000"
    if value.tzinfo is None or value.utcoffset() is None or value.tzinfo is UTC:
        return text
    offset = value.utcoffset()
    assert offset is not None
    return f"{text} {1440 + int(offset.total_seconds() // 60)}"
