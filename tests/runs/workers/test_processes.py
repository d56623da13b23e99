"""How many processes document a run."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes import options
from tribal.ports import Options
from tribal.runs.workers.processes import WORTH_PROCESSES, processes_for
from tribal_contracts import DatabaseEntry, ModelSettings, OutlineUnit, RunOutline


def outline(units: int, tables: int) -> RunOutline:
    """A plan of units with as many tables each, all of which have to be documented."""
    return RunOutline(
        schema_version="1.0",
        run_id="r",
        plan_hash="0" * 64,
        config_hash="0" * 64,
        databases=[],
        units=[
            OutlineUnit(id=f"u{n}", database="shop", domain="sales", tables=tables, depends_on=[]) for n in range(units)
        ],
        errors=[],
    )


@pytest.fixture
def opts() -> Options:
    return options(DatabaseEntry(name="shop", dsn="postgresql://u@localhost/shop"))


def test_a_small_run_needs_no_worker(opts: Options) -> None:
    assert processes_for(opts, outline(units=2, tables=(WORTH_PROCESSES - 2) // 2)) == 1


def test_workers_keep_to_the_connections_that_a_database_allows(opts: Options) -> None:
    wanted = replace(opts, worker_processes=16)
    assert processes_for(wanted, outline(units=40, tables=25)) == opts.databases[0].limits.connections == 4
    many = replace(opts, planning=replace(opts.planning, units_at_once=64))
    assert processes_for(many, outline(units=40, tables=25)) <= 4


def test_there_are_no_more_workers_than_units(opts: Options) -> None:
    assert processes_for(replace(opts, worker_processes=3), outline(units=2, tables=25)) == 2


def test_one_process_documents_where_a_model_describes_and_several_where_it_is_kept_from_every_database() -> None:
    model = ModelSettings(provider="bedrock", name="m")
    asked = replace(options(DatabaseEntry(name="shop")), model=model, worker_processes=3)
    assert processes_for(asked, outline(units=2, tables=25)) == 1
    kept = replace(asked, databases=(DatabaseEntry(name="shop", describer="rules"),))
    assert processes_for(kept, outline(units=2, tables=25)) == 2
