"""Values as text, by the formats of a session.

https://docs.snowflake.com/en/sql-reference/date-time-input-output
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from tests.fakes.snowflake import datatypes
from tests.fakes.snowflake.results import encoded

_ELEMENT = re.compile(r'YYYY|MM|DD|HH24|MI|SS|FF\d?|TZHTZM|TZH:TZM|"[^"]*"|.', re.DOTALL)
_PLAIN = {"YYYY": "%Y", "MM": "%m", "DD": "%d", "HH24": "%H", "MI": "%M", "SS": "%S"}


@dataclass(frozen=True)
class Formats:
    """The output formats of one session."""

    parameters: Mapping[str, Any]

    def text(self, value: Any, type_: str) -> str:
        """What TO_VARCHAR makes of a value."""
        name, arguments = datatypes.parts(type_)
        if isinstance(value, bool):
            return "true" if value else "false"
        if name == "NUMBER" and arguments[1] != "0":
            return f"{Decimal(str(value)):.{int(arguments[1])}f}"
        if isinstance(value, float):
            return repr(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
        if isinstance(value, datetime):
            return self._moment(value, name)
        if isinstance(value, date):
            return _formatted(datetime(value.year, value.month, value.day), self._format("DATE"))
        if isinstance(value, time):
            return _formatted(datetime.combine(date(2000, 1, 1), value), self._format("TIME"))
        return encoded(value) or ""

    def _moment(self, value: datetime, name: str) -> str:
        if name == "TIMESTAMP_LTZ":
            aware = value if value.tzinfo else value.replace(tzinfo=UTC)
            value = aware.astimezone(ZoneInfo(str(self.parameters["TIMEZONE"])))
        elif name == "TIMESTAMP_TZ" and value.tzinfo is None:
            value = value.replace(tzinfo=UTC)
        return _formatted(value, self._format(name))

    def _format(self, name: str) -> str:
        own = str(self.parameters.get(f"{name}_OUTPUT_FORMAT", ""))
        return own or str(self.parameters["TIMESTAMP_OUTPUT_FORMAT"])


def _formatted(value: datetime, format_: str) -> str:
    made = []
    for element in _ELEMENT.findall(format_):
        if element in _PLAIN:
            made.append(value.strftime(_PLAIN[element]))
        elif element.startswith("FF"):
            made.append(f"{value.microsecond:06d}000"[: int(element[2:] or 9)])
        elif element.startswith("TZH"):
            zone = value.strftime("%z") or "+0000"
            made.append(f"{zone[:3]}:{zone[3:]}" if ":" in element else zone)
        else:
            made.append(element.strip('"') if len(element) > 1 else element)
    return "".join(made)
