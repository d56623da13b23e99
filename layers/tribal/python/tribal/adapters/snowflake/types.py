"""How a column's type is written, whether `SHOW COLUMNS` or `INFORMATION_SCHEMA` tells it."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from tribal.adapters.snowflake.rows import DescribedColumnRow, number

_NAMES = {"FIXED": "NUMBER", "TEXT": "VARCHAR", "REAL": "FLOAT", "TIMESTAMP": "TIMESTAMP_NTZ"}
_WITH_LENGTH = frozenset({"VARCHAR", "BINARY"})
_WITH_FRACTION = frozenset({"TIME", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ", "TIMESTAMP_TZ"})
_SAME = {"DOUBLE": "FLOAT", "DOUBLE PRECISION": "FLOAT", "CHARACTER VARYING": "VARCHAR", "DECIMAL": "NUMBER"}
_DEFAULT_LENGTH = {"VARCHAR": 16_777_216, "BINARY": 8_388_608}
_FRACTION = 9
_TOLD_BY_SHOW_ONLY = frozenset({"VECTOR"})
"""Types with parts that `INFORMATION_SCHEMA.COLUMNS` has no fields for."""


@lru_cache(maxsize=1024)
def shown_type(data_type: str) -> tuple[str, bool | None]:
    """The type that `SHOW COLUMNS` tells in JSON, and whether the column may be null.

    A type in another form than JSON is taken as it is.
    """
    try:
        parts = json.loads(data_type)
    except ValueError:
        return data_type, None
    if not isinstance(parts, dict) or not isinstance(parts.get("type"), str):
        return data_type, None
    nullable = parts.get("nullable")
    return _written(parts), nullable if isinstance(nullable, bool) else None


def _written(parts: dict[str, Any]) -> str:
    name = str(_NAMES.get(parts["type"], parts["type"]))
    if name == "NUMBER":
        return _number(number(parts.get("precision")), number(parts.get("scale")))
    if name in _WITH_LENGTH:
        return _with(name, number(parts.get("length")))
    if name in _WITH_FRACTION:
        return _with(name, number(parts.get("scale")))
    if name == "VECTOR":
        return _vector(parts)
    return name


def _vector(parts: dict[str, Any]) -> str:
    element = parts.get("vectorElementType", parts.get("elementType"))
    if isinstance(element, dict):
        element = element.get("type")
    dimension = number(parts.get("dimension"))
    if not isinstance(element, str) or dimension is None:
        return "VECTOR"
    return f"VECTOR({ {'REAL': 'FLOAT', 'FIXED': 'INT'}.get(element, element) }, {dimension})"


def described_type(row: DescribedColumnRow) -> str:
    """The type that `INFORMATION_SCHEMA.COLUMNS` tells in several fields."""
    name = _SAME.get(row.data_type, _NAMES.get(row.data_type, row.data_type))
    if name == "NUMBER":
        return _number(number(row.numeric_precision), number(row.numeric_scale))
    if name in _WITH_LENGTH:
        return _with(name, number(row.character_maximum_length))
    if name in _WITH_FRACTION:
        return _with(name, number(row.datetime_precision))
    return name


def is_told_by_show_only(row: DescribedColumnRow) -> bool:
    """Whether `INFORMATION_SCHEMA` may leave out parts of the type."""
    return row.data_type in _TOLD_BY_SHOW_ONLY


def _number(precision: int | None, scale: int | None) -> str:
    return f"NUMBER({38 if precision is None else precision},{scale or 0})"


def _with(name: str, size: int | None) -> str:
    default = _DEFAULT_LENGTH.get(name, _FRACTION)
    return f"{name}({default if size is None else size})"
