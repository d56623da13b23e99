"""An error that no one foresaw costs the database, table or domain at which it happens, and ends the run as partial."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import NoReturn

import pytest

from tests.fakes import RecordingSink
from tests.fakes.application import with_run
from tests.fakes.catalogs import HandMadeReader, column, table
from tests.sample_shop.documented import TABLES, Shop
from tribal.adapters.sqlite.index import SqliteIndex
from tribal.describing import RulesDescriber, RulesDescribers
from tribal.edges.cli.views.run_report import record_exit_code
from tribal.errors import EXIT_PARTIAL
from tribal.identity import locations
from tribal.ports import (
    Application,
    CatalogContents,
    CatalogReader,
    DomainContext,
    DomainDescription,
    Provider,
    StopToken,
    TableContext,
    TableDescription,
)
from tribal.runs.local import LocalRun
from tribal.runs.staged import StagedRun
from tribal.runs.workers.pool import ThreadWorkerPool
from tribal.store import read_record, require_record
from tribal_contracts import (
    CatalogReading,
    DatabaseEntry,
    DocumentationManifest,
    RunOutline,
    RunRecord,
)

pytestmark = pytest.mark.slow

NAMES = ("shop", "other")
SHOP_TABLES = (*TABLES, table("sales.payment", column("customer_id")))
"""The last one has a key that is not declared, so that values are compared."""
OpenReader = Callable[[DatabaseEntry], CatalogReader]


class FaultyReader(HandMadeReader):
    """Fails to read."""

    def read(self) -> CatalogContents:
        raise KeyError("public_id")


class FaultyComparisons(HandMadeReader):
    """Fails while keys are inferred."""

    def overlaps(self, *_: object) -> NoReturn:
        raise KeyError("public_id")


class FaultyDescriber(RulesDescriber):
    """Fails to describe one table and one domain."""

    def describe_table(self, context: TableContext) -> TableDescription:
        if context.table.table_name == "invoice":
            raise KeyError("no rule for this")
        return super().describe_table(context)

    def describe_domain(self, context: DomainContext) -> DomainDescription:
        if context.domain == "audit":
            raise KeyError("no rule for this")
        return super().describe_domain(context)


class Describers(RulesDescribers):
    """Of the database `other`, a describer that a test gives."""

    def __init__(self, other: RulesDescriber) -> None:
        super().__init__()
        self._other = other

    def of(self, database: str, /) -> RulesDescriber:
        return self._other if database == "other" else super().of(database)


class FaultyUnits(RulesDescriber):
    """Fails outside of any table."""

    @property
    def at_once(self) -> int:
        raise KeyError("no such limit")


@pytest.fixture
def app(tmp_path: Path) -> Application:
    open_index = partial(SqliteIndex, tmp_path / "index.db")
    app = Shop().app()
    entries = tuple(app.options().databases[0].model_copy(update={"name": name}) for name in NAMES)
    options = Provider.of(replace(app.options(), databases=entries, configured=entries))
    return with_run(replace(app, options=options, index=Provider(open_index)), index_writer=open_index)


def opened(other: type[HandMadeReader]) -> OpenReader:
    return lambda entry: (other if entry.name == "other" else HandMadeReader)(SHOP_TABLES)


def run(app: Application, open_reader: OpenReader | None = None) -> RunRecord:
    with LocalRun(with_run(app, open_reader=open_reader or opened(HandMadeReader)), "run", RecordingSink()) as work:
        work.plan()
        if work.document():
            work.index()
    return work.record


def documented(app: Application) -> set[str]:
    manifest = require_record(app.store(), locations.MANIFEST_FILE, DocumentationManifest)
    return {f"{file.database}.{file.table}" for file in manifest.indexable_files if file.type == "table"}


SHOP = {f"shop.{each.table_name}" for each in SHOP_TABLES}
BOTH = SHOP | {f"other.{each.table_name}" for each in SHOP_TABLES}


def test_a_fault_while_a_database_is_read_is_recorded_and_the_others_are_documented(app: Application) -> None:
    record = run(app, opened(FaultyReader))
    assert (record.status, record_exit_code(record)) == ("partial", EXIT_PARTIAL)
    assert documented(app) == SHOP
    (error,) = record.errors
    assert error.code == "PLAN_INTERNAL"
    assert "'other' failed unexpectedly" in error.message
    assert "KeyError: 'public_id'" in error.message


def test_a_database_that_was_documented_before_stays_when_reading_it_fails_unexpectedly(app: Application) -> None:
    assert run(app).status == "completed"
    assert run(app, opened(FaultyReader)).status == "partial"
    assert documented(app) == BOTH


def test_a_fault_while_keys_are_inferred_costs_those_alone(app: Application) -> None:
    record = run(app, opened(FaultyComparisons))
    assert (record.status, record_exit_code(record)) == ("partial", EXIT_PARTIAL)
    assert documented(app) == BOTH
    (error,) = record.errors
    assert error.code == "PLAN_INTERNAL"
    assert "inferring keys of 'other'" in error.message
    latest = require_record(app.store(), locations.latest_reading_file("other"), CatalogReading)
    assert (latest.status, latest.table_count) == ("reachable", len(SHOP_TABLES))


@pytest.mark.parametrize("part", ["group_tables", "write_slice"])
def test_a_fault_while_a_database_is_planned_leaves_its_documents_and_those_of_the_others(
    part: str, app: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(app).status == "completed"
    module = import_module("tribal.planning.compose_plan")
    inner = getattr(module, part)

    def faulty(*arguments: object, **named: object) -> object:
        if "other" in (named.get("database"), getattr(arguments[0], "database", None)):
            raise KeyError("public_id")
        return inner(*arguments, **named)

    monkeypatch.setattr(module, part, faulty)
    record = run(app)
    assert (record.status, [error.code for error in record.errors]) == ("partial", ["PLAN_INTERNAL"])
    assert documented(app) == BOTH


def test_a_fault_at_one_table_and_one_domain_costs_these_alone(app: Application) -> None:
    faulty = with_run(app, describers=lambda _run, _stop: Describers(FaultyDescriber()))
    record = run(faulty)
    assert (record.status, record_exit_code(record)) == ("partial", EXIT_PARTIAL)
    assert documented(app) == BOTH - {"other.invoice"}
    assert {error.code for error in record.errors} == {"DOC_TABLE_EXTRACTION_FAILED", "DOC_DOMAIN_FAILED"}
    manifest = require_record(app.store(), locations.MANIFEST_FILE, DocumentationManifest)
    domains = {(file.database, file.domain) for file in manifest.indexable_files if file.type == "domain"}
    assert ("shop", "audit") in domains
    assert ("other", "audit") not in domains
    assert manifest.status == "partial"
    assert run(app).status == "completed"


def test_the_files_of_a_domain_stay_when_writing_it_again_fails(app: Application) -> None:
    assert run(app).status == "completed"
    faulty = with_run(app, describers=lambda _run, _stop: Describers(FaultyDescriber()))
    options = replace(app.options(), documenting=replace(app.options().documenting, force=True))
    run(replace(faulty, options=Provider.of(options)), opened(HandMadeReader))
    manifest = require_record(app.store(), locations.MANIFEST_FILE, DocumentationManifest)
    assert ("other", "audit") in {(f.database, f.domain) for f in manifest.indexable_files if f.type == "domain"}


def test_a_fault_at_a_unit_outside_of_its_tables_is_recorded_and_the_others_are_documented(app: Application) -> None:
    record = run(with_run(app, describers=lambda _run, _stop: Describers(FaultyUnits())))
    assert (record.status, record_exit_code(record)) == ("partial", EXIT_PARTIAL)
    assert documented(app) == SHOP
    assert {error.code for error in record.errors} == {"DOC_UNIT_FAILED"}
    assert all("KeyError: 'no such limit'" in error.message for error in record.errors)
    assert run(app).status == "completed"
    assert documented(app) == BOTH


def test_the_stages_of_a_deployed_run_contain_a_fault_of_one_database_too(app: Application) -> None:
    def staged(open_reader: OpenReader) -> StagedRun:
        parts = with_run(app, open_reader=open_reader)
        return StagedRun("run-1", "here", parts, StopToken(), ThreadWorkerPool(), RecordingSink())

    run = staged(opened(FaultyReader))
    entries = run.open("run")
    assert [run.read(entry.name).status for entry in entries] == ["reachable", "unreachable"]
    run.compose()
    outline = require_record(app.store(), locations.run_outline_file("run-1"), RunOutline)
    for unit_id in outline.unit_ids:
        assert run.document(unit_id) == "completed"
    assert run.finish() == "partial"
    assert documented(app) == SHOP
    assert read_record(app.store(), locations.latest_reading_file("other"), CatalogReading) is None


def test_a_deployed_run_whose_keys_could_not_all_be_inferred_is_partial(app: Application) -> None:
    parts = with_run(app, open_reader=opened(FaultyComparisons))
    run = StagedRun("run-1", "here", parts, StopToken(), ThreadWorkerPool(), RecordingSink())
    assert [run.read(entry.name).status for entry in run.open("run")] == ["reachable", "reachable"]
    run.compose()
    for unit_id in require_record(app.store(), locations.run_outline_file("run-1"), RunOutline).unit_ids:
        run.document(unit_id)
    assert run.finish() == "partial"
    assert documented(app) == BOTH
