"""A run that no one starts from the command line: anyone who has an application has runs."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from tests.fakes import MemoryStore, RecordingSink
from tests.fakes.application import with_run
from tests.fakes.catalogs import HandMadeReader
from tests.sample_shop.documented import TABLES, Shop
from tribal.adapters.sqlite.index import SqliteIndex
from tribal.errors import LeaseLost, RunLocked, StoreUnwritable
from tribal.identity.locations import PLAN_FILE
from tribal.jobs.lease import RunLease
from tribal.jobs.lease_file import LeaseFile
from tribal.ports import Application, Caller, Provider, RunParameters, Selection
from tribal.runs.local import LocalRun
from tribal.tools.call import call_tool

pytestmark = pytest.mark.slow


@pytest.fixture
def app(tmp_path: Path) -> Application:
    open_index = partial(SqliteIndex, tmp_path / "index.db")
    return with_run(
        replace(Shop().app(), index=Provider(open_index)),
        open_reader=lambda _: HandMadeReader(TABLES),
        index_writer=open_index,
    )


def asking(app: Application, parameters: RunParameters) -> Application:
    """The same for a run of which something else is asked."""
    documenting = replace(app.options().documenting, force=parameters.force)
    options = replace(app.options(), selection=parameters.selection, documenting=documenting)
    return replace(app, options=Provider.of(options))


def test_a_run_plans_documents_and_indexes_and_its_tools_answer(app: Application) -> None:
    with LocalRun(app, "run", RecordingSink()) as work:
        assert len(work.plan().plan.work_units) == 3
        assert work.document()
        work.index()
    assert (work.record.status, work.record.tables_documented) == ("completed", len(TABLES))
    assert work.record.coverage is not None
    assert work.record.coverage.tables.n == len(TABLES)
    assert work.record.quote is None
    found = call_tool("list_domains", {}, Caller("test"), app).model_dump(mode="json")
    assert sorted(domain["name"] for domain in found["domains"]) == ["audit", "billing", "sales"]
    app.close()


def test_a_run_says_in_one_line_that_tables_of_earlier_rules_were_regrouped(app: Application) -> None:
    with LocalRun(app, "plan", RecordingSink()) as work:
        plan = json.loads(work.plan().plan.to_json())
    of_current_rules = RecordingSink()
    with LocalRun(app, "plan", of_current_rules) as work:
        work.plan()
    for analysis in plan["databases"]:
        del analysis["domain_rules"]
    renamed = json.dumps(plan).replace('"audit"', '"general"')
    app.store().put(PLAN_FILE, renamed.encode())
    sink = RecordingSink()
    with LocalRun(app, "plan", sink) as work:
        moves = work.plan().plan.moves or []
    assert {(move.from_domain, move.to_domain) for move in moves} == {("general", "audit")}
    (told,) = (note for note in sink.notes if "grouping rules" in note)
    assert told.startswith(f"{len(moves)} table")
    assert not [note for note in of_current_rules.notes if "grouping rules" in note]


def test_a_run_does_what_its_parameters_ask_for_and_no_more(app: Application) -> None:
    with LocalRun(app, "plan", RecordingSink()) as work:
        work.plan()
    assert work.record.coverage is None
    with LocalRun(
        asking(app, RunParameters(selection=Selection(domains=frozenset({"audit"})))), "document", RecordingSink()
    ) as work:
        work.document()
    assert (work.record.tables_documented, work.record.tables_unchanged) == (1, 0)
    with LocalRun(asking(app, RunParameters(force=True)), "document", RecordingSink()) as work:
        work.document()
    assert work.record.tables_documented == len(TABLES)


def test_a_run_that_loses_its_lease_ends_with_that_and_publishes_nothing(app: Application) -> None:
    with LocalRun(app, "plan", RecordingSink()) as work:
        work.plan()

    def lose_the_lease() -> None:
        with LocalRun(app, "document", RecordingSink()) as work:
            rival = LeaseFile(app.store(), app.clock)
            ours, etag = rival.read()
            assert ours is not None
            rival.put(ours.model_copy(update={"run_id": "rival", "fencing_token": ours.fencing_token + 1}), etag)
            work.document()

    with pytest.raises(LeaseLost, match="rival"):
        lose_the_lease()
    assert app.store().head("docs/documentation-manifest.json") is None


def test_two_runs_at_once_are_refused_and_what_has_another_name_is_not(app: Application) -> None:
    with (
        LocalRun(app, "plan", RecordingSink()),
        RunLease(LeaseFile(app.store(), app.clock, "knowledge"), "sync"),
        pytest.raises(RunLocked),
        LocalRun(app, "plan", RecordingSink()),
    ):
        pass


def test_starting_a_run_imports_no_command_line() -> None:
    code = "import tribal.runs.local, tribal.runs.staged, tribal.app.local, sys; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not any(name.startswith(("tribal.edges", "typer", "rich")) for name in loaded)


@pytest.mark.parametrize("again", ["document", "run"])
def test_what_became_of_an_edit_of_the_plan_is_in_the_record_once(app: Application, again: str) -> None:
    with LocalRun(app, "plan", RecordingSink()) as work:
        work.plan()
    plan = json.loads(app.store().get(PLAN_FILE).data)
    plan["databases"][0]["domains"]["sales"].append("shop.sales.gone")
    app.store().put(PLAN_FILE, json.dumps(plan).encode())
    with LocalRun(app, again, RecordingSink()) as work:
        if again == "run":
            work.plan()
        work.document()
    assert [error.code for error in work.record.errors if error.code.startswith("PLAN_EDIT")] == ["PLAN_EDIT_UNDONE"]
    assert work.record.status == "completed"


def test_a_store_that_refuses_the_plan_is_a_failure_of_planning(app: Application) -> None:
    class Full(MemoryStore):
        def put(self, key: str, data: bytes, *, if_match: str | None = None, if_absent: bool = False) -> str:
            if key.endswith("outline.json"):
                raise StoreUnwritable("no space left on device")
            return super().put(key, data, if_match=if_match, if_absent=if_absent)

    app = replace(app, store=Provider.of(Full()))
    with pytest.raises(StoreUnwritable) as caught, LocalRun(app, "plan", RecordingSink()) as work:
        work.plan()
    assert caught.value.code == "PLAN_WRITE_FAILED"
