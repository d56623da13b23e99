"""Builds the statements that compare values inside the server, so that only counts leave it."""

from __future__ import annotations

from collections.abc import Sequence

from tribal.adapters.postgres import row_queries
from tribal.adapters.postgres.connections.connection import Row
from tribal.adapters.postgres.sampling import LARGE_TABLE_ROWS, percent_of_blocks
from tribal.identity.table_names import TableIdentity
from tribal.key_inference import KeyPair, Overlap
from tribal.sql.dialect import qualified_table, quote_identifier
from tribal_contracts import CatalogTable

ROWS = 2_000
"""The most rows of a table whose values are looked for. By judgement: it bounds a comparison by an indexed key to some
10 ms."""


def overlap_statement(table: CatalogTable, row_count: int, pairs: Sequence[KeyPair]) -> str:
    """One statement that compares the values of a table's columns with those of other tables.

    Of a large table it takes rows from some of its blocks, else the first ones: rows that follow each other in a key
    would hold neighbouring values alone.
    """
    columns = list(dict.fromkeys(name for pair in pairs for name in pair.from_columns))
    aliases = {name: f"c{number}" for number, name in enumerate(columns)}
    large = row_count >= LARGE_TABLE_ROWS
    return row_queries.OVERLAPS.format(
        columns=", ".join(f"{_column('t', name)} AS {alias}" for name, alias in aliases.items()),
        table=qualified_table("", table.schema_name, table.table_name, "postgres"),
        blocks=row_queries.BLOCKS.format(percent=percent_of_blocks(row_count, ROWS)) if large else "",
        rows=ROWS,
        comparisons="\nUNION ALL\n".join(
            _comparison(place, pair, [aliases[name] for name in pair.from_columns]) for place, pair in enumerate(pairs)
        ),
    )


def read_overlaps(pairs: Sequence[KeyPair], rows: Sequence[Row]) -> dict[KeyPair, Overlap]:
    """What the statement answered.

    Raises:
        TypeError, ValueError, LookupError: when the rows are not those of the statement.
    """
    answers = {pairs[int(place)]: (int(compared), int(found), most) for place, compared, found, most in rows}
    return {
        pair: Overlap(compared, found, unique=None if most is None else int(most) == 1)
        for pair, (compared, found, most) in answers.items()
    }


def _comparison(place: int, pair: KeyPair, aliases: Sequence[str]) -> str:
    parent = TableIdentity.parse(pair.to_table)
    return row_queries.OVERLAP.format(
        place=place,
        columns=", ".join(aliases),
        known=" AND ".join(f"{alias} IS NOT NULL" for alias in aliases),
        parent=qualified_table("", parent.schema, parent.table, "postgres"),
        equal=" AND ".join(
            f"v.{alias} = {_column('p', name)}" for alias, name in zip(aliases, pair.to_columns, strict=True)
        ),
    )


def _column(alias: str, name: str) -> str:
    return f"{alias}.{quote_identifier(name, 'postgres')}"
