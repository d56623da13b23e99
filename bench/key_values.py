"""Compares the values of columns in a database, for rating keys inferred with rows."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from pg8000.native import Connection, identifier

from tribal.identity.table_names import TableIdentity
from tribal.key_inference import KeyPair, Overlap

_MOST_VALUES = 1_000


def overlaps_of(connection: Connection, pairs: Iterable[KeyPair]) -> dict[KeyPair, Overlap]:
    """How many of some distinct values of each pair are found, and whether what is referenced is unique."""
    return {pair: _overlap(connection, pair) for pair in pairs}


def joined_columns(file: Path) -> set[frozenset[str]]:
    """The pairs of columns, as `schema.table.column`, that the SQL of people's questions joins."""
    if not file.exists():
        return set()
    records = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    pairs = (pair for record in records for pair in record["joins"])
    return {frozenset(name.lower().partition(".")[2] for name in pair) for pair in pairs}


def _overlap(connection: Connection, pair: KeyPair) -> Overlap:
    own, others = _listed(pair.from_columns), _listed(pair.to_columns)
    values = f"SELECT DISTINCT {own} FROM {_table(pair.from_table)} WHERE ({own}) IS NOT NULL LIMIT {_MOST_VALUES}"
    known = f"SELECT {others} FROM {_table(pair.to_table)}"
    ((compared, found),) = connection.run(
        f"SELECT count(*), count(*) FILTER (WHERE ({own}) IN ({known})) FROM ({values}) AS looked_for"
    )
    ((rows, distinct),) = connection.run(f"SELECT count(*), count(DISTINCT ({others})) FROM {_table(pair.to_table)}")
    return Overlap(compared, found, unique=rows == distinct)


def _listed(columns: Iterable[str]) -> str:
    return ", ".join(map(identifier, columns))


def _table(name: str) -> str:
    identity = TableIdentity.parse(name)
    return f"{identifier(identity.schema)}.{identifier(identity.table)}"
