"""Families of column types: what kind of values a type holds, and which types' values can be joined on."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

TypeFamily = Literal[
    "boolean", "number", "text", "date", "instant", "local_time", "json", "list", "binary", "network", "other"
]
KeyFamily = Literal["number", "text", "uuid"]

# A type belongs to the family of the first of these names that it starts with. The key family applies to the exact
# name, with or without a length: it is the family of types used for keys.
_TYPES: tuple[tuple[str, TypeFamily, KeyFamily | None], ...] = (
    ("bool", "boolean", None),
    ("timestamp with time zone", "instant", None),
    ("timestamptz", "instant", None),
    ("timestamp_tz", "instant", None),
    ("timestamp_ltz", "instant", None),
    ("timestamp", "local_time", None),
    ("datetime", "local_time", None),
    ("date", "date", None),
    ("json", "json", None),
    ("variant", "json", None),
    ("object", "json", None),
    ("interval", "other", None),
    ("bytea", "binary", None),
    ("binary", "binary", None),
    ("inet", "network", None),
    ("cidr", "network", None),
    ("smallint", "number", "number"),
    ("integer", "number", "number"),
    ("bigint", "number", "number"),
    ("int", "number", "number"),
    ("numeric", "number", "number"),
    ("decimal", "number", "number"),
    ("number", "number", "number"),
    ("real", "number", None),
    ("double", "number", None),
    ("float", "number", None),
    ("money", "number", None),
    ("character varying", "text", "text"),
    ("character", "text", "text"),
    ("char", "text", "text"),
    ("varchar", "text", "text"),
    ("text", "text", "text"),
    ("string", "text", "text"),
    ("bpchar", "text", "text"),
    ("citext", "text", "text"),
    ("name", "text", None),
    ("tinyint", "other", "number"),
    ("nvarchar", "other", "text"),
    ("uuid", "other", "uuid"),
)
_SHORT_TYPES = {
    "character varying": "varchar",
    "timestamp without time zone": "timestamp",
    "timestamp with time zone": "timestamptz",
    "time without time zone": "time",
    "time with time zone": "timetz",
    "double precision": "float8",
}
_WHOLE = ("smallint", "integer", "bigint")
# How Snowflake writes them; PostgreSQL's `numeric` without places after the decimal point is a decision too.
_NO_PLACES = re.compile(r"(?:number|numeric|decimal)\(\d+,\s*0\)")
_KEY_FAMILIES = {name: family for name, _, family in _TYPES if family is not None}


def type_family(type_name: str) -> TypeFamily:
    """What kind of values a type holds."""
    lower = _unqualified(type_name.lower().strip())
    if lower.endswith("]") or lower.startswith("array"):
        return "list"
    if lower.startswith("timestamp") and "with time zone" in lower:
        return "instant"
    return next((family for prefix, family, _ in _TYPES if lower.startswith(prefix)), "other")


def short_type(type_name: str) -> str:
    """The shortest name of a type that means the same: `varchar(8)` for `character varying(8)`."""
    for long, short in _SHORT_TYPES.items():
        type_name = type_name.replace(long, short)
    return type_name


def is_whole(type_name: str) -> bool:
    """Whether a type holds numbers without places after the decimal point."""
    lower = type_name.lower()
    return lower.startswith(_WHOLE) or bool(_NO_PLACES.fullmatch(lower))


@lru_cache(maxsize=4_096)
def key_family(type_name: str) -> KeyFamily | None:
    """Types of one key family can be compared with each other; a type of none joins nothing."""
    lower = _unqualified(type_name.lower())
    return _KEY_FAMILIES.get(lower.partition("(")[0] if lower.endswith(")") else lower)


def _unqualified(lower: str) -> str:
    # Its extension may be installed in any schema, which PostgreSQL names too.
    return "citext" if lower.endswith(".citext") else lower
