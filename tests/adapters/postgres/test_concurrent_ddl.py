"""Tables that another session drops or swaps while the catalog is read, each time at the same statement."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing

import pytest

from tests.fakes import MemoryStore, application, options
from tests.plugins.postgres import FreshDatabase, OpenCatalog, administer
from tests.plugins.relay import MakeRelay, Relay
from tribal.adapters.postgres import queries
from tribal.adapters.postgres.catalog import MOST_READINGS, PostgresCatalog
from tribal.planning import read_catalog
from tribal.ports import CatalogContents
from tribal.store import iterate_snapshot
from tribal_contracts import CatalogReading, DatabaseEntry

CALM = "CREATE TABLE calm (id int PRIMARY KEY, c int CHECK (c > 0)); CREATE VIEW calm_view AS SELECT id FROM calm;"
SWAPPED = (
    "CREATE TABLE zz (id int PRIMARY KEY, c int DEFAULT 1 CHECK (c > 0)); CREATE VIEW zzv AS SELECT id FROM zz;"
    "CREATE TABLE zd (id int);"
)
DROP = "DROP TABLE zz CASCADE; DROP TABLE zd;"
ENTRY = DatabaseEntry(name="shop")


def before_each(relay: Relay, sql: str, work: Callable[[int], object]) -> list[int]:
    """Do something before each time that the statement is passed on, told how often it was before."""
    times: list[int] = []

    def look(data: bytes) -> None:
        if sql.encode() in data:
            times.append(len(times))
            work(times[-1])

    relay.before_passing = look
    return times


def names(contents: CatalogContents) -> set[str]:
    return {table.table_name for table in contents.tables}


@pytest.mark.parametrize(
    "statement", [queries.TABLES, queries.COLUMNS, queries.TEXTS], ids=["tables", "columns", "texts"]
)
def test_tables_dropped_while_they_are_read_are_gone_from_the_second_reading(
    statement: str, fresh_database: FreshDatabase, relay_to: MakeRelay, open_catalog: OpenCatalog
) -> None:
    dsn = fresh_database(CALM + SWAPPED)
    relay = relay_to(dsn)
    readings = before_each(relay, statement, lambda time: administer(dsn, DROP) if time == 0 else None)
    with closing(PostgresCatalog(relay.target(dsn))) as catalog:
        contents = catalog.read()
    assert len(readings) == 2
    assert contents == open_catalog(dsn).read()
    assert names(contents) == {"calm", "calm_view"}


@pytest.mark.parametrize("statement", [queries.TABLES, queries.TEXTS], ids=["tables", "texts"])
def test_tables_that_are_swapped_each_time_they_are_read_keep_their_earlier_reading_or_are_left_out(
    statement: str, fresh_database: FreshDatabase, relay_to: MakeRelay
) -> None:
    dsn = fresh_database(CALM + SWAPPED)
    relay, store = relay_to(dsn), MemoryStore()

    def read() -> tuple[CatalogReading, set[str]]:
        opened = application(store=store, open_reader=lambda _: PostgresCatalog(relay.target(dsn)), opts=options(ENTRY))
        reading = read_catalog(ENTRY, opened, "run")
        return reading, {table.table_name for table in iterate_snapshot(store, reading)[1]}

    times = before_each(relay, statement, lambda _: administer(dsn, DROP + SWAPPED))
    first, tables = read()
    assert len(times) == MOST_READINGS
    assert first.status == "reachable"
    assert tables - {"zd"} == {"calm", "calm_view"}
    assert {error.code for error in first.errors} == {"PLAN_TABLE_CHANGED"}
    assert "'public.zz'" in " ".join(error.message for error in first.errors)
    assert all("left out" in error.message for error in first.errors)

    relay.before_passing = None
    settled, tables = read()
    assert (tables, settled.errors) == ({"calm", "calm_view", "zz", "zzv", "zd"}, [])

    before_each(relay, statement, lambda _: administer(dsn, DROP + SWAPPED))
    again, tables = read()
    assert tables == {"calm", "calm_view", "zz", "zzv", "zd"}
    assert again.schema_hash == settled.schema_hash
    assert again.gone_tables == []
    assert all("an earlier run" in error.message for error in again.errors)
    assert {str((error.context or {})["table"]) for error in again.errors} >= {"zz", "zzv"}


def test_a_schema_dropped_while_it_is_read_is_gone_and_not_unreadable(
    fresh_database: FreshDatabase, relay_to: MakeRelay
) -> None:
    dsn = fresh_database(f"{CALM} CREATE SCHEMA s; CREATE TABLE s.t (id int)")
    relay = relay_to(dsn)
    drop = "DROP SCHEMA s CASCADE"
    before_each(relay, queries.SCHEMAS, lambda time: administer(dsn, drop) if time == 0 else None)
    with closing(PostgresCatalog(relay.target(dsn))) as catalog:
        contents = catalog.read()
    assert names(contents) == {"calm", "calm_view"}
    assert contents.unreadable_schemas == ()
