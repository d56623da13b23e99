"""A reading of Snowflake is whole, or says what is missing, wherever Snowflake's limits lie."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.adapters.snowflake.readers import (
    DATABASE,
    equal_or_reported,
    new_account,
    reading,
    see_all,
    seeded_tables,
    structure,
)
from tests.cases import verify_all_but
from tests.fakes.snowflake import Column, FakeSnowflake, ForeignKey, Key, show_keys, showing, shows
from tests.fakes.snowflake.catalog import Schema
from tests.fakes.snowflake.connecting import ROLE, WAREHOUSE
from tests.fakes.snowflake.results import Field, Result, Row
from tests.plugins.verify import examples
from tribal.ports import CatalogContents
from tribal_contracts import DatabaseLimits

_LIMIT = 40


def _tables(schema: Schema, count: int, *, columns: int = 1, keys: int = 0) -> None:
    for number in range(count):
        names = [f"C{place}" for place in range(columns)]
        schema.table(
            f"T{number:04}",
            [Column(name, nullable=False) for name in names],
            primary_key=Key(tuple(names[:keys]), f"PK{number}") if keys else None,
        )


def _read(
    fake: FakeSnowflake, *, show_rows: int = _LIMIT, warehouse: bool = False, split_queries: int = 2000
) -> CatalogContents:
    fake.limits.show_rows = show_rows
    see_all(fake)
    limits = DatabaseLimits(split_queries=split_queries)
    with reading(fake, limits=limits, warehouse=WAREHOUSE if warehouse else None) as reader:
        return reader.read()


def _sent(fake: FakeSnowflake, start: str) -> int:
    return sum(each.sql.startswith(start) for each in fake.statements)


@verify_all_but(3, "count", [_LIMIT, _LIMIT + 1, 2 * _LIMIT, _LIMIT - 1, 2 * _LIMIT - 1, 2 * _LIMIT + 1, 200])
def test_tables_and_views_are_whole_at_every_distance_from_the_limit(snowflake: FakeSnowflake, count: int) -> None:
    one = new_account(snowflake)("ONE")
    _tables(one, count)
    for number in range(count):
        one.view(f"V{number:04}", "create view V as select 1 as X", ["X NUMBER"])
    contents = _read(snowflake)
    assert structure(contents) == seeded_tables(snowflake)
    assert contents.unread == ()


def test_a_page_that_ends_on_a_case_twin_is_followed_by_all_others(snowflake: FakeSnowflake) -> None:
    one = new_account(snowflake)("ONE")
    for number in range(3 * _LIMIT):
        for name in (f"T{number:03}", f"t{number:03}", f"T{number:03}_X"):
            one.table(name, ["X NUMBER"])
    contents = _read(snowflake)
    assert structure(contents) == seeded_tables(snowflake)


@pytest.mark.parametrize("columns", [_LIMIT - 1, _LIMIT, _LIMIT + 1])
@pytest.mark.parametrize("warehouse", [True, False])
def test_columns_of_a_schema_are_whole_at_the_limit(snowflake: FakeSnowflake, columns: int, warehouse: bool) -> None:
    schema = new_account(snowflake)
    _tables(schema("ONE"), 1, columns=columns - 20)
    schema("ONE").table("LAST", [f"C{n} NUMBER" for n in range(20)])
    _tables(schema("TWO"), 3, columns=3)
    contents = _read(snowflake, warehouse=warehouse)
    assert structure(contents) == seeded_tables(snowflake)
    asked = bool(snowflake.warehouse_statements)
    assert asked == (warehouse and columns >= _LIMIT)


@pytest.mark.parametrize("keys", [_LIMIT - 1, _LIMIT, _LIMIT + 1])
def test_key_columns_of_a_schema_are_whole_at_the_limit(snowflake: FakeSnowflake, keys: int) -> None:
    schema = new_account(snowflake)
    _tables(schema("ONE"), 2, columns=10, keys=10)
    one = schema("ONE")
    one.table("LAST", [f"C{n} NUMBER" for n in range(10)], primary_key=Key(tuple(f"C{n}" for n in range(10)), "PK"))
    one.table(
        "REST", [f"C{n} NUMBER" for n in range(20)], primary_key=Key(tuple(f"C{n}" for n in range(keys - 30)), "K")
    )
    one.table(
        "CHILD",
        [f"C{n} NUMBER" for n in range(keys)],
        unique_keys=[Key(tuple(f"C{n}" for n in range(keys)), "U")],
        foreign_keys=[ForeignKey((f"C{n}",), (DATABASE, "ONE", "LAST"), ("C0",), f"F{n:03}") for n in range(keys)],
    )
    _tables(schema("TWO"), 2, columns=3, keys=2)
    contents = _read(snowflake, show_rows=_LIMIT)
    assert equal_or_reported(snowflake, contents)
    missing = {table for _, table in contents.unread_tables}
    # One table with more keys than an answer holds cannot be split any further.
    assert missing == ({"CHILD"} if keys >= _LIMIT else set())


def test_what_information_schema_refuses_is_asked_by_halves(snowflake: FakeSnowflake) -> None:
    one = new_account(snowflake)("ONE")
    _tables(one, 16, columns=10)
    snowflake.limits.information_schema_rows = 45
    contents = _read(snowflake, warehouse=True)
    assert structure(contents) == seeded_tables(snowflake)
    # The whole, 2 halves and 4 quarters.
    assert len(snowflake.warehouse_statements) == 7


def test_a_table_that_information_schema_does_not_tell_whole_is_asked_alone(snowflake: FakeSnowflake) -> None:
    one = new_account(snowflake)("ONE")
    _tables(one, 8, columns=10)
    one.table(
        "FILES", [Column("VALUE", "VARIANT"), Column("X", "DATE", expression="(VALUE:c1::date)")], kind="external"
    )
    one.table("EMBEDDED", ["V VECTOR(FLOAT, 16)"])
    contents = _read(snowflake, warehouse=True)
    assert structure(contents) == seeded_tables(snowflake)
    assert _sent(snowflake, "SHOW COLUMNS IN TABLE") == 2


def test_without_a_warehouse_single_tables_are_asked_about_and_counted(snowflake: FakeSnowflake) -> None:
    _tables(new_account(snowflake)("ONE"), 20, columns=10)
    assert structure(_read(snowflake)) == seeded_tables(snowflake)
    assert _sent(snowflake, "SHOW COLUMNS IN TABLE") == 20
    assert snowflake.warehouse_statements == []


@pytest.mark.parametrize(("allowed", "missing"), [(19, 1), (20, 0), (21, 0), (0, 20)])
def test_no_more_single_tables_than_allowed_are_asked_about_and_the_others_are_named(
    snowflake: FakeSnowflake, allowed: int, missing: int
) -> None:
    _tables(new_account(snowflake)("ONE"), 20, columns=10)
    contents = _read(snowflake, split_queries=allowed)
    assert _sent(snowflake, "SHOW COLUMNS IN TABLE") == min(allowed, 20)
    assert equal_or_reported(snowflake, contents)
    assert len(contents.unread_tables) == missing
    if missing:
        (part,) = contents.unread
        assert part.what == f"the columns of {missing} tables of the schema 'ONE'"
        assert "limits.split_queries" in part.reason


def test_a_key_that_lacks_a_column_leaves_its_table_out_and_is_named(
    snowflake: FakeSnowflake, monkeypatch: pytest.MonkeyPatch
) -> None:
    _tables(new_account(snowflake)("ONE"), 2, columns=3, keys=3)
    whole = showing.bounded

    def cut(fields: Sequence[Field], rows: list[Row], *more: Any, **named: Any) -> Result:
        of_primary_keys = rows and "PK0" in rows[0]
        return whole(fields, rows[:1] + rows[2:] if of_primary_keys else rows, *more, **named)

    monkeypatch.setattr(show_keys, "bounded", cut)
    contents = _read(snowflake, show_rows=10_000)
    assert contents.unread_tables == {("ONE", "T0000")}
    assert [part.what for part in contents.unread] == ["the key 'PK0' of 'ONE.T0000'"]


def test_a_table_whose_key_is_over_columns_that_it_has_not_is_left_out_and_named(snowflake: FakeSnowflake) -> None:
    one = new_account(snowflake)("ONE")
    _tables(one, 2)
    one.relations["T0001"].unique_keys = [Key(("DROPPED_MEANWHILE",), "U")]
    contents = _read(snowflake)
    assert [table.table_name for table in contents.tables] == ["T0000"]
    assert contents.unread_tables == {("ONE", "T0001")}
    assert [part.what for part in contents.unread] == ["the table 'ONE.T0001'"]


def test_a_server_that_cuts_off_where_it_should_refuse_is_not_believed(
    snowflake: FakeSnowflake, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = new_account(snowflake)("ONE")
    _tables(one, 2 * _LIMIT, columns=2)
    whole = showing.bounded

    def cut(fields: Sequence[Field], rows: list[Row], most: int, *more: Any, **named: Any) -> Result:
        return whole(fields, rows if any(more) else rows[:most], most, *more, **named)

    for module in (shows, show_keys):
        monkeypatch.setattr(module, "bounded", cut)
    assert structure(_read(snowflake)) == seeded_tables(snowflake)


def test_pages_that_do_not_join_are_reported(snowflake: FakeSnowflake, monkeypatch: pytest.MonkeyPatch) -> None:
    one = new_account(snowflake)("ONE")
    _tables(one, 3 * _LIMIT)
    after = showing._after
    monkeypatch.setattr(showing, "_after", lambda rows, text, name: after(rows, text, name)[15:])
    contents = _read(snowflake)
    assert [part.what for part in contents.unread] == ["the tables of the schema 'ONE'"]
    with reading(snowflake) as reader:
        # What such a listing lacks is not gone, regardless of the schema's owner.
        snowflake.account.database(DATABASE).schemas["ONE"].owner = ROLE
        assert set(reader.presence([("ONE", "T0000"), ("ONE", f"T{2 * _LIMIT:04}")]).values()) == {"unreadable"}


def test_a_large_database_takes_at_most_15_queries_and_one_for_each_part_that_has_to_be_asked_for(
    snowflake: FakeSnowflake,
) -> None:
    """A tenth of 5,000 tables with 75,000 columns in 40 schemas, one of them with 1,200 tables."""
    schema = new_account(snowflake)
    for number in range(40):
        _tables(schema(f"S{number:02}"), 120 if number == 0 else 10, columns=15, keys=1)
    contents = _read(snowflake, show_rows=1000, warehouse=True)
    assert structure(contents) == seeded_tables(snowflake)
    splits = _sent(snowflake, "SHOW COLUMNS IN SCHEMA") + len(snowflake.warehouse_statements)
    assert splits == 41
    assert len(snowflake.statements) <= 15 + splits


_names = st.text(st.sampled_from("abAB_0 .\"'\\é\n"), min_size=1, max_size=4)
_columns = st.lists(
    st.sampled_from(["NUMBER(38,0)", "VARCHAR(20)", "VECTOR(FLOAT, 3)", "DATE"]), min_size=1, max_size=6
)
_relations = st.dictionaries(
    _names,
    st.tuples(_columns, st.sampled_from(["table", "view", "external", "hybrid"]), st.integers(0, 6)),
    max_size=12,
)
_catalogs = st.dictionaries(_names, _relations, max_size=4)


@settings(max_examples=examples(10, 30), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    catalog=_catalogs,
    show_rows=st.integers(1, 60),
    described=st.integers(1, 40),
    split_queries=st.integers(0, 30),
    warehouse=st.booleans(),
)
def test_of_any_catalog_under_any_limits_all_is_equal_or_reported(
    catalog: dict[str, dict[str, tuple[list[str], str, int]]],
    show_rows: int,
    described: int,
    split_queries: int,
    warehouse: bool,
) -> None:
    fake = FakeSnowflake()
    try:
        schema = new_account(fake)
        for name, relations in catalog.items():
            made = schema(name)
            for table, (types, kind, keys) in relations.items():
                columns = [Column(f"C{place}", each, nullable=False) for place, each in enumerate(types)]
                key = Key(tuple(f"C{place}" for place in range(min(keys, len(columns)))), "K")
                made.table(table, columns, kind=kind, primary_key=key if keys and kind != "view" else None)
        fake.limits.information_schema_rows = described
        # The list of schemas cannot be split: INFORMATION_SCHEMA is in it too.
        contents = _read(
            fake, show_rows=max(show_rows, len(catalog) + 2), warehouse=warehouse, split_queries=split_queries
        )
        assert equal_or_reported(fake, contents)
        singly = sum("IN TABLE" in each.sql or "IN VIEW" in each.sql for each in fake.statements)
        assert singly <= split_queries
        assert fake.broken == []
    finally:
        fake.stop()
