"""Locks, slow policies and missing privileges cost `PostgresCatalog` no more than they must."""

from __future__ import annotations

import pytest

from tests.plugins.postgres import FreshDatabase, OpenCatalog, administer, connected, login, unique_name
from tribal.adapters.postgres.assembly import LOCKED
from tribal.errors import StatementTimedOut
from tribal.ports import CatalogContents
from tribal_contracts import CatalogColumn, CatalogTable
from tribal_demo.server.postgres import EmbeddedServer


def _table(contents: CatalogContents, name: str) -> CatalogTable:
    return next(table for table in contents.tables if table.table_name == name)


def _column(table: CatalogTable, name: str) -> CatalogColumn:
    return next(column for column in table.columns if column.name == name)


_LOCKABLE = """
CREATE TABLE busy (id int PRIMARY KEY DEFAULT 7, twice int GENERATED ALWAYS AS (id * 2) STORED, CHECK (id > 0));
CREATE INDEX ON busy ((id + 1)) WHERE id > 5;
CREATE VIEW over_busy AS SELECT id FROM busy;
CREATE TABLE calm (id int PRIMARY KEY, CHECK (id > 0));
CREATE VIEW over_calm AS SELECT id FROM calm;
INSERT INTO busy VALUES (1);
INSERT INTO calm VALUES (1);
"""


def test_a_lock_on_one_table_costs_its_sample_and_its_expressions_and_nothing_of_the_others(
    server: EmbeddedServer, fresh_database: FreshDatabase, open_catalog: OpenCatalog
) -> None:
    dsn = fresh_database(_LOCKABLE, server=server)
    catalog = open_catalog(dsn, lock_timeout_seconds=0.1)
    before = catalog.read()
    with connected(dsn) as other:
        other.run("BEGIN")
        other.run("LOCK TABLE busy IN ACCESS EXCLUSIVE MODE")
        during = catalog.read()
        with pytest.raises(StatementTimedOut, match=r"busy.*lock"):
            catalog.sample(_table(during, "busy"), 5)
        assert catalog.sample(_table(during, "calm"), 5).rows == (("1",),)
        assert catalog.presence([("public", "busy")]) == {("public", "busy"): "present"}
        assert catalog.access().tables_selectable == 4
    for name in ("calm", "over_calm"):
        assert _table(during, name) == _table(before, name)
    busy = _table(during, "busy")
    assert _column(busy, "id").default_value == "7"
    assert _column(busy, "twice").generated == busy.checks[0].expression == LOCKED
    assert busy.primary_key == _table(before, "busy").primary_key
    assert LOCKED in (_table(during, "over_busy").view_definition or "")
    assert catalog.read() == before
    assert LOCKED not in str(before)


def test_a_slow_sample_is_given_up_after_its_own_limit(
    fresh_database: FreshDatabase, open_catalog: OpenCatalog
) -> None:
    dsn = fresh_database(
        """
        CREATE TABLE slow (id int, told text GENERATED ALWAYS AS ('x') STORED);
        ALTER TABLE slow ENABLE ROW LEVEL SECURITY; ALTER TABLE slow FORCE ROW LEVEL SECURITY;
        CREATE FUNCTION wait_for_it() RETURNS boolean LANGUAGE sql VOLATILE AS 'SELECT pg_sleep(600) IS NOT NULL';
        CREATE POLICY sleepy ON slow USING (wait_for_it());
        INSERT INTO slow VALUES (1);
        """
    )
    user = unique_name("slow")
    administer(dsn, f"CREATE ROLE {user} LOGIN PASSWORD 'p'; GRANT SELECT ON slow TO {user}")
    catalog = open_catalog(login(dsn, user, "p"), sample_timeout_seconds=0.2)
    with pytest.raises(StatementTimedOut, match="too long"):
        catalog.sample(_table(catalog.read(), "slow"), 5)


def test_columns_that_may_not_be_selected_or_are_gone_are_left_out_of_the_sample(
    fresh_database: FreshDatabase, open_catalog: OpenCatalog
) -> None:
    user = unique_name("partly")
    dsn = fresh_database(
        f"""CREATE TABLE staff (id int PRIMARY KEY, name text, pay int, note text);
        CREATE ROLE {user} LOGIN PASSWORD 'p';
        INSERT INTO staff VALUES (1, 'Ann', 100, 'n'); GRANT SELECT (id, name, note) ON staff TO {user}"""
    )
    catalog = open_catalog(login(dsn, user, "p"))
    staff = _table(catalog.read(), "staff")
    assert staff.selectable
    sample = catalog.sample(staff, 5)
    assert (sample.columns, sample.rows) == (("id", "name", "note"), (("1", "Ann", "n"),))
    administer(dsn, "ALTER TABLE staff DROP COLUMN note")
    assert catalog.sample(staff, 5).columns == ("id", "name")
    administer(dsn, f"REVOKE SELECT (id) ON staff FROM {user}")
    assert catalog.sample(staff, 5).rows == (("Ann",),)
