"""What the state machine of a documentation run does, run on moto with functions that follow a script."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from infra.stacks import run_definition as definition
from infra.stacks.run_definition import RunFunctions, start_definition
from tests.infra.state_machines import BUCKET, Account, Failure
from tribal_contracts import (
    CloseTask,
    ComposeTask,
    Contract,
    DocumentTask,
    FailedTask,
    FinishTask,
    OpenTask,
    ReadTask,
    RunRequest,
)

REQUEST: dict[str, Any] = RunRequest().model_dump(mode="json")


class Script:
    """The functions of a run, as far as the state machine sees them."""

    def __init__(self, account: Account) -> None:
        self.account = account
        self.databases = [{"name": "shop", "network": "here"}, {"name": "plant", "network": "there"}]
        self.waves = [[("a", "here"), ("b", "there")], [("c", "here")]]
        self.documenting: dict[str, Iterator[Any]] = {}
        self.finishing = iter(["completed"])
        self.failing: dict[str, Failure] = {}
        self.tasks: dict[str, type[Contract]] = {
            "open": OpenTask,
            "read": ReadTask,
            "compose": ComposeTask,
            "fail": FailedTask,
            "close": CloseTask,
        }

    def planner(self, event: dict[str, Any]) -> Any:
        """The planner: checks each task against its contract."""
        task = event["task"]
        self.tasks[task].model_validate(event["input"])
        if task in self.failing:
            raise self.failing[task]
        if task == "open":
            return {"run_id": "r1", "databases": self.databases, "databases_at_once": 1, "request": REQUEST}
        if task == "compose":
            keys = [f"progress/runs/r1/waves/{number}.json" for number in range(len(self.waves))]
            for key, wave in zip(keys, self.waves, strict=True):
                self.account.put(key, [{"unit_id": unit, "network": network} for unit, network in wave])
            waves = [{"key": key, "units": len(wave)} for key, wave in zip(keys, self.waves, strict=True)]
            return {"units": sum(map(len, self.waves)), "waves": waves, "units_at_once": 2}
        return {}

    def documenter(self, event: dict[str, Any]) -> Any:
        """The documenter: what the script says of the unit, else done."""
        unit = DocumentTask.model_validate(event).unit_id
        step = next(self.documenting.get(unit, iter(())), "completed")
        if isinstance(step, Failure):
            raise step
        return {"status": step}

    def finisher(self, event: dict[str, Any]) -> Any:
        """The finisher: what the script says next."""
        FinishTask.model_validate(event)
        return {"status": next(self.finishing)}

    def machine(self) -> str:
        """Everything deployed; answers the state machine."""
        account = self.account
        functions = RunFunctions(
            planners={group: account.add_function(f"planner-{group}", self.planner) for group in ("here", "there")},
            documenters={
                group: account.add_function(f"documenter-{group}", self.documenter) for group in ("here", "there")
            },
            finisher=account.add_function("finisher", self.finisher),
            timeouts={"planner": 900, "documenter": 900, "finisher": 900},
        )
        return account.add_state_machine(
            "run", definition.run_definition(functions, bucket=BUCKET, databases_at_once=2)
        )

    def tasks_of(self, *names: str) -> list[dict[str, Any]]:
        """The inputs of some tasks of the planners, in order."""
        events = [event for name, event in self.account.calls if name.startswith("planner")]
        return [event["input"] for event in events if event["task"] in names]

    def documented(self) -> list[str]:
        """Units in the order of the calls."""
        return [event["unit_id"] for name, event in self.account.calls if name.startswith("documenter")]


@pytest.fixture
def script(account: Account) -> Script:
    """A run of two databases in two networks, three units in two waves."""
    return Script(account)


def test_a_run_reads_composes_documents_wave_by_wave_finishes_and_closes(script: Script) -> None:
    assert script.account.run(script.machine())["status"] == "SUCCEEDED"
    assert sorted(task["database"] for task in script.tasks_of("read")) == ["plant", "shop"]
    assert sorted(script.documented()[:2]) == ["a", "b"]
    assert script.documented()[2:] == ["c"]
    assert script.tasks_of("close") == [{"run_id": "r1", "status": "completed"}]


def test_databases_and_units_are_worked_on_in_their_own_network(script: Script) -> None:
    script.account.run(script.machine())
    account = script.account
    assert [event["input"].get("database") for event in account.called("planner-there")] == ["plant"]
    assert [event["unit_id"] for event in account.called("documenter-there")] == ["b"]
    assert sorted(event["unit_id"] for event in account.called("documenter-here")) == ["a", "c"]


def test_the_request_of_an_operator_reaches_open(script: Script) -> None:
    script.account.run(script.machine(), {"databases": ["shop"], "force": True})
    (opened,) = script.tasks_of("open")
    assert opened["request"] == {"databases": ["shop"], "force": True}
    assert opened["execution"].endswith(":run:one")


def test_a_run_that_is_locked_out_ends_cleanly_and_touches_nothing(script: Script) -> None:
    script.failing["open"] = Failure("RunLocked", "another run holds the lease")
    assert script.account.run(script.machine())["status"] == "SUCCEEDED"
    assert [event["task"] for _, event in script.account.calls] == ["open"]


def test_a_unit_is_called_again_until_it_is_done(script: Script) -> None:
    script.documenting["b"] = iter(["running", "running", "completed"])
    script.account.run(script.machine())
    assert script.documented().count("b") == 3
    assert script.tasks_of("fail") == []


def test_a_unit_that_fails_for_good_is_recorded_and_the_others_are_documented(script: Script) -> None:
    script.documenting["a"] = iter([Failure("TableGone", "no such table")])
    script.finishing = iter(["partial"])
    assert script.account.run(script.machine())["status"] == "SUCCEEDED"
    (failed,) = script.tasks_of("fail")
    assert (failed["run_id"], failed["unit_id"], failed["error"]) == ("r1", "a", "TableGone")
    assert "no such table" in failed["cause"]
    assert sorted(script.documented()) == ["a", "b", "c"]
    assert script.tasks_of("close") == [{"run_id": "r1", "status": "partial"}]


def test_what_may_pass_is_tried_again_and_leaves_no_failure(script: Script) -> None:
    script.documenting["a"] = iter([Failure("ConnectionLost"), "completed"])
    script.account.run(script.machine())
    assert script.documented().count("a") == 2
    assert script.tasks_of("fail") == []


def test_a_lost_lease_is_not_tried_again(script: Script) -> None:
    script.documenting["c"] = iter([Failure("LeaseLost")])
    script.failing["fail"] = Failure("LeaseLost")
    script.failing["close"] = Failure("LeaseLost")
    assert script.account.run(script.machine())["status"] == "FAILED"
    assert script.documented().count("c") == 1
    assert len(script.tasks_of("fail")) == 1
    assert len(script.tasks_of("close")) == 1


def test_a_unit_that_never_ends_is_given_up(script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(definition, "MOST_SLICES", 3)
    script.documenting["c"] = iter(["running"] * 10)
    assert script.account.run(script.machine())["status"] == "SUCCEEDED"
    assert script.documented().count("c") == 3
    (failed,) = script.tasks_of("fail")
    assert (failed["unit_id"], failed["error"]) == ("c", "TooManySlices")


def test_a_unit_of_a_network_that_is_not_deployed_is_recorded_as_failed(script: Script) -> None:
    script.waves = [[("a", "elsewhere"), ("b", "here")]]
    assert script.account.run(script.machine())["status"] == "SUCCEEDED"
    assert script.documented() == ["b"]
    (failed,) = script.tasks_of("fail")
    assert (failed["unit_id"], failed["error"]) == ("a", "NetworkUnknown")


def test_a_database_of_a_network_that_is_not_deployed_fails_the_run_and_gives_the_lease_back(script: Script) -> None:
    script.databases = [{"name": "shop", "network": "elsewhere"}]
    assert script.account.run(script.machine())["status"] == "FAILED"
    (closed,) = script.tasks_of("close")
    assert (closed["status"], closed["error"]) == ("failed", "NetworkUnknown")


@pytest.mark.parametrize("task", ["read", "compose"])
def test_a_run_that_fails_on_the_way_is_closed_and_says_why(script: Script, task: str) -> None:
    script.failing[task] = Failure("PlanError", "there is nothing to document")
    execution = script.account.run(script.machine())
    assert (execution["status"], execution["error"]) == ("FAILED", "DocumentationRunFailed")
    (closed,) = script.tasks_of("close")
    assert (closed["status"], closed["error"]) == ("failed", "PlanError")
    assert "nothing to document" in closed["cause"]
    assert script.documented() == []


def test_an_error_without_a_cause_gives_the_lease_back_all_the_same(script: Script) -> None:
    choice = definition.run_definition(
        RunFunctions({"here": "p"}, {"here": "d"}, "f", {"planner": 1, "documenter": 1, "finisher": 1}),
        bucket=BUCKET,
        databases_at_once=1,
    )["States"]
    assert choice["Run"]["Catch"][0]["Next"] == "WhyItFailed"
    machine = script.account.add_state_machine(
        "closing",
        {
            "StartAt": "Begin",
            "States": {
                "Begin": {"Type": "Pass", "Result": {"failure": {"Error": "States.Timeout"}}, "Next": "WhyItFailed"},
                "WhyItFailed": choice["WhyItFailed"],
                "WhyItFailedUnsaid": choice["WhyItFailedUnsaid"],
                "CloseFailed": {"Type": "Pass", "End": True},
            },
        },
    )
    ended = script.account.run(machine)
    assert json.loads(ended["output"])["failure"] == {"Error": "States.Timeout", "Cause": ""}


def test_finish_is_called_again_until_it_is_done(script: Script) -> None:
    script.finishing = iter(["running", "running", "completed"])
    assert script.account.run(script.machine())["status"] == "SUCCEEDED"
    assert len(script.account.called("finisher")) == 3


def test_a_run_that_documents_nothing_at_all_is_closed_and_fails(script: Script) -> None:
    script.finishing = iter(["failed"])
    assert script.account.run(script.machine())["status"] == "FAILED"
    assert script.tasks_of("close") == [{"run_id": "r1", "status": "failed"}]


def test_a_run_without_work_is_finished_and_closed(script: Script) -> None:
    script.waves = []
    assert script.account.run(script.machine())["status"] == "SUCCEEDED"
    assert script.documented() == []
    assert len(script.account.called("finisher")) == 1


@pytest.mark.usefixtures("renamed_parameters")
def test_one_slot_of_the_schedule_starts_one_run_however_often_it_is_delivered(account: Account) -> None:
    run = account.add_state_machine("run", {"StartAt": "Done", "States": {"Done": {"Type": "Succeed"}}})
    start = account.add_state_machine("start", start_definition(run))
    for name in ("first", "second"):
        assert account.run(start, {"slot": "2026-11-21T02:30:00Z"}, name)["status"] == "SUCCEEDED"
    assert account.run(start, {"slot": "2026-11-22T02:30:00Z"}, "third")["status"] == "SUCCEEDED"
    assert sorted(account.executions(run)) == ["scheduled-2026-11-21T023000Z", "scheduled-2026-11-22T023000Z"]


def test_the_state_of_a_run_does_not_grow_with_its_units(script: Script) -> None:
    script.waves = [[(f"shop_billing_{number}", "here") for number in range(40)]]
    machine = script.machine()
    sizes = script.account.state_sizes(script.account.run(machine)["executionArn"])
    assert len(script.documented()) == 40
    assert max(sizes) < 1_000
