"""Uploads, spending and contributions of the scenario, killed at drawn moments."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from tests.scenario.company import DECISIONS, manuals
from tests.scenario.one_machine import OneMachine
from tests.scenario.place import eventually, finished
from tests.scenario.steps import (
    ANNOTATIONS,
    QUESTION,
    became,
    kill_after,
    recorded_nanodollars,
    require_handoffs,
    require_model_answered,
    sync,
)
from tribal_contracts import TableDocument

pytestmark = [pytest.mark.verify, pytest.mark.slow]
_TIMES = 20
_WRITES = ("add_blob", "add_tree", "add_commit", "add_ref", "open_pull", "add_labels")


@pytest.fixture(name="documented", scope="module", autouse=True)
def documented_fixture(machine: OneMachine) -> None:
    machine.decide(DECISIONS)
    machine.run()
    sync(machine)


@pytest.fixture(name="dice")
def dice_fixture() -> random.Random:
    return random.Random(67)


def test_an_upload_ends_completed_whenever_it_is_killed(machine: OneMachine, dice: random.Random) -> None:
    ada = machine.client("ada")
    for number in range(_TIMES):
        job_id = ada.upload("manuals", f"{number}.zip", manuals(first=100 * number, files=8))
        time.sleep(dice.uniform(0, 3))
        machine.kill()
        job = finished(ada, job_id)
        assert (job["status"], {each["status"] for each in job["files"]}) == ("completed", {"indexed"}), job


def test_no_kill_makes_the_recorded_spending_less_than_the_bill(machine: OneMachine, dice: random.Random) -> None:
    ada = machine.client("ada")
    finished(ada, ada.upload("manuals", "manuals.zip", manuals(files=2)))
    machine.vendor.latency_seconds = 0.2
    for _ in range(_TIMES):
        before = len(machine.vendor.calls)
        with machine.start_run("--new-prose") as run, ThreadPoolExecutor() as aside:
            # A new run takes over what the killed one had reserved; from then on all share.
            eventually(partial(_has_grown, machine.vendor.calls, before))
            for each in [aside.submit(ada.chat, QUESTION, "manuals") for _ in range(2)]:
                require_model_answered(each.result()[-1])
            time.sleep(dice.uniform(0, 1))
            run.kill()
        assert recorded_nanodollars(machine) >= machine.vendor.nanodollars
    assert machine.run().status == "completed"
    assert recorded_nanodollars(machine) >= machine.vendor.nanodollars


def _has_grown(calls: Sequence[object], before: int) -> bool:
    return len(calls) > before


def _undescribed(machine: OneMachine) -> list[tuple[str, str]]:
    """Columns that no comment describes."""
    paths = sorted(machine.project.glob("docs/company/*/*.json"))
    tables = [TableDocument.from_json(path.read_bytes()) for path in paths if path.name.count(".") == 2]
    columns = [(f"{table.schema_}.{table.table}", each) for table in tables for each in table.columns]
    return [(name, each.name) for name, each in columns if each.description.source == "derived"][:_TIMES]


def test_a_contribution_is_one_pull_request_whenever_it_is_killed(machine: OneMachine, dice: random.Random) -> None:
    ada, cem = machine.client("ada"), machine.client("cem")
    for table, column in _undescribed(machine):
        said = {"tables": {table: {"columns": {column: f"What finance means by {column}."}}}}
        machine.put(ANNOTATIONS, json.dumps(said).encode())
        cycle = ada.call("prepare_contribution")["cycle"]
        shown = became(machine, cycle, "waiting")
        killed = kill_after(machine, dice.choice(_WRITES), dice.uniform(0, 0.1))
        approved = cem.request("POST", f"/v1/contributions/{cycle}/approval", {"sha256": shown["sha256"]})
        assert approved.status_code == 202, approved.text
        became(machine, cycle, "following")
        eventually(partial(_has_grown, killed, 0))
        (pull,) = (each for each in machine.github.pulls.found if each.merged_by is None)
        assert pull.branch == shown["publication"]["branch"]
        machine.github.pulls.merge(pull.number)
        machine.follow()
    assert len(machine.github.pulls.found) == _TIMES
    require_handoffs(machine)
