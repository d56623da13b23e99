"""Outlines of many tables by a seeded random generator, none of which declares a foreign key."""

from __future__ import annotations

from random import Random

from tribal.joins.outline import OutlinedColumn, TableOutline
from tribal_contracts import DocumentedKey

_SEED = 14
_COLUMNS = 40
_KEYS = 8
_NOUNS = """
    account agent carrier city claim coach country course customer depot doctor driver exam grade invoice league
    ledger list match order patient payment player policy price product region room route season shipment state stock
    student team trip vehicle vendor visit zone
""".split()
_QUALITIES = (("amount", "numeric"), ("name", "text"), ("code", "text"), ("day", "date"), ("no", "integer"))


def generated_outlines(count: int) -> list[TableOutline]:
    """Tables of 40 columns each, eight of which name other tables; every second primary key is called `id`."""
    randomly = Random(_SEED)
    names = [_name(number) for number in range(count)]
    return [_table(name, names, randomly) for name in names]


def _name(number: int) -> str:
    some = len(_NOUNS)
    return f"{_NOUNS[number % some]}_{_NOUNS[number // some % some]}_{number // some**2}"


def _table(name: str, names: list[str], randomly: Random) -> TableOutline:
    key = randomly.choice(("id", f"{name}_id"))
    types = {key: "bigint"} | {f"{randomly.choice(names)}_id": "bigint" for _ in range(_KEYS)}
    while len(types) < _COLUMNS:
        quality, of = randomly.choice(_QUALITIES)
        types[f"{randomly.choice(_NOUNS)}_{randomly.choice(_NOUNS)}_{quality}"] = of
    return TableOutline(
        name=f"db.public.{name}",
        schema_="public",
        table=name,
        kind="table",
        columns=[
            OutlinedColumn(name=column, type=of, nullable=column != key, is_foreign_key=False)
            for column, of in types.items()
        ],
        primary_key=DocumentedKey(name=f"{name}_pkey", columns=[key]),
        unique_keys=[],
        foreign_keys=[],
        indexes=[],
    )
