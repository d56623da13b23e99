"""What a reading of Snowflake tells of tables, views, columns and keys."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.adapters.snowflake.readers import DATABASE, new_account, reading, see_all, seeded_tables, structure
from tests.fakes.snowflake import Column, FakeSnowflake, ForeignKey, Index, Key, results
from tests.fakes.snowflake.connecting import ROLE, WAREHOUSE, see
from tribal.errors import AccessDenied
from tribal.identity.hashing import object_hash
from tribal.ports import CatalogContents
from tribal_contracts import CatalogTable, TableStatistics

_TYPES = """NUMBER(38,0) NUMBER(10,2) FLOAT BOOLEAN VARCHAR(16777216) VARCHAR(20) BINARY(8388608) DATE TIME(9) TIME(3)
TIMESTAMP_NTZ(9) TIMESTAMP_LTZ(6) TIMESTAMP_TZ(0) VARIANT OBJECT ARRAY GEOGRAPHY GEOMETRY""".split()


def _seed(fake: FakeSnowflake) -> None:
    schema = new_account(fake)
    sales = schema("SALES", comment="What is sold.")
    schema("EMPTY")
    sales.table(
        "CUSTOMER",
        [
            Column("ID", "NUMBER", nullable=False, identity="IDENTITY START 1 INCREMENT 1 NOORDER"),
            Column("NAME", "VARCHAR", default="'nobody'", comment="First and last."),
            Column("SINCE", "DATE", default="CURRENT_DATE()"),
        ],
        primary_key=Key(("ID",), "CUSTOMER_PK"),
        unique_keys=[Key(("NAME", "SINCE"), "U2"), Key(("SINCE",), "U1")],
        comment="Who buys.",
        cluster_by="LINEAR(SINCE)",
    )
    sales.table("TYPES", [*(Column(f"C{n}", each) for n, each in enumerate(_TYPES)), Column("V", "VECTOR(FLOAT, 256)")])
    sales.table("STAGE", ["ID NUMBER"], kind="transient")
    sales.table(
        "LINE",
        ["CUSTOMER NUMBER", "ORDER_NO NUMBER", "PART NUMBER"],
        foreign_keys=[
            ForeignKey(("PART", "ORDER_NO"), ("OTHER", "PUBLIC", "PART"), ("A", "B"), "TO_PART"),
            ForeignKey(("CUSTOMER",), (DATABASE, "SALES", "CUSTOMER"), ("ID",), "TO_CUSTOMER"),
        ],
    )
    sales.table(
        "FILES", [Column("VALUE", "VARIANT"), Column("X", "DATE", expression="(VALUE:c1::date)")], kind="external"
    )
    sales.table("LIVE", ["ID NUMBER"], kind="dynamic")
    sales.table("LAKE", ["ID NUMBER"], kind="iceberg")
    sales.table(
        "FAST",
        ["ID NUMBER", "A NUMBER", '"B, c" NUMBER'.replace('"', "")],
        kind="hybrid",
        primary_key=Key(("ID",), "FAST_PK"),
        indexes=[Index("BY_A", ("A",)), Index("AGAIN", ("A", "ID"), unique=True)],
    )
    sales.view("RECENT", "create view RECENT as select ID from CUSTOMER", ["ID NUMBER"], comment="Of late.")
    sales.view("SECRET", "create secure view SECRET as select 1 as X", ["X NUMBER"], kind="secure_view")
    sales.view("SUMS", "create materialized view SUMS as select 1 as X", ["X NUMBER"], kind="materialized")
    sales.table("Order Items", ["id NUMBER"])
    sales.table('quote"in.side', ["id NUMBER"])
    see_all(fake)


def _read(fake: FakeSnowflake) -> CatalogContents:
    with reading(fake) as reader:
        return reader.read()


def _hash(contents: CatalogContents) -> str:
    return object_hash([table.model_dump(mode="json") for table in contents.tables])


def _table(contents: CatalogContents, name: str) -> CatalogTable:
    return next(table for table in contents.tables if table.table_name == name)


def test_everything_that_was_declared_is_read_as_it_was(snowflake: FakeSnowflake) -> None:
    _seed(snowflake)
    contents = _read(snowflake)
    assert structure(contents) == seeded_tables(snowflake)
    assert (contents.unread, contents.unread_tables, contents.unreadable_schemas) == ((), frozenset(), ())
    assert [(schema.name, schema.comment) for schema in contents.schemas] == [
        ("EMPTY", None),
        ("SALES", "What is sold."),
    ]
    assert contents.server_database == DATABASE
    assert [column.type for column in _table(contents, "TYPES").columns] == [*_TYPES, "VECTOR(FLOAT, 256)"]


def test_information_schema_and_warehouses_are_left_alone(snowflake: FakeSnowflake) -> None:
    _seed(snowflake)
    assert "INFORMATION_SCHEMA" not in {table.schema_name for table in _read(snowflake).tables}
    assert snowflake.warehouse_statements == []


def test_a_count_that_show_does_not_tell_is_unknown(snowflake: FakeSnowflake) -> None:
    _seed(snowflake)
    table = snowflake.account.database(DATABASE).schema("SALES").relations["CUSTOMER"]
    table.row_count, table.bytes = 12, 345
    statistics = _read(snowflake).statistics
    assert statistics["SALES", "CUSTOMER"] == TableStatistics(row_count=12, size_bytes=345)
    for name in ("FILES", "RECENT", "SUMS"):
        assert statistics["SALES", name].row_count == -1


def test_rows_bytes_and_times_are_in_no_hash_and_a_comment_is(snowflake: FakeSnowflake) -> None:
    _seed(snowflake)
    before = _hash(_read(snowflake))
    for relation in snowflake.account.database(DATABASE).schema("SALES").relations.values():
        relation.row_count, relation.bytes = 99, 98
        relation.created = relation.created.replace(year=2025)
    assert _hash(_read(snowflake)) == before
    snowflake.account.database(DATABASE).schema("SALES").relations["CUSTOMER"].comment = "Another."
    assert _hash(_read(snowflake)) != before


def test_fields_that_show_adds_or_moves_change_nothing(
    snowflake: FakeSnowflake, monkeypatch: pytest.MonkeyPatch
) -> None:
    _seed(snowflake)
    before = _read(snowflake)
    turned: list[str] = []

    def reversed_and_more(fields: Sequence[results.Field], rows: list[results.Row]) -> results.Result:
        turned.append(fields[0].name)
        more = [results.Field("added_by_snowflake"), *reversed(fields)]
        return results.Result(more, [["new", *reversed(row)] for row in rows])

    for module in ("showing", "show_keys"):
        monkeypatch.setattr(f"tests.fakes.snowflake.{module}.Result", reversed_and_more)
    assert _read(snowflake) == before
    assert len(turned) > 5


def test_a_table_that_may_be_selected_from_is_told_apart(snowflake: FakeSnowflake) -> None:
    _seed(snowflake)
    sales = snowflake.account.database(DATABASE).schema("SALES")
    see(snowflake, sales.relations["Order Items"], DATABASE, "SALES", privilege="SELECT")
    snowflake.account.role("DEEPER")
    snowflake.account.role(ROLE).roles.add("DEEPER")
    snowflake.account.grant("DEEPER", "SELECT", "VIEW", DATABASE, "SALES", "RECENT")
    with reading(snowflake, may_sample=True, warehouse=WAREHOUSE) as reader:
        readable = {table.table_name for table in reader.read().tables if table.selectable}
    assert readable == {"Order Items", "RECENT"}


def test_a_database_that_may_not_be_used_is_denied_with_the_grant(snowflake: FakeSnowflake) -> None:
    _seed(snowflake)
    snowflake.account.revoke(ROLE, "USAGE", "DATABASE", DATABASE)
    with pytest.raises(AccessDenied, match=f"GRANT USAGE ON DATABASE {DATABASE} TO ROLE {ROLE};"):
        _read(snowflake)
