"""Grants decide what exists: what a role holds nothing on is not there for it."""

from __future__ import annotations

import pytest
from snowflake.connector.errors import ProgrammingError

from tests.fakes.snowflake import FakeSnowflake
from tests.fakes.snowflake.connecting import ROLE, USER, ask, connect, key_pair, names, shop
from tests.fakes.snowflake.errors import SqlError

TABLES = "SHOW TABLES IN DATABASE SHOP"


@pytest.mark.representative
def test_a_table_without_a_grant_is_missing_like_one_that_was_dropped(snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    snowflake.administer(f"REVOKE REFERENCES ON TABLE SHOP.PUBLIC.ORDERS FROM ROLE {ROLE}")
    told = []
    with connect(snowflake) as connection:
        for _ in range(2):
            assert names(connection, TABLES) == ["CUSTOMERS"]
            with pytest.raises(ProgrammingError) as caught:
                ask(connection, "SHOW COLUMNS IN TABLE SHOP.PUBLIC.ORDERS")
            told.append((caught.value.errno, caught.value.sqlstate))
            snowflake.administer("DROP TABLE IF EXISTS SHOP.PUBLIC.ORDERS")
    assert told == [(2003, "02000")] * 2


def test_a_schema_without_usage_hides_all_that_is_in_it(snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    snowflake.administer(f"REVOKE USAGE ON SCHEMA SHOP.PUBLIC FROM ROLE {ROLE}")
    with connect(snowflake) as connection:
        assert names(connection, "SHOW SCHEMAS IN DATABASE SHOP") == ["INFORMATION_SCHEMA"]
        assert ask(connection, TABLES) == []
        with pytest.raises(ProgrammingError, match="002043"):
            ask(connection, "SHOW TABLES IN SCHEMA SHOP.PUBLIC")


def test_a_dropped_and_remade_table_lost_its_grants_unless_they_are_for_the_future(snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    again = "CREATE OR REPLACE TABLE SHOP.PUBLIC.ORDERS (ID NUMBER)"
    with connect(snowflake) as connection:
        snowflake.administer(again)
        assert names(connection, TABLES) == ["CUSTOMERS"]
        snowflake.administer(f"GRANT REFERENCES ON FUTURE TABLES IN SCHEMA SHOP.PUBLIC TO ROLE {ROLE}; {again}")
        assert names(connection, TABLES) == ["CUSTOMERS", "ORDERS"]


def test_future_grants_on_the_schema_outweigh_those_on_the_database(snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    snowflake.administer(f"""
        CREATE ROLE OTHER;
        GRANT REFERENCES ON FUTURE TABLES IN DATABASE SHOP TO ROLE {ROLE};
        GRANT REFERENCES ON FUTURE TABLES IN SCHEMA SHOP.PUBLIC TO ROLE OTHER;
        CREATE TABLE SHOP.PUBLIC.LATER (A INT);
    """)
    with connect(snowflake) as connection:
        assert "LATER" not in names(connection, TABLES)


def test_all_tables_are_no_views_no_external_and_no_dynamic_tables(snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    snowflake.administer(f"""
        CREATE SCHEMA SHOP.MORE;
        CREATE TABLE SHOP.MORE.PLAIN (A INT);
        CREATE TRANSIENT TABLE SHOP.MORE.SHORT (A INT);
        CREATE EXTERNAL TABLE SHOP.MORE.FAR (A INT);
        CREATE DYNAMIC TABLE SHOP.MORE.FRESH (A INT);
        CREATE VIEW SHOP.MORE.SEEN AS SELECT A FROM SHOP.MORE.PLAIN;
        GRANT USAGE ON ALL SCHEMAS IN DATABASE SHOP TO ROLE {ROLE};
        GRANT REFERENCES ON ALL TABLES IN SCHEMA SHOP.MORE TO ROLE {ROLE};
    """)
    with connect(snowflake) as connection:
        assert names(connection, "SHOW TABLES IN SCHEMA SHOP.MORE") == ["PLAIN", "SHORT"]
        assert names(connection, "SHOW VIEWS IN SCHEMA SHOP.MORE") == []
        snowflake.administer(f"""
            GRANT REFERENCES ON ALL EXTERNAL TABLES IN DATABASE SHOP TO ROLE {ROLE};
            GRANT MONITOR ON ALL DYNAMIC TABLES IN DATABASE SHOP TO ROLE {ROLE};
            GRANT REFERENCES ON ALL VIEWS IN DATABASE SHOP TO ROLE {ROLE};
        """)
        assert names(connection, "SHOW TABLES IN SCHEMA SHOP.MORE") == ["FAR", "FRESH", "PLAIN", "SHORT"]
        assert names(connection, "SHOW VIEWS IN SCHEMA SHOP.MORE") == ["SEEN"]


def test_a_role_inherits_and_owners_and_the_public_see(snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    snowflake.administer(f"""
        CREATE SCHEMA SHOP.OWNED;
        CREATE TABLE SHOP.OWNED.MINE (A INT);
        CREATE TABLE SHOP.OWNED.THEIRS (A INT);
        CREATE TABLE SHOP.OWNED.INHERITED (A INT);
        CREATE TABLE SHOP.OWNED.EVERYBODYS (A INT);
        CREATE ROLE BELOW;
        GRANT ROLE BELOW TO ROLE {ROLE};
        GRANT OWNERSHIP ON SCHEMA SHOP.OWNED TO ROLE {ROLE};
        GRANT OWNERSHIP ON TABLE SHOP.OWNED.MINE TO ROLE {ROLE};
        GRANT SELECT ON TABLE SHOP.OWNED.INHERITED TO ROLE BELOW;
        GRANT SELECT ON TABLE SHOP.OWNED.EVERYBODYS TO ROLE PUBLIC;
    """)
    with connect(snowflake) as connection:
        assert names(connection, "SHOW TABLES IN SCHEMA SHOP.OWNED") == ["EVERYBODYS", "INHERITED", "MINE"]
        granted = ask(connection, f"SHOW GRANTS TO ROLE {ROLE}")
    told = {(row["privilege"], row["granted_on"], row["name"]) for row in granted}
    assert {("OWNERSHIP", "SCHEMA", "SHOP.OWNED"), ("USAGE", "ROLE", "BELOW")} <= told
    assert ("SELECT", "TABLE", "SHOP.OWNED.INHERITED") not in told


def test_database_roles_hold_grants_for_the_roles_that_hold_them(snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    snowflake.administer("""
        CREATE DATABASE ROLE SHOP.READERS;
        CREATE TABLE SHOP.PUBLIC.SHARED (A INT);
        GRANT SELECT ON TABLE SHOP.PUBLIC.SHARED TO DATABASE ROLE SHOP.READERS;
    """)
    with connect(snowflake) as connection:
        assert "SHARED" not in names(connection, TABLES)
        snowflake.administer(f"GRANT DATABASE ROLE SHOP.READERS TO ROLE {ROLE}")
        assert "SHARED" in names(connection, TABLES)
        granted = ask(connection, f"SHOW GRANTS TO ROLE {ROLE}")
        inside = ask(connection, 'SHOW GRANTS TO DATABASE ROLE "SHOP"."READERS"')
    assert ("USAGE", "DATABASE_ROLE", "SHOP.READERS") in {
        (row["privilege"], row["granted_on"], row["name"]) for row in granted
    }
    assert [(row["privilege"], row["name"], row["granted_to"], row["grantee_name"]) for row in inside] == [
        ("SELECT", "SHOP.PUBLIC.SHARED", "DATABASE_ROLE", "READERS")
    ]


def test_secondary_roles_see_until_they_are_off(snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    snowflake.administer(f"""
        CREATE ROLE MIGHTY;
        GRANT ROLE MIGHTY TO USER {USER};
        CREATE TABLE SHOP.PUBLIC.SECRET (A INT);
        GRANT SELECT ON TABLE SHOP.PUBLIC.SECRET TO ROLE MIGHTY;
    """)
    with connect(snowflake) as connection:
        assert "SECRET" in names(connection, TABLES)
        ask(connection, "USE SECONDARY ROLES NONE")
        assert "SECRET" not in names(connection, TABLES)
    with connect(snowflake, secondary_roles="NONE") as connection:
        assert "SECRET" not in names(connection, TABLES)


def test_an_administrators_script_makes_a_user_who_logs_in_by_key(snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    body = "".join(key_pair(1).public.splitlines()[1:-1])
    snowflake.administer(f"""
        -- The service user and its role.
        USE ROLE SECURITYADMIN;
        CREATE ROLE IF NOT EXISTS "Docs";
        CREATE USER IF NOT EXISTS DOCS TYPE = SERVICE DEFAULT_ROLE = "Docs" RSA_PUBLIC_KEY = '{body}';
        GRANT ROLE "Docs" TO USER DOCS;
        GRANT USAGE ON DATABASE SHOP TO ROLE "Docs";
        GRANT USAGE ON ALL SCHEMAS IN DATABASE SHOP TO ROLE "Docs";
        GRANT REFERENCES ON ALL TABLES IN DATABASE SHOP TO ROLE "Docs";
        GRANT DATABASE ROLE SNOWFLAKE.OBJECT_VIEWER TO ROLE "Docs";
    """)
    with connect(snowflake, user="docs", role='"Docs"', private_key=key_pair(1).private) as connection:
        assert names(connection, TABLES) == ["CUSTOMERS", "ORDERS"]
        assert "SNOWFLAKE.OBJECT_VIEWER" in names(connection, 'SHOW GRANTS TO ROLE "Docs"')


def test_a_created_table_is_as_it_was_written(snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    snowflake.administer(f"""
        CREATE TABLE SHOP.PUBLIC.LINES (
            ORDER_ID NUMBER(10,0) NOT NULL COMMENT 'Whose; it isn''t optional.',
            NO INT NOT NULL,
            PRICE NUMBER(12,2) DEFAULT 0,
            CONSTRAINT LINES_PK PRIMARY KEY (ORDER_ID, NO),
            CONSTRAINT LINES_FK FOREIGN KEY (ORDER_ID) REFERENCES SHOP.PUBLIC.ORDERS (ID)
        ) CLUSTER BY (ORDER_ID) COMMENT = 'What was bought.';
        GRANT SELECT ON TABLE SHOP.PUBLIC.LINES TO ROLE {ROLE};
        COMMENT ON COLUMN SHOP.PUBLIC.LINES.PRICE IS 'Of one.';
    """)
    with connect(snowflake) as connection:
        table = ask(connection, "SHOW TABLES IN SCHEMA SHOP.PUBLIC LIMIT 1 FROM 'CUSTOMERS'")[0]
        columns = ask(connection, "SHOW COLUMNS IN TABLE SHOP.PUBLIC.LINES")
        keys = ask(connection, "SHOW PRIMARY KEYS IN TABLE SHOP.PUBLIC.LINES")
        imported = ask(connection, "SHOW IMPORTED KEYS IN TABLE SHOP.PUBLIC.LINES")
    assert (table["comment"], table["cluster_by"]) == ("What was bought.", "LINEAR(ORDER_ID)")
    assert [row["comment"] for row in columns] == ["Whose; it isn't optional.", "", "Of one."]
    assert [row["null?"] for row in columns] == ["false", "false", "true"]
    assert [row["column_name"] for row in keys] == ["ORDER_ID", "NO"]
    assert [(row["fk_name"], row["pk_table_name"]) for row in imported] == [("LINES_FK", "ORDERS")]


@pytest.mark.parametrize(
    ("sql", "number"),
    [
        ("GRANT REFERENCES ON DYNAMIC TABLE SHOP.PUBLIC.ORDERS TO ROLE PUBLIC", "003008"),
        ("GRANT SELECT ON TABLE SHOP.PUBLIC.NOWHERE TO ROLE PUBLIC", "002003"),
        ("GRANT SELECT ON TABLE SHOP.PUBLIC.ORDERS TO ROLE NOBODY", "002003"),
        ("GRANT DATABASE ROLE SNOWFLAKE.NO_VIEWER TO ROLE PUBLIC", "002003"),
        ("TRUNCATE TABLE SHOP.PUBLIC.ORDERS", "001003"),
    ],
)
def test_administrators_get_errors_too(snowflake: FakeSnowflake, sql: str, number: str) -> None:
    shop(snowflake)
    with pytest.raises(SqlError) as caught:
        snowflake.administer(sql)
    assert caught.value.code == number
