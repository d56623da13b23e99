"""Which statement takes a sample."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_case
from tribal.adapters.postgres.access import select_grant, usage_grant
from tribal.adapters.postgres.sampling import sample_statement
from tribal_contracts import CatalogColumn, CatalogKey, CatalogTable


def _table(*columns: tuple[str, str], key: list[str] | None = None) -> CatalogTable:
    return CatalogTable(
        schema_name="s",
        table_name="t",
        kind="table",
        columns=[CatalogColumn(name=name, type=kind, nullable=True, default_value=None) for name, kind in columns],
        primary_key=CatalogKey(name="k", columns=key) if key else None,
        unique_keys=[],
        foreign_keys=[],
        indexes=[],
        checks=[],
        selectable=True,
    )


def _statement(table: CatalogTable, rows: int = 5, estimate: float | None = None) -> str:
    return sample_statement(table, table.columns, rows, estimate, {column.name for column in table.columns})


def test_a_table_with_a_key_is_sampled_in_its_order_however_large_it_is() -> None:
    table = _table(("a", "integer"), ("Order", "integer"), key=["Order", "a"])
    expected = 'SELECT t.a::text, t."Order"::text FROM s.t AS t ORDER BY t."Order", t.a LIMIT 5'
    assert _statement(table) == _statement(table, estimate=1e9) == expected


def test_a_table_whose_key_may_not_be_read_is_sampled_without_order() -> None:
    table = _table(("a", "integer"), ("b", "integer"), key=["a"])
    statement = sample_statement(table, table.columns[1:], 5, None, {"b"})
    assert statement == "SELECT t.b::text FROM s.t AS t LIMIT 5"


@each_case("estimate", [None, -1.0, 0.0, 99_999.0])
def test_a_small_table_or_one_of_unknown_size_gives_its_first_rows(estimate: float | None) -> None:
    assert _statement(_table(("a", "integer")), estimate=estimate) == "SELECT t.a::text FROM s.t AS t LIMIT 5"


@given(estimate=st.floats(1e5, 1e12), rows=st.integers(1, 1000))
def test_the_share_of_blocks_holds_enough_rows_and_never_more_than_a_tenth(estimate: float, rows: int) -> None:
    statement = _statement(_table(("a", "integer")), rows, estimate)
    percent = float(statement.partition("SYSTEM (")[2].partition(")")[0])
    assert 0.001 <= percent <= 10
    assert estimate * percent / 100 >= min(10 * rows, estimate / 10)


@each_case(
    ("kind", "value"),
    [
        ("bytea", "NULL::text"),
        ("public.geometry(Point,4326)", "NULL::text"),
        ("bytea[]", "NULL::text"),
        ("numeric(10,2)", "t.a::text"),
        ("timestamp with time zone", "t.a::text"),
        ("character varying(20)", "left(t.a::text, 200)"),
        ("jsonb", "CASE WHEN pg_column_size(t.a) <= 65536 THEN left(t.a::text, 200) END"),
        ("text[]", "CASE WHEN pg_column_size(t.a) <= 65536 THEN left(t.a::text, 200) END"),
        ('sales."a ) FROM x; --"', "CASE WHEN pg_column_size(t.a) <= 65536 THEN left(t.a::text, 200) END"),
    ],
)
def test_values_are_bounded_by_their_type(kind: str, value: str) -> None:
    assert _statement(_table(("a", kind))) == f"SELECT {value} FROM s.t AS t LIMIT 5"


def test_grants_quote_what_needs_quotes() -> None:
    assert usage_grant("Two Words", "user") == 'GRANT USAGE ON SCHEMA "Two Words" TO "user";'
    assert select_grant("s", 'a";--', "ann") == 'GRANT SELECT ON TABLE s."a"";--" TO ann;'
