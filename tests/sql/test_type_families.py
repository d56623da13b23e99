"""Families of types: what their values are, and which of them can be joined on."""

from __future__ import annotations

from tests.cases import each_case
from tribal.sql.type_families import KeyFamily, is_whole, key_family, type_family


@each_case(
    ("name", "family"),
    [
        ("integer", "number"),
        ("INT", "number"),
        ("NUMBER(38,0)", "number"),
        ("numeric(10,2)", "number"),
        ("double precision", None),
        ("character varying(30)", "text"),
        ("VARCHAR(16777216)", "text"),
        ("text", "text"),
        ("text[]", None),
        ("citext", "text"),
        ("public.citext", "text"),
        ("uuid", "uuid"),
        ("interval", None),
        ("public.uuid", None),
        ("", None),
    ],
)
def test_keys_are_kept_in_numbers_texts_and_uuids(name: str, family: KeyFamily | None) -> None:
    assert key_family(name) == family


def test_types_fall_into_families() -> None:
    expected = {
        "timestamp with time zone": "instant",
        "timestamp(3) with time zone": "instant",
        "timestamp without time zone": "local_time",
        "character varying(3)": "text",
        "integer": "number",
        "interval": "other",
        "integer[]": "list",
        "public.mood": "other",
        "NUMBER(38,0)": "number",
        "TIMESTAMP_NTZ(9)": "local_time",
    }
    assert {name: type_family(name) for name in expected} == expected


@each_case(
    ("type_name", "expected"),
    [
        ("integer", True),
        ("NUMBER(38,0)", True),
        ("numeric(10, 0)", True),
        ("NUMBER(10,2)", False),
        ("numeric", False),
        ("FLOAT", False),
        ("VARCHAR(16777216)", False),
    ],
)
def test_types_without_places_after_the_decimal_point_are_whole(type_name: str, expected: bool) -> None:
    assert is_whole(type_name) is expected
