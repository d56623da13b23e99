"""Pools: unrelated databases merged into one schema, with the source database as the expected domain of each table.

They are no schemas as people make them: they show what grouping does where tables have the least to do with each other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

POOL = 10
"""Databases per pool; sets of more than twice as many are also cut into pools of this size."""
_NAME = re.compile(r'"([^"]+)"\."([^"]+)"')


@dataclass(frozen=True, slots=True)
class Pool:
    """Databases merged into one schema."""

    name: str
    sql: str
    gold: Mapping[str, str]
    """The source database of each `schema.table` of the pool."""


def pools(data: Path) -> Iterator[Pool]:
    """A pool for each set with a `schema_pg.sql`, and smaller ones for large sets."""
    for file in sorted(data.glob("*/schema_pg.sql")):
        name, sql = file.parent.name, file.read_text(encoding="utf-8")
        databases = sorted({schema for schema, _ in _tables(sql)})
        if len(databases) <= 2 * POOL:
            yield pour(name, sql, databases)
            continue
        yield pour(name, sql, databases)
        for half, mine in (("even", databases[::2]), ("odd", databases[1::2])):
            parts = len(mine) // POOL
            for part in range(parts):
                yield pour(f"{name} {half} {part + 1}", sql, mine[part::parts])


def pour(name: str, sql: str, databases: list[str]) -> Pool:
    """Rewrite a script so that the tables of some of its schemas are in one; repeated names get a number."""
    place: dict[tuple[str, str], str] = {}
    for schema, table in _tables(sql):
        number, free = 1, table
        while free in place.values():
            number, free = number + 1, f"{table}_{number + 1}"
        if schema in databases:
            place[schema, table] = free
    kept = []
    for statement in sql.split(";\n"):
        named = _NAME.findall(statement)
        if named and all(pair in place for pair in named):
            kept.append(_NAME.sub(lambda match: f'pool."{place[match.group(1), match.group(2)]}"', statement))
    gold = {f"pool.{table}": schema for (schema, _), table in place.items()}
    return Pool(name, ";\n".join(["CREATE SCHEMA pool", *kept, ""]), gold)


def _tables(sql: str) -> list[tuple[str, str]]:
    return re.findall(r'^CREATE TABLE "([^"]+)"\."([^"]+)"', sql, re.MULTILINE)
