"""SHOW over the wire: the columns that are documented, in their order, for those who may see."""

from __future__ import annotations

import json

import pytest
from snowflake.connector.errors import ProgrammingError

from tests.fakes.snowflake import Column, FakeSnowflake, ForeignKey, Index, Key
from tests.fakes.snowflake.connecting import ROLE, WAREHOUSE, ask, connect, names, see, shop
from tests.fakes.snowflake.results import Result


@pytest.mark.representative
def test_the_connector_reads_tables_with_their_counts(snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    with connect(snowflake) as connection:
        customers, orders = ask(connection, 'SHOW TABLES IN DATABASE "SHOP"')
    assert list(customers)[:9] == [
        "created_on", "name", "database_name", "schema_name", "kind", "comment", "cluster_by", "rows", "bytes",
    ]  # fmt: skip
    assert (customers["name"], customers["rows"], customers["comment"]) == ("CUSTOMERS", 20, "Who buys.")
    assert (orders["kind"], orders["is_external"], orders["rows"]) == ("TABLE", "N", 0)


def test_each_kind_of_table_is_told_apart(snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    public = snowflake.account.databases["SHOP"].schemas["PUBLIC"]
    for kind in ("transient", "external", "dynamic", "iceberg", "hybrid"):
        see(snowflake, public.table(kind.upper(), ["A INT"], kind=kind), "SHOP", "PUBLIC", privilege="SELECT")
    with connect(snowflake) as connection:
        told = {row["name"]: row for row in ask(connection, "SHOW TABLES IN SCHEMA SHOP.PUBLIC")}
    marks = {name: [flag for flag in row if flag.startswith("is_") and row[flag] == "Y"] for name, row in told.items()}
    assert marks == {
        "CUSTOMERS": [],
        "ORDERS": [],
        "TRANSIENT": [],
        "EXTERNAL": ["is_external"],
        "DYNAMIC": ["is_dynamic"],
        "ICEBERG": ["is_iceberg"],
        "HYBRID": ["is_hybrid"],
    }
    assert told["TRANSIENT"]["kind"] == "TRANSIENT"
    assert told["EXTERNAL"]["rows"] is None


def test_a_columns_type_is_json_and_its_flags_are_words(snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    with connect(snowflake) as connection:
        identity, email = ask(connection, "SHOW COLUMNS IN TABLE SHOP.PUBLIC.CUSTOMERS")
    assert json.loads(identity["data_type"]) == {"type": "FIXED", "precision": 38, "scale": 0, "nullable": False}
    assert json.loads(email["data_type"])["byteLength"] == 800
    assert (identity["null?"], email["null?"]) == ("false", "true")
    assert identity["autoincrement"] == "IDENTITY START 1 INCREMENT 1 NOORDER"
    assert (email["comment"], email["default"]) == ("Where letters go.", "")


def test_the_views_of_information_schema_count_in_a_database_and_not_in_a_schema(snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    with connect(snowflake) as connection:
        everywhere = ask(connection, "SHOW COLUMNS IN DATABASE SHOP")
        here = ask(connection, "SHOW COLUMNS IN SCHEMA SHOP.PUBLIC")
        views = names(connection, "SHOW VIEWS IN DATABASE SHOP")
    assert len(everywhere) - len(here) == 890
    assert {row["schema_name"] for row in everywhere} == {"INFORMATION_SCHEMA", "PUBLIC"}
    assert {"COLUMNS", "RECENT"} <= {*views}


def test_keys_come_a_row_for_a_column(snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    other = snowflake.account.databases["SHOP"].schema("OTHER")
    table = other.table(
        "PAIRS",
        ["A INT", "B INT"],
        primary_key=Key(("B", "A")),
        unique_keys=[Key(("A",), "ONE")],
        foreign_keys=[ForeignKey(("A", "B"), ("FAR", "AWAY", "PAIRS"), ("X", "Y"), "ACROSS")],
    )
    snowflake.account.grant(ROLE, "USAGE", "SCHEMA", "SHOP", "OTHER")
    see(snowflake, table, "SHOP", "OTHER")
    with connect(snowflake) as connection:
        primary = ask(connection, "SHOW PRIMARY KEYS IN DATABASE SHOP")
        unique = ask(connection, "SHOW UNIQUE KEYS IN SCHEMA SHOP.OTHER")
        imported = ask(connection, "SHOW IMPORTED KEYS IN TABLE SHOP.OTHER.PAIRS")
    pairs = [(row["column_name"], row["key_sequence"]) for row in primary if row["table_name"] == "PAIRS"]
    assert pairs == [("B", 1), ("A", 2)]
    assert [row["constraint_name"] for row in unique] == ["ONE"]
    assert [(row["fk_column_name"], row["pk_column_name"], row["pk_database_name"]) for row in imported] == [
        ("A", "X", "FAR"),
        ("B", "Y", "FAR"),
    ]


def test_the_text_of_a_secure_view_is_its_owners(snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    public = snowflake.account.databases["SHOP"].schemas["PUBLIC"]
    hidden = public.view("HIDDEN", "create secure view HIDDEN as select 1 A", ["A INT"], kind="secure_view")
    see(snowflake, hidden, "SHOP", "PUBLIC")
    with connect(snowflake) as connection:
        before, open_view = ask(connection, "SHOW VIEWS IN SCHEMA SHOP.PUBLIC")
        hidden.owner = ROLE
        after = ask(connection, "SHOW VIEWS IN SCHEMA SHOP.PUBLIC")[0]
    assert (before["is_secure"], before["text"]) == ("true", "")
    assert (open_view["is_secure"], open_view["text"]) == ("false", "create view RECENT as select ID from ORDERS")
    assert after["text"] == "create secure view HIDDEN as select 1 A"


def test_indexes_warehouses_and_grants_are_listed(snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    public = snowflake.account.databases["SHOP"].schemas["PUBLIC"]
    fast = public.table("FAST", ["A INT", "B INT"], kind="hybrid", indexes=[Index("I", ("A", "B"))])
    see(snowflake, fast, "SHOP", "PUBLIC")
    with connect(snowflake) as connection:
        index = ask(connection, "SHOW INDEXES IN TABLE SHOP.PUBLIC.FAST")[0]
        warehouse = ask(connection, "SHOW WAREHOUSES LIKE 'tribal%'")[0]
        nothing = ask(connection, "SHOW WAREHOUSES LIKE 'other'")
        granted = ask(connection, f"SHOW GRANTS TO ROLE {ROLE}")
    assert (index["columns"], index["is_unique"]) == ("[A, B]", "N")
    assert (warehouse["name"], warehouse["size"], warehouse["auto_resume"]) == (WAREHOUSE, "X-Small", "true")
    assert nothing == []
    assert ("REFERENCES", "TABLE", "SHOP.PUBLIC.FAST", "false") in {
        (row["privilege"], row["granted_on"], row["name"], row["grant_option"]) for row in granted
    }


def test_unquoted_names_fold_and_quoted_ones_do_not(snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    public = snowflake.account.databases["SHOP"].schemas["PUBLIC"]
    see(snowflake, public.table("Orders", [Column("a b", "DATE"), Column('q"q', "DATE")]), "SHOP", "PUBLIC")
    with connect(snowflake) as connection:
        assert names(connection, "SHOW TABLES IN SCHEMA shop.public") == ["CUSTOMERS", "ORDERS", "Orders"]
        twin = names(connection, 'SHOW COLUMNS IN TABLE shop.public."Orders"', "column_name")
        assert twin == ["a b", 'q"q']
        assert len(ask(connection, "SHOW COLUMNS IN TABLE Shop.Public.Orders")) == 3


def test_shows_can_grow_and_change_their_order_as_with_a_release(snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    with connect(snowflake) as connection:
        plain = ask(connection, "SHOW TABLES IN DATABASE SHOP")
        snowflake.reshape = Result.with_more
        more = ask(connection, "SHOW TABLES IN DATABASE SHOP")
        snowflake.reshape = Result.reordered
        reordered = ask(connection, "SHOW TABLES IN DATABASE SHOP")
    assert [row | {"added_first": "first", "added_last": None} for row in plain] == more
    assert reordered == plain
    assert [*reordered[0]] == [*reversed(plain[0])]


@pytest.mark.parametrize(
    ("sql", "number"),
    [
        ("SHOW TABLES IN SCHEMA SHOP.NOWHERE", 2043),
        ("SHOW COLUMNS IN DATABASE NOWHERE", 2043),
        ("SHOW COLUMNS IN TABLE SHOP.PUBLIC.NOWHERE", 2003),
        ("SHOW PRIMARY KEYS IN TABLE SHOP.PUBLIC.NOWHERE", 2003),
        ("SHOW COLUMNS IN SCHEMA SHOP.PUBLIC LIMIT 5", 1003),
        ("SHOW PRIMARY KEYS IN SCHEMA SHOP.PUBLIC LIMIT 5", 1003),
        ("SHOW TABLES", 1003),
        ("SHOW PIPES", 1003),
        ("DROP TABLE SHOP.PUBLIC.ORDERS", 1003),
        ("INSERT INTO SHOP.PUBLIC.ORDERS VALUES (1)", 1003),
    ],
)
def test_what_is_missing_or_unknown_is_an_error(snowflake: FakeSnowflake, sql: str, number: int) -> None:
    shop(snowflake)
    with connect(snowflake) as connection, pytest.raises(ProgrammingError) as caught:
        ask(connection, sql)
    assert caught.value.errno == number
    assert snowflake.statements[-1].code == f"{number:06d}"
