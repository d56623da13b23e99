"""What Snowflake gives at once: one below, and one above."""

from __future__ import annotations

import pytest
from snowflake.connector.errors import ProgrammingError

from tests.fakes.snowflake import Column, FakeSnowflake, Key
from tests.fakes.snowflake.connecting import ROLE, ask, connect, names, see, shop


def grow(fake: FakeSnowflake, *tables: str) -> None:
    """More tables in a schema of their own, seen by the role."""
    schema = fake.account.databases["SHOP"].schema("GROWN")
    fake.account.grant(ROLE, "USAGE", "SCHEMA", "SHOP", "GROWN")
    for name in tables:
        table = schema.table(name, [Column("A"), Column("B")], primary_key=Key(("A", "B")))
        see(fake, table, "SHOP", "GROWN")


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("SHOW TABLES IN SCHEMA SHOP.GROWN", 4),
        ("SHOW COLUMNS IN SCHEMA SHOP.GROWN", 8),
        ("SHOW PRIMARY KEYS IN SCHEMA SHOP.GROWN", 8),
        ("SHOW COLUMNS IN DATABASE SHOP", 904),
        (f"SHOW GRANTS TO ROLE {ROLE}", 11),
    ],
)
def test_a_show_gives_its_most_rows_and_refuses_one_more(snowflake: FakeSnowflake, sql: str, rows: int) -> None:
    shop(snowflake)
    grow(snowflake, "A", "B", "C", "D")
    with connect(snowflake) as connection:
        snowflake.limits.show_rows = rows
        assert len(ask(connection, sql)) == rows
        snowflake.limits.show_rows = rows - 1
        with pytest.raises(ProgrammingError, match="090153"):
            ask(connection, sql)


def test_the_limit_is_ten_thousand_and_no_page_is_longer(snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    assert snowflake.limits.show_rows == 10_000
    with connect(snowflake) as connection:
        assert len(ask(connection, "SHOW TABLES IN SCHEMA SHOP.PUBLIC LIMIT 10000")) == 2
        with pytest.raises(ProgrammingError, match="001003"):
            ask(connection, "SHOW TABLES IN SCHEMA SHOP.PUBLIC LIMIT 10001")


@pytest.mark.representative
def test_a_page_begins_after_the_first_name_that_matches(snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    grow(snowflake, "ORDERS", "ORDERS_OLD", "Orders", "orders", "o'clock", "back\\slash")
    page = "SHOW TABLES IN SCHEMA SHOP.GROWN LIMIT 2 FROM '{}'"
    with connect(snowflake) as connection:
        everything = names(connection, "SHOW TABLES IN SCHEMA SHOP.GROWN")
        assert everything == ["ORDERS", "ORDERS_OLD", "Orders", "back\\slash", "o'clock", "orders"]
        assert names(connection, page.format("ORDERS")) == ["ORDERS_OLD", "Orders"]
        assert names(connection, page.format("Orders")) == ["back\\slash", "o'clock"]
        assert names(connection, page.format("back\\\\slash")) == ["o'clock", "orders"]
        assert names(connection, page.format("o''clock")) == ["orders"]
        assert names(connection, page.format("orders")) == []
        snowflake.administer("DROP TABLE SHOP.GROWN.ORDERS")
        assert names(connection, page.format("ORDERS")) == ["Orders", "back\\slash"]
        assert names(connection, page.format("P")) == ["back\\slash", "o'clock"]


def test_a_page_of_a_database_goes_by_name_over_its_schemas(snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    grow(snowflake, "CUSTOMERS", "LAST")
    with connect(snowflake) as connection:
        told = ask(connection, "SHOW TABLES IN DATABASE SHOP LIMIT 10 FROM 'CUSTOMERS'")
    assert [(row["schema_name"], row["name"]) for row in told] == [
        ("GROWN", "LAST"),
        ("PUBLIC", "CUSTOMERS"),
        ("PUBLIC", "ORDERS"),
    ]


def test_names_are_filtered_by_pattern_whatever_their_case(snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    grow(snowflake, "A_B", "AXB", "a_b", "A%")
    with connect(snowflake) as connection:
        assert names(connection, "SHOW TABLES LIKE 'a_b' IN SCHEMA SHOP.GROWN") == ["AXB", "A_B", "a_b"]
        assert names(connection, "SHOW TABLES LIKE 'a\\\\_b' IN SCHEMA SHOP.GROWN") == ["A_B", "a_b"]
        assert names(connection, "SHOW TABLES LIKE 'a\\\\%' IN SCHEMA SHOP.GROWN") == ["A%"]


def test_a_large_account_is_served_whole(snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    for number in range(40):
        schema = snowflake.account.databases["SHOP"].schema(f"S{number:02}")
        snowflake.account.grant(ROLE, "USAGE", "SCHEMA", "SHOP", schema.name)
        for at in range(125):
            table = schema.table(f"T{at:03}", [Column(f"C{n}", "VARCHAR(20)") for n in range(15)])
            see(snowflake, table, "SHOP", schema.name)
    snowflake.limits.show_rows = 100_000
    with connect(snowflake) as connection:
        assert len(ask(connection, "SHOW COLUMNS IN DATABASE SHOP")) == 75_896
        assert len(ask(connection, "SHOW TABLES IN DATABASE SHOP")) == 5_002
