"""Data types: as they are written, as SHOW COLUMNS tells them in JSON, and as results are typed on the wire.

JSON: https://docs.snowflake.com/en/sql-reference/sql/show-columns and what fakesnow recorded ; wire types: the
connector's `_internal/type_codes.py` ; VECTOR's JSON is assumed.
"""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

_WRITTEN = re.compile(r"\s*([A-Za-z_][A-Za-z_ ]*?)\s*(?:\(([^()]*)\))?\s*")
_MOST_TEXT = 16_777_216
_MOST_BINARY = 8_388_608
_SAME = {
    **dict.fromkeys(["NUMERIC", "DECIMAL", "DEC"], "NUMBER"),
    **dict.fromkeys(["DOUBLE", "DOUBLE PRECISION", "REAL", "FLOAT4", "FLOAT8"], "FLOAT"),
    **dict.fromkeys(["STRING", "TEXT", "NVARCHAR", "CHAR VARYING"], "VARCHAR"),
    **dict.fromkeys(["DATETIME", "TIMESTAMP", "TIMESTAMPNTZ"], "TIMESTAMP_NTZ"),
    **dict.fromkeys(["TIMESTAMPLTZ"], "TIMESTAMP_LTZ"),
    **dict.fromkeys(["TIMESTAMPTZ"], "TIMESTAMP_TZ"),
    "VARBINARY": "BINARY",
}
_WHOLE = {"INT", "INTEGER", "BIGINT", "SMALLINT", "TINYINT", "BYTEINT"}
_FULL = {
    "NUMBER": "NUMBER(38,0)",
    "VARCHAR": f"VARCHAR({_MOST_TEXT})",
    "CHAR": "VARCHAR(1)",
    "CHARACTER": "VARCHAR(1)",
    "BINARY": f"BINARY({_MOST_BINARY})",
    **{each: f"{each}(9)" for each in ("TIME", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ", "TIMESTAMP_TZ")},
}
_SCALED = ("TIME", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ", "TIMESTAMP_TZ")


def parts(written: str) -> tuple[str, list[str]]:
    """The name and the arguments of a type."""
    found = _WRITTEN.fullmatch(written)
    if found is None:
        return written.strip().upper(), []
    return found[1].upper(), [each.strip() for each in (found[2] or "").split(",") if each.strip()]


@cache
def canonical(written: str) -> str:
    """A type with its parts, by the name that Snowflake stores."""
    name, arguments = parts(written)
    if name in _WHOLE:
        return "NUMBER(38,0)"
    name = _SAME.get(name, name)
    if not arguments:
        return _FULL.get(name, name)
    if name == "NUMBER" and len(arguments) == 1:
        arguments.append("0")
    name = "VARCHAR" if name in ("CHAR", "CHARACTER") else name
    return f"{name}({(', ' if name == 'VECTOR' else ',').join(arguments)})"


@cache
def shown(written: str, nullable: bool) -> str:
    """The `data_type` of SHOW COLUMNS."""
    name, arguments = parts(written)
    told: dict[str, Any]
    if name == "NUMBER":
        told = {"type": "FIXED", "precision": int(arguments[0]), "scale": int(arguments[1]), "nullable": nullable}
    elif name == "VARCHAR":
        length = int(arguments[0])
        # Four bytes are the most that a character takes.
        longest = min(length * 4, _MOST_TEXT)
        told = {"type": "TEXT", "length": length, "byteLength": longest, "nullable": nullable, "fixed": False}
    elif name == "BINARY":
        length = int(arguments[0])
        told = {"type": "BINARY", "length": length, "byteLength": length, "nullable": nullable, "fixed": True}
    elif name in _SCALED:
        told = {"type": name, "precision": 0, "scale": int(arguments[0]), "nullable": nullable}
    elif name == "FLOAT":
        told = {"type": "REAL", "nullable": nullable}
    elif name == "VECTOR":
        element = "REAL" if arguments[0] == "FLOAT" else "FIXED"
        told = {
            "type": "VECTOR",
            "nullable": nullable,
            "dimension": int(arguments[1]),
            "vectorElementType": {"type": element, "nullable": False},
        }
    else:
        told = {"type": name, "nullable": nullable}
    return json.dumps(told, separators=(",", ":"))


@cache
def described(written: str) -> dict[str, Any]:
    """The type's members in INFORMATION_SCHEMA.COLUMNS and ACCOUNT_USAGE.COLUMNS.

    https://docs.snowflake.com/en/sql-reference/info-schema/columns ; text is called TEXT there.
    """
    name, arguments = parts(written)
    told: dict[str, Any] = {"DATA_TYPE": "TEXT" if name == "VARCHAR" else name}
    if name == "NUMBER":
        told |= {
            "NUMERIC_PRECISION": int(arguments[0]),
            "NUMERIC_PRECISION_RADIX": 10,
            "NUMERIC_SCALE": int(arguments[1]),
        }
    elif name == "VARCHAR":
        told |= {
            "CHARACTER_MAXIMUM_LENGTH": int(arguments[0]),
            "CHARACTER_OCTET_LENGTH": min(int(arguments[0]) * 4, _MOST_TEXT),
        }
    elif name == "BINARY":
        told |= {"CHARACTER_MAXIMUM_LENGTH": int(arguments[0]), "CHARACTER_OCTET_LENGTH": int(arguments[0])}
    elif name in _SCALED:
        told["DATETIME_PRECISION"] = int(arguments[0])
    return told
