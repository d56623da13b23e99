"""SELECT over the wire: what needs a warehouse, what a role may read, and what is refused."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest
from snowflake.connector.errors import DatabaseError, ProgrammingError

from tests.fakes.snowflake import Column, FakeSnowflake
from tests.fakes.snowflake.connecting import ROLE, WAREHOUSE, ask, connect, see, shop

ROWS = 'SELECT "ID", "EMAIL" FROM "SHOP"."PUBLIC"."CUSTOMERS" ORDER BY "ID" LIMIT 3'
IN_SCHEMA = "SELECT TABLE_NAME, COLUMN_NAME FROM SHOP.INFORMATION_SCHEMA.COLUMNS WHERE TABLE_SCHEMA = 'PUBLIC'"


def failure(fake: FakeSnowflake, sql: str, **more: Any) -> int | None:
    """The number of the error that a statement ends with."""
    with connect(fake, **{"warehouse": WAREHOUSE, **more}) as connection, pytest.raises(DatabaseError) as caught:
        ask(connection, sql)
    return caught.value.errno


def test_context_functions_need_no_warehouse(snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    with connect(snowflake) as connection:
        row = ask(connection, "SELECT CURRENT_VERSION(), CURRENT_USER(), CURRENT_ROLE(), CURRENT_WAREHOUSE()")[0]
    assert [*row.values()][1:] == ["TRIBAL", ROLE, None]
    assert snowflake.warehouse_statements == []


@pytest.mark.representative
def test_rows_need_a_warehouse_that_the_role_may_use(snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    snowflake.administer(f"GRANT SELECT ON ALL TABLES IN DATABASE SHOP TO ROLE {ROLE}")
    assert failure(snowflake, ROWS, warehouse=None) == 606
    assert failure(snowflake, ROWS, warehouse="NOWHERE") == 606
    with connect(snowflake, warehouse=WAREHOUSE) as connection:
        rows = ask(connection, ROWS)
    assert rows == [{"ID": n, "EMAIL": f"{n}@example.com"} for n in (1, 2, 3)]
    assert [each.warehouse for each in snowflake.warehouse_statements] == [WAREHOUSE]
    snowflake.administer(f"""
        REVOKE USAGE ON WAREHOUSE {WAREHOUSE} FROM ROLE {ROLE};
        GRANT MONITOR ON WAREHOUSE {WAREHOUSE} TO ROLE {ROLE};
    """)
    assert failure(snowflake, ROWS) == 606


def test_references_show_structure_and_no_rows(snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    assert failure(snowflake, ROWS) == 3001
    assert failure(snowflake, "SELECT ID FROM SHOP.PUBLIC.NOWHERE") == 2003


@pytest.mark.parametrize(
    ("sql", "number"),
    [
        ("SELECT NOTHING FROM SHOP.PUBLIC.CUSTOMERS", 904),
        ("SELECT NO_SUCH(ID) FROM SHOP.PUBLIC.CUSTOMERS", 2140),
        ("SELECT COUNT(*) FROM SHOP.PUBLIC.CUSTOMERS", 2140),
        ("SELECT ID FROM CUSTOMERS", 1003),
        ("SELECT ID FROM SHOP.PUBLIC.CUSTOMERS GROUP BY ID", 1003),
        ("SELECT A.ID FROM SHOP.PUBLIC.CUSTOMERS A JOIN SHOP.PUBLIC.ORDERS B ON A.ID = B.ID", 1003),
        ("SELECT ID FROM SHOP.PUBLIC.CUSTOMERS ORDER BY 2", 1003),
        ("SELECT ID FROM SHOP.PUBLIC.CUSTOMERS SAMPLE (10 ROWS) SEED (1)", 2206),
        ("SELECT ID FROM SHOP.PUBLIC.RECENT SAMPLE SYSTEM (10) SEED (1)", 2206),
        ("SELECT ID FROM SHOP.PUBLIC.RECENT SAMPLE SYSTEM (10)", 2206),
        ("SELECT ID FROM SHOP.PUBLIC.CUSTOMERS SAMPLE SYSTEM (101)", 1003),
        ("SELECT 1; SELECT 2", 8),
    ],
)
def test_what_snowflake_or_the_reader_does_not_know_is_refused(snowflake: FakeSnowflake, sql: str, number: int) -> None:
    shop(snowflake)
    snowflake.administer(f"""
        GRANT SELECT ON ALL TABLES IN DATABASE SHOP TO ROLE {ROLE};
        GRANT SELECT ON ALL VIEWS IN DATABASE SHOP TO ROLE {ROLE};
    """)
    assert failure(snowflake, sql) == number


def test_a_sample_with_a_seed_is_the_same_every_time_and_takes_whole_partitions(snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    table = snowflake.account.databases["SHOP"].schemas["PUBLIC"].table("BIG", ["N INT"])
    table.rows = [(n,) for n in range(2000)]
    see(snowflake, table, "SHOP", "PUBLIC", privilege="SELECT")
    snowflake.limits.partition_rows = 100
    sample = "SELECT N FROM SHOP.PUBLIC.BIG SAMPLE SYSTEM (30) SEED ({}) ORDER BY N"
    with connect(snowflake, warehouse=WAREHOUSE) as connection:
        taken = [[row["N"] for row in ask(connection, sample.format(seed))] for seed in (1, 1, 2)]
        unseeded = [len(ask(connection, "SELECT N FROM SHOP.PUBLIC.BIG SAMPLE SYSTEM (30)")) for _ in range(8)]
        assert ask(connection, "SELECT N FROM SHOP.PUBLIC.BIG SAMPLE SYSTEM (0) SEED (1)") == []
        assert len(ask(connection, "SELECT N FROM SHOP.PUBLIC.BIG SAMPLE SYSTEM (100) SEED (1)")) == 2000
    assert taken[0] == taken[1] != taken[2]
    assert 0 < len(taken[0]) < 2000
    assert len(taken[0]) % 100 == 0
    assert len(set(unseeded)) > 1


VALUES: dict[str, tuple[Any, str]] = {
    "NUMBER(10,2)": (Decimal("12.50"), "12.50"),
    "NUMBER(38,0)": (10**30, str(10**30)),
    "FLOAT": (1.5, "1.5"),
    "BOOLEAN": (True, "true"),
    "VARCHAR(20)": ("it's", "it's"),
    "DATE": (date(1969, 12, 31), "1969-12-31"),
    "TIME(9)": (time(1, 2, 3, 4), "01:02:03.000004000"),
    "TIMESTAMP_NTZ(9)": (datetime(2020, 1, 2, 3, 4, 5), "2020-01-02 03:04:05.000000000"),
    "TIMESTAMP_LTZ(9)": (datetime(1960, 1, 2, 3, 4, 5, 600000, tzinfo=UTC), "1960-01-02 03:04:05.600000000 +0000"),
    "TIMESTAMP_TZ(9)": (
        datetime(2020, 1, 2, 3, 4, 5, tzinfo=timezone(timedelta(hours=2))),
        "2020-01-02 03:04:05.000000000 +0200",
    ),
    "VARIANT": ({"a": [1, "ü"]}, '{"a":[1,"ü"]}'),
    "BINARY(8)": (b"\x00\xff", "00FF"),
}


@pytest.mark.parametrize("type_", VALUES)
def test_values_of_every_type_come_back_and_as_text(snowflake: FakeSnowflake, type_: str) -> None:
    shop(snowflake)
    value, text = VALUES[type_]
    table = snowflake.account.databases["SHOP"].schemas["PUBLIC"].table("T", [f"V {type_}"], rows=[(value,), (None,)])
    see(snowflake, table, "SHOP", "PUBLIC", privilege="SELECT")
    formats = {
        "TIMESTAMP_OUTPUT_FORMAT": "YYYY-MM-DD HH24:MI:SS.FF9 TZHTZM",
        "TIMESTAMP_NTZ_OUTPUT_FORMAT": "YYYY-MM-DD HH24:MI:SS.FF9",
        "TIME_OUTPUT_FORMAT": "HH24:MI:SS.FF9",
        "TIMEZONE": "UTC",
        "PYTHON_CONNECTOR_QUERY_RESULT_FORMAT": "JSON",
        "CLIENT_TELEMETRY_ENABLED": False,
    }
    function = "TO_JSON" if type_ == "VARIANT" else "TO_VARCHAR"
    with connect(snowflake, warehouse=WAREHOUSE, session_parameters=formats) as connection:
        plain = [row["V"] for row in ask(connection, "SELECT V FROM SHOP.PUBLIC.T")]
        as_text = [row["T"] for row in ask(connection, f"SELECT {function}(V) AS T FROM SHOP.PUBLIC.T")]
    assert as_text == [text, None]
    if type_ != "VARIANT":
        assert plain == [value, None]


def test_a_masked_column_shows_its_mask(snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    public = snowflake.account.databases["SHOP"].schemas["PUBLIC"]
    table = public.table(
        "T", [Column("A", "VARCHAR", masking_policy="GOV.P.HIDE"), Column("B", "INT", masking_policy="GOV.P.HIDE")]
    )
    table.rows = [("secret", 7)]
    see(snowflake, table, "SHOP", "PUBLIC", privilege="SELECT")
    with connect(snowflake, warehouse=WAREHOUSE) as connection:
        assert ask(connection, "SELECT * FROM SHOP.PUBLIC.T") == [{"A": "**********", "B": None}]


def test_information_schema_tells_of_what_may_be_seen(snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    snowflake.administer("CREATE TABLE SHOP.PUBLIC.HIDDEN (A INT)")
    with connect(snowflake, warehouse=WAREHOUSE) as connection:
        rows = ask(connection, IN_SCHEMA + " AND TABLE_NAME >= 'D' AND TABLE_NAME <= 'R' ORDER BY TABLE_NAME, 2")
        typed = ask(connection, IN_SCHEMA.replace("SELECT", "SELECT DATA_TYPE, CHARACTER_MAXIMUM_LENGTH,"))
    assert [*map(tuple, (row.values() for row in rows))] == [
        ("ORDERS", "CUSTOMER_ID"),
        ("ORDERS", "ID"),
        ("ORDERS", "PLACED"),
    ]
    email = next(row for row in typed if row["COLUMN_NAME"] == "EMAIL")
    assert (email["DATA_TYPE"], email["CHARACTER_MAXIMUM_LENGTH"]) == ("TEXT", 200)


def test_information_schema_refuses_too_much(snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    snowflake.limits.information_schema_rows = 6
    with connect(snowflake, warehouse=WAREHOUSE) as connection:
        assert len(ask(connection, IN_SCHEMA)) == 6
        snowflake.limits.information_schema_rows = 5
        with pytest.raises(ProgrammingError, match="090030"):
            ask(connection, IN_SCHEMA)
        assert len(ask(connection, IN_SCHEMA + " AND TABLE_NAME >= 'ORDERS'")) == 4


def test_account_usage_is_there_for_viewers_alone_and_tells_of_what_was_dropped(snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    history = "SELECT TABLE_NAME, DELETED FROM SNOWFLAKE.ACCOUNT_USAGE.TABLES WHERE TABLE_CATALOG = 'SHOP' ORDER BY 1"
    schemas = "SELECT SCHEMA_NAME FROM SNOWFLAKE.ACCOUNT_USAGE.SCHEMATA WHERE DELETED IS NULL ORDER BY 1"
    assert failure(snowflake, history) == 2003
    snowflake.administer(f"""
        GRANT DATABASE ROLE SNOWFLAKE.OBJECT_VIEWER TO ROLE {ROLE};
        CREATE SCHEMA SHOP.HIDDEN;
        DROP TABLE SHOP.PUBLIC.ORDERS;
    """)
    with connect(snowflake, warehouse=WAREHOUSE) as connection:
        told = {row["TABLE_NAME"]: row["DELETED"] for row in ask(connection, history)}
        assert ask(connection, schemas) == [{"SCHEMA_NAME": "HIDDEN"}, {"SCHEMA_NAME": "PUBLIC"}]
        snowflake.account.usage_lags = True
        behind = {row["TABLE_NAME"]: row["DELETED"] for row in ask(connection, history)}
    assert [name for name, deleted in told.items() if deleted] == ["ORDERS"]
    assert [*behind.values()] == [None] * 3


def test_a_dropped_schemas_tables_are_marked_by_themselves_or_not(snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    snowflake.administer(f"GRANT DATABASE ROLE SNOWFLAKE.OBJECT_VIEWER TO ROLE {ROLE}; DROP SCHEMA SHOP.PUBLIC")
    marked = "SELECT TABLE_NAME FROM SNOWFLAKE.ACCOUNT_USAGE.TABLES WHERE NOT DELETED IS NULL"
    with connect(snowflake, warehouse=WAREHOUSE) as connection:
        assert len(ask(connection, marked)) == 3
        snowflake.account.drops_mark_what_they_hold = False
        assert ask(connection, marked) == []


def test_tags_and_policies_are_for_the_governance_viewer(snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    column = snowflake.account.databases["SHOP"].schemas["PUBLIC"].relations["CUSTOMERS"].columns[1]
    column.tags["GOV.TAGS.PII"] = "email"
    column.masking_policy = "GOV.POLICIES.HIDE"
    tags = "SELECT OBJECT_NAME, COLUMN_NAME, TAG_NAME, TAG_VALUE FROM SNOWFLAKE.ACCOUNT_USAGE.TAG_REFERENCES"
    policies = "SELECT REF_COLUMN_NAME, POLICY_NAME, POLICY_KIND FROM SNOWFLAKE.ACCOUNT_USAGE.POLICY_REFERENCES"
    snowflake.administer(f"GRANT DATABASE ROLE SNOWFLAKE.OBJECT_VIEWER TO ROLE {ROLE}")
    assert failure(snowflake, tags) == 2003
    snowflake.administer(f"GRANT DATABASE ROLE SNOWFLAKE.GOVERNANCE_VIEWER TO ROLE {ROLE}")
    with connect(snowflake, warehouse=WAREHOUSE) as connection:
        assert [*ask(connection, tags)[0].values()] == ["CUSTOMERS", "EMAIL", "PII", "email"]
        assert [*ask(connection, policies)[0].values()] == ["EMAIL", "HIDE", "MASKING_POLICY"]


def test_bound_values_are_values(snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    snowflake.administer(f"GRANT SELECT ON ALL TABLES IN DATABASE SHOP TO ROLE {ROLE}")
    with connect(snowflake, warehouse=WAREHOUSE, paramstyle="qmark") as connection, connection.cursor() as cursor:
        cursor.execute("SELECT ID FROM SHOP.PUBLIC.CUSTOMERS WHERE EMAIL = ?", ("7@example.com",))
        assert cursor.fetchall() == [(7,)]
