"""Databases whose tables are swapped while they are planned, as dbt does it: every plan is made, and exits with 0."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from pg8000.exceptions import DatabaseError as ServerError
from pg8000.native import Connection

from tests.attack.outcome import Attack, Outcome
from tests.edges.cli.tribal_command import tribal_process
from tests.plugins.postgres import connected
from tribal_demo.server.postgres import EmbeddedServer

WORKERS = 2
TABLES = 400
PLANS = 16
_DEADLOCK = "40P01"
_TABLE = """CREATE TABLE {name} (
  id int PRIMARY KEY DEFAULT 1, n int CHECK (n > 0), twice int GENERATED ALWAYS AS (n * 2) STORED)"""
_INDEX = "CREATE INDEX ON {name} ((n + 1)) WHERE n > 5"
_VIEW = "CREATE OR REPLACE VIEW {name} AS SELECT id, twice FROM {table} WHERE n > 1"


def names(tables: int) -> list[str]:
    """The tables that are swapped; each has a view."""
    return [f"model_{number}" for number in range(tables)]


def create(dsn: str, tables: int) -> None:
    """Create the tables and their views, and one of each that no worker touches."""
    with connected(dsn) as connection:
        for name in (*names(tables), "calm"):
            for sql in (_TABLE, _INDEX):
                connection.run(sql.format(name=name))
            connection.run(_VIEW.format(name=f"{name}_view", table=name))


def _swap(connection: Connection, name: str, *, at_once: bool) -> None:
    """Replace a table by a new one of its name; `at_once` if no other session is to see it missing."""
    connection.run(f"DROP TABLE IF EXISTS {name}__tmp, {name}__backup CASCADE")
    for sql in (_TABLE, _INDEX):
        connection.run(sql.format(name=f"{name}__tmp"))
    connection.run("BEGIN" if at_once else "SELECT 1")
    connection.run(f"ALTER TABLE IF EXISTS {name} RENAME TO {name}__backup")
    connection.run(f"ALTER TABLE {name}__tmp RENAME TO {name}")
    connection.run("COMMIT" if at_once else "SELECT 1")
    connection.run(f"DROP TABLE IF EXISTS {name}__backup CASCADE")
    connection.run(_VIEW.format(name=f"{name}_view", table=name))


@contextmanager
def storm(dsn: str, tables: int) -> Iterator[None]:
    """Swap tables without a pause on several connections, from when each has started until the block ends."""
    stop, started = threading.Event(), threading.Barrier(WORKERS + 1)

    def work(number: int) -> int:
        own, swaps = names(tables)[number::WORKERS], 0
        with connected(dsn) as connection:
            while not stop.is_set():
                try:
                    _swap(connection, own[swaps % len(own)], at_once=number % 2 == 0)
                except ServerError as error:
                    if error.args[0]["C"] != _DEADLOCK:
                        raise
                    connection.run("ROLLBACK")
                swaps += 1
                if swaps == 1:
                    started.wait()
        return swaps

    with ThreadPoolExecutor(WORKERS) as pool:
        workers = [pool.submit(work, number) for number in range(WORKERS)]
        try:
            started.wait(60)
            yield
        finally:
            stop.set()
    # A worker that failed would have ended the storm early.
    assert all(worker.result() for worker in workers)


def attack(attack: Attack) -> Iterator[Outcome]:
    """Plan again and again while tables are swapped, the first time without any earlier reading."""
    times, tables = attack.times(PLANS, least=2), attack.times(TABLES, least=20)
    folder = attack.scratch / "project"
    folder.mkdir()
    with EmbeddedServer.start(attack.scratch / "postgres") as server:
        server.create_database("storm")
        dsn = server.dsn("storm")
        create(dsn, tables)
        (folder / "databases.yaml").write_text(f"databases: [{{name: storm, dsn: '{dsn}'}}]\n")
        with storm(dsn, tables):
            plans = [tribal_process("plan", "--json", cwd=folder) for _ in range(times)]
    failed = [plan.stderr for plan in plans if plan.returncode != 0]
    lost = [plan.stdout for plan in plans if plan.returncode == 0 and '"storm.public.calm_view"' not in plan.stdout]
    yield Outcome("plans", times, len(failed), example=failed[0][:300] if failed else "")
    yield Outcome("tables that no session touches", times, len(lost), example=lost[0][:300] if lost else "")
