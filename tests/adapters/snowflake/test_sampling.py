"""Samples of Snowflake's tables: few, short, repeatable, and only where they were asked for."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from tests.adapters.snowflake.readers import DATABASE, new_account, reading, see_all
from tests.cases import each_case
from tests.fakes.snowflake import Column, FakeSnowflake, Key
from tests.fakes.snowflake.catalog import Relation
from tests.fakes.snowflake.connecting import ROLE, WAREHOUSE
from tribal.adapters.snowflake.sampler import LARGE_TABLE_BYTES, MAX_COLUMNS, percent_of_partitions
from tribal.errors import AccessDenied, StatementTimedOut, TableGone
from tribal.ports import CatalogReader
from tribal_contracts import CatalogTable, DatabaseLimits


def _seed(fake: FakeSnowflake, **more: Any) -> Relation:
    more = {"rows": [(n, f"note {n}") for n in range(50)], "primary_key": Key(("N",), "PK"), **more}
    relation = new_account(fake)("SALES").table("ONE", ["N NUMBER", "NOTE VARCHAR"], **more)
    see_all(fake, privilege="SELECT")
    return relation


def _sampling(fake: FakeSnowflake, **more: Any) -> Any:
    fake.account.role(ROLE).database_roles.add(("SNOWFLAKE", "GOVERNANCE_VIEWER"))
    return reading(fake, **{"may_sample": True, "warehouse": WAREHOUSE, **more})


def _only(reader: CatalogReader) -> CatalogTable:
    (table,) = reader.read().tables
    return table


def _samples_sent(fake: FakeSnowflake) -> list[str]:
    return [each.sql for each in fake.statements if "LIMIT" in each.sql and each.sql.startswith("SELECT")]


@pytest.mark.parametrize("more", [{"may_sample": False}, {"warehouse": None}])
def test_nothing_is_sampled_before_it_is_asked_for_with_a_warehouse(
    snowflake: FakeSnowflake, more: dict[str, Any]
) -> None:
    _seed(snowflake)
    with _sampling(snowflake, **more) as reader:
        assert reader.sample(_only(reader), 5).rows == ()
    assert snowflake.warehouse_statements == []


@pytest.mark.parametrize("kind", ["view", "materialized", "external", "dynamic"])
def test_views_and_tables_that_compute_or_read_files_are_never_sampled(snowflake: FakeSnowflake, kind: str) -> None:
    _seed(snowflake, kind=kind, primary_key=None)
    with _sampling(snowflake) as reader:
        assert reader.sample(_only(reader), 5).rows == ()
    assert _samples_sent(snowflake) == []


@pytest.mark.parametrize("kind", ["table", "transient", "iceberg", "hybrid"])
def test_rows_of_a_table_come_in_order_of_its_key(snowflake: FakeSnowflake, kind: str) -> None:
    _seed(snowflake, kind=kind)
    with _sampling(snowflake) as reader:
        sample = reader.sample(_only(reader), 3)
    assert (sample.columns, sample.rows) == (("N", "NOTE"), (("0", "note 0"), ("1", "note 1"), ("2", "note 2")))
    assert _samples_sent(snowflake) == [
        f'SELECT TO_VARCHAR("N"), LEFT("NOTE", 200) FROM "{DATABASE}"."SALES"."ONE" ORDER BY "N" LIMIT 3'
    ]


def test_rows_of_a_table_without_a_key_come_in_order_of_their_values(snowflake: FakeSnowflake) -> None:
    relation = _seed(snowflake, primary_key=None)
    with _sampling(snowflake) as reader:
        table = _only(reader)
        first = reader.sample(table, 3)
        relation.rows.reverse()
        assert reader.sample(table, 3) == first
    assert _samples_sent(snowflake)[0].endswith("ORDER BY 1, 2 LIMIT 3")


@pytest.mark.parametrize(
    ("size", "sampled"), [(LARGE_TABLE_BYTES - 1, 0), (LARGE_TABLE_BYTES, 0), (LARGE_TABLE_BYTES + 1, 1)]
)
def test_of_a_large_table_some_partitions_are_read_always_the_same(
    snowflake: FakeSnowflake, size: int, sampled: int
) -> None:
    _seed(snowflake, bytes=size)
    with _sampling(snowflake) as reader:
        table = _only(reader)
        assert reader.sample(table, 5) == reader.sample(table, 5)
    assert sum("SAMPLE SYSTEM (10) SEED (0)" in sql for sql in _samples_sent(snowflake)) == 2 * sampled


@each_case(("terabytes", "percent"), [(0.001, "10"), (0.1, "1"), (1, "0.1"), (100, "0.001")])
def test_the_share_of_partitions_falls_by_powers_of_ten(terabytes: float, percent: str) -> None:
    assert percent_of_partitions(int(terabytes * 1e12)) == percent


def test_types_without_a_short_text_are_none_and_others_are_text(snowflake: FakeSnowflake) -> None:
    schema = new_account(snowflake)("SALES")
    schema.table(
        "ONE",
        [Column("V", "VARIANT"), Column("B", "BINARY"), Column("T", "VARCHAR"), Column("X", "BOOLEAN")],
        rows=[({"a": 1}, b"ab", "t" * 500, True)],
    )
    see_all(snowflake, privilege="SELECT")
    with _sampling(snowflake) as reader:
        ((nested, binary, text, boolean),) = reader.sample(_only(reader), 5).rows
    assert nested is not None
    assert "".join(nested.split()) == '{"a":1}'
    assert (binary, text, boolean) == (None, "t" * 200, "true")


def test_no_more_columns_than_the_limit_are_sampled(snowflake: FakeSnowflake) -> None:
    schema = new_account(snowflake)("SALES")
    schema.table("ONE", [f"C{n} NUMBER" for n in range(MAX_COLUMNS + 1)], rows=[tuple(range(MAX_COLUMNS + 1))])
    see_all(snowflake, privilege="SELECT")
    with _sampling(snowflake) as reader:
        sample = reader.sample(_only(reader), 5)
    assert len(sample.columns) == len(sample.rows[0]) == MAX_COLUMNS


def test_a_name_full_of_wildcards_is_the_one_that_is_sampled(snowflake: FakeSnowflake) -> None:
    schema = new_account(snowflake)("SALES")
    for name in ("A_B", "AXB", "a_b", "A%\\'B"):
        schema.table(name, ["N VARCHAR"], rows=[(name,)])
    see_all(snowflake, privilege="SELECT")
    with _sampling(snowflake) as reader:
        for table in reader.read().tables:
            assert reader.sample(table, 5).rows == ((table.table_name,),)


def test_a_table_that_is_no_longer_seen_is_gone_only_if_that_is_known(snowflake: FakeSnowflake) -> None:
    _seed(snowflake)
    with _sampling(snowflake) as reader:
        table = _only(reader)
        snowflake.administer(f"DROP TABLE {DATABASE}.SALES.ONE")
        with pytest.raises(AccessDenied, match="was dropped, or the role"):
            reader.sample(table, 5)
        snowflake.administer("GRANT DATABASE ROLE SNOWFLAKE.OBJECT_VIEWER TO ROLE TRIBAL_READER")
        with pytest.raises(TableGone, match="no longer exists"):
            reader.sample(table, 5)


def test_a_table_with_other_columns_by_now_has_to_be_planned_again(snowflake: FakeSnowflake) -> None:
    relation = _seed(snowflake)
    with _sampling(snowflake) as reader:
        table = _only(reader)
        relation.columns = [Column("OTHER")]
        relation.primary_key = None
        with pytest.raises(TableGone, match="no longer has the planned columns"):
            reader.sample(table, 5)


def test_a_warehouse_that_may_not_be_used_is_named(snowflake: FakeSnowflake) -> None:
    _seed(snowflake)
    with _sampling(snowflake) as reader:
        table = _only(reader)
    snowflake.account.revoke("TRIBAL_READER", "USAGE", "WAREHOUSE", WAREHOUSE)
    with _sampling(snowflake) as reader, pytest.raises(AccessDenied, match=WAREHOUSE):
        reader.sample(table, 5)


def test_only_the_first_sample_may_wait_until_the_warehouse_runs(snowflake: FakeSnowflake) -> None:
    _seed(snowflake)
    limits = DatabaseLimits(sample_timeout_seconds=0.5)
    with _sampling(snowflake, limits=limits) as reader:
        table = _only(reader)
        snowflake.delays["SELECT TO_VARCHAR"] = 1.5
        assert len(reader.sample(table, 5).rows) == 5
        with pytest.raises(StatementTimedOut, match=r"within 0\.5 s"):
            reader.sample(table, 5)


GRANT = f"GRANT DATABASE ROLE SNOWFLAKE.GOVERNANCE_VIEWER TO ROLE {ROLE};"


def _ungoverned(fake: FakeSnowflake, **more: Any) -> Any:
    return reading(fake, **{"may_sample": True, "warehouse": WAREHOUSE, **more})


def test_a_role_that_may_not_read_tags_takes_no_samples_and_says_which_grant_is_missing_once(
    snowflake: FakeSnowflake,
) -> None:
    relation = _seed(snowflake)
    relation.columns[1].tags["GOV.TAGS.PII"] = "yes"
    with _ungoverned(snowflake) as reader:
        contents = reader.read()
        assert [reader.sample(table, 5).rows for table in contents.tables] == [()]
        assert [part.reason for part in contents.unread if GRANT in part.reason] == [contents.unread[0].reason]
        assert sum(GRANT in warning for warning in reader.access().warnings) == 1
    assert _samples_sent(snowflake) == []


@pytest.mark.parametrize("more", [{"may_sample": False}, {"warehouse": None}])
def test_a_role_whose_database_is_not_sampled_is_shown_nothing_of_tags(
    snowflake: FakeSnowflake, more: dict[str, Any]
) -> None:
    _seed(snowflake)
    with _ungoverned(snowflake, **more) as reader:
        assert reader.read().unread == ()
        assert not any("GOVERNANCE_VIEWER" in warning for warning in reader.access().warnings)


def test_a_plan_made_without_the_grant_samples_no_tagged_column_once_it_is_granted(snowflake: FakeSnowflake) -> None:
    relation = _seed(snowflake)
    relation.columns[1].tags["GOV.TAGS.PII"] = "yes"
    with _ungoverned(snowflake) as reader:
        table = _only(reader)
    assert [column.sensitive for column in table.columns] == [None, None]
    with _sampling(snowflake) as reader:
        assert reader.sample(table, 2).columns == ("N",)


@pytest.mark.parametrize("place", ["column", "table", "schema", "database"])
def test_a_tag_applies_to_every_column_of_what_it_is_set_on(snowflake: FakeSnowflake, place: str) -> None:
    relation = _seed(snowflake)
    schema = snowflake.account.database(DATABASE).schema("SALES")
    tagged: Any = {
        "column": relation.columns[1],
        "table": relation,
        "schema": schema,
        "database": snowflake.account.database(DATABASE),
    }[place]
    tagged.tags["GOV.TAGS.PII"] = "yes"
    snowflake.account.database("OTHER", tags={"GOV.TAGS.OTHER": "x"}).schema("SALES", tags={"GOV.TAGS.OTHER": "x"})
    said = "tag PII" if place == "column" else f"tag PII of its {place}"
    with _sampling(snowflake) as reader:
        table = _only(reader)
        sampled = reader.sample(table, 2).columns
    assert [column.sensitive for column in table.columns] == [None if place == "column" else said, said]
    assert sampled == (("N",) if place == "column" else ())


def test_a_column_under_a_masking_policy_is_not_sampled(snowflake: FakeSnowflake) -> None:
    relation = _seed(snowflake)
    relation.columns[1].masking_policy = "GOV.POLICIES.HIDE"
    with _sampling(snowflake) as reader:
        table = _only(reader)
        assert table.columns[1].sensitive == "masking policy HIDE"
        assert reader.sample(table, 2).columns == ("N",)


@pytest.mark.parametrize(("hours", "rows"), [(0, 0), (2.9, 0), (3.1, 2)])
@pytest.mark.parametrize("change", ["created", "altered"])
def test_a_table_is_sampled_once_its_tags_are_certainly_listed(
    snowflake: FakeSnowflake, change: str, hours: float, rows: int
) -> None:
    relation = _seed(snowflake)
    setattr(relation, change, snowflake.account.now() - timedelta(hours=hours))
    with _sampling(snowflake) as reader:
        assert len(reader.sample(_only(reader), 2).rows) == rows


def test_a_new_column_of_an_old_table_keeps_the_table_from_being_sampled(snowflake: FakeSnowflake) -> None:
    _seed(snowflake, rows=[(1, "note", "x")])
    snowflake.administer(f"ALTER TABLE {DATABASE}.SALES.ONE ADD COLUMN PASSPORT VARCHAR")
    with _sampling(snowflake) as reader:
        table = _only(reader)
        assert [column.name for column in table.columns] == ["N", "NOTE", "PASSPORT"]
        assert reader.sample(table, 2).rows == ()
    assert _samples_sent(snowflake) == []


@pytest.mark.parametrize("rows", [2, 50])
def test_tables_of_a_schema_too_large_for_one_answer_are_asked_about_singly(
    snowflake: FakeSnowflake, rows: int
) -> None:
    schema = new_account(snowflake)("SALES")
    for number in range(5):
        schema.table(f"T{number}", ["N NUMBER"], rows=[(number,)])
    schema.relations["T3"].altered = snowflake.account.now()
    see_all(snowflake, privilege="SELECT")
    with _sampling(snowflake) as reader:
        tables = reader.read().tables
        snowflake.limits.information_schema_rows = rows
        assert [len(reader.sample(table, 2).rows) for table in tables] == [1, 1, 1, 0, 1]
    assert sum("LAST_DDL" in each.sql for each in snowflake.statements) == (1 if rows == 50 else 6)
