"""Points in time as sessions hold them: any ISO 8601 date-time is read, UTC with `Z` is written."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, Field

_DATE_TIME = re.compile(
    r"(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}):(\d{2})(\.\d+)?(Z|[+-]\d{2}:\d{2})", re.IGNORECASE | re.ASCII
)
_IN_UTC = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z", re.ASCII)


def instant(text: str) -> datetime:
    """The point in time that an RFC 3339 date-time means; a leap second counts as the second before it.

    Raises:
        ValueError: when it is not such a date-time.
    """
    found = _DATE_TIME.fullmatch(text)
    if found is None:
        raise ValueError("it is not a date-time such as 2025-10-05T14:30:22Z")
    day, minutes, seconds, fraction, zone = found.groups()
    seconds = "59" if seconds == "60" else seconds
    zone = "+00:00" if zone in ("Z", "z") else zone
    return datetime.fromisoformat(f"{day}T{minutes}:{seconds}{(fraction or '')[:7]}{zone}")


def is_written_in_utc(text: str) -> bool:
    """Whether a date-time has the form in which this program writes them."""
    return _IN_UTC.fullmatch(text) is not None


def written(time: datetime) -> str:
    """A point in time as it is written, to the second."""
    return time.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _require_instant(text: str) -> str:
    instant(text)
    return text


DateTime = Annotated[str, AfterValidator(_require_instant), Field(json_schema_extra={"format": "date-time"})]
