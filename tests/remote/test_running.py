"""`tribal --profile NAME run` and `tail`: a run of the real state machine, seen from the command line."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.functions.calls import Context
from tests.plugins.postgres import FreshDatabase
from tests.remote.environments import Deployed, deployed
from tests.waiting import wait_until

SHOP = (
    "CREATE SCHEMA sales; CREATE TABLE sales.orders (id int PRIMARY KEY); CREATE TABLE sales.line (id int PRIMARY KEY)"
)


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Deployed]:
    """An environment that no one has configured yet."""
    with deployed(tmp_path, monkeypatch) as made:
        yield made


def configure(environment: Deployed, *dsns: str) -> None:
    entries = "".join(f"  - name: shop{number}\n    dsn: '{dsn}'\n" for number, dsn in enumerate(dsns, start=1))
    environment.configure(f"databases:\n{entries}")


def slow_machine(environment: Deployed) -> None:
    """Let executions take their time, so that they can be stopped."""
    waiting = {"StartAt": "Wait", "States": {"Wait": {"Type": "Wait", "Seconds": 50, "End": True}}}
    environment.client("stepfunctions").update_state_machine(
        stateMachineArn=environment.machine, definition=json.dumps(waiting)
    )


def executions(environment: Deployed) -> list[dict[str, Any]]:
    client = environment.client("stepfunctions")
    listed = client.list_executions(stateMachineArn=environment.machine)["executions"]
    return [client.describe_execution(executionArn=each["executionArn"]) for each in listed]


def open_elsewhere() -> str:
    """Another run of the environment, which holds the lease."""
    from functions.planner.handler import handle

    task = {"execution": "arn:another", "started_at": "2026-11-21T02:45:00.000Z", "request": {}, "databases_at_once": 4}
    context = Context(invoked_function_arn="arn:aws:lambda:eu-central-1:123456789012:function:tribal-dev-planner-home")
    return str(handle({"task": "open", "input": task}, context)["run_id"])


def test_a_run_is_started_followed_and_looked_at_afterwards(
    environment: Deployed, fresh_database: FreshDatabase
) -> None:
    configure(environment, fresh_database(SHOP))
    assert "`tribal --profile dev run`" in environment.ask("status").stdout
    assert environment.ask("tail").returncode == 6
    ran = environment.ask("run", "--follow")
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines()[0] == "completed: 2 tables documented, 0 unchanged, 0 failed."
    assert "tribal --profile dev status" in ran.stdout
    assert "document: 2 tables" in ran.stderr.splitlines()
    assert any(line.endswith(": completed, 2 of 2 tables") for line in ran.stderr.splitlines())
    (execution,) = executions(environment)
    assert f"Started: execution {execution['name']} (" in ran.stderr
    again = environment.ask("tail", "--json")
    assert (again.returncode, again.stderr) == (0, "")
    record = json.loads(again.stdout)
    assert record == json.loads(environment.record(record["run_id"]).to_json())
    assert record["run_id"] in ran.stderr


def test_what_is_asked_for_reaches_the_state_machine(environment: Deployed) -> None:
    slow_machine(environment)
    options = (
        "--database shop1 --database shop2 --domain sales -u shop1_sales --force --retry-failed --replan --new-prose"
    )
    started = environment.ask("run", *options.split(), "--json")
    assert started.returncode == 0, started.stderr
    told = json.loads(started.stdout)
    (execution,) = executions(environment)
    assert (told["execution"], told["name"]) == (execution["executionArn"], execution["name"])
    assert told["state_machine"] == environment.machine
    assert json.loads(execution["input"]) == {
        "databases": ["shop1", "shop2"],
        "domains": ["sales"],
        "units": ["shop1_sales"],
        "force": True,
        "retry_failed": True,
        "new_prose": True,
        "replan": True,
    }


def test_the_command_that_follows_it_is_named(environment: Deployed) -> None:
    slow_machine(environment)
    started = environment.ask("run")
    (execution,) = executions(environment)
    assert started.stdout.splitlines()[0] == f"Started: execution {execution['name']}."
    command = started.stdout.splitlines()[1].partition("`")[2].partition("`")[0].split()
    assert command[:4] == ["tribal", "--profile", "dev", "tail"]
    environment.client("stepfunctions").stop_execution(executionArn=execution["executionArn"])
    stopped = environment.tribal(*command[1:])
    assert (stopped.returncode, "ABORTED" in stopped.stderr) == (130, True), stopped.stderr


def test_what_no_domain_can_be_named_is_refused_before_anything_begins(environment: Deployed) -> None:
    ran = environment.ask("run", "--domain", "Not A Domain")
    assert (ran.returncode, "'Not A Domain'" in ran.stderr) == (2, True)
    assert executions(environment) == []


def test_a_run_that_cannot_begin_says_why_with_the_exit_code_of_a_run_here(environment: Deployed) -> None:
    ran = environment.ask("run", "--follow")
    assert ran.returncode == 2
    assert "upload it: aws s3 cp databases.yaml s3://" in ran.stderr


def test_a_run_that_ends_early_says_why_with_the_exit_code_of_a_run_here(
    environment: Deployed, fresh_database: FreshDatabase
) -> None:
    configure(environment, fresh_database())
    ran = environment.ask("run", "--follow")
    assert ran.returncode == 6, ran.stderr
    assert ran.stdout.startswith("failed: ")
    assert "nothing to document" in ran.stderr
    status = environment.ask("status").stdout
    assert "failed" in status.splitlines()[0]
    assert "nothing to document" in status


def test_a_run_that_was_done_in_part_ends_with_one(environment: Deployed, fresh_database: FreshDatabase) -> None:
    configure(environment, fresh_database(SHOP), "postgresql://u@127.0.0.1:1/nowhere")
    ran = environment.ask("run", "--follow", "--json")
    assert ran.returncode == 1, ran.stderr
    record = json.loads(ran.stdout)
    assert (record["status"], record["tables_documented"]) == ("partial", 2)


def test_while_another_run_is_in_progress_none_is_started(environment: Deployed, fresh_database: FreshDatabase) -> None:
    configure(environment, fresh_database(SHOP))
    run_id = open_elsewhere()
    ran = environment.ask("run")
    assert ran.returncode == 4
    assert run_id in ran.stderr
    assert "the deployed environment (function tribal-dev-planner-home)" in ran.stderr
    assert "`tribal --profile dev tail`" in ran.stderr
    assert executions(environment) == []
    shown = environment.ask("status").stdout
    assert f"running: run {run_id} by the deployed environment (function tribal-dev-planner-home)" in shown


def test_an_execution_that_another_run_kept_out_is_no_success(
    environment: Deployed, fresh_database: FreshDatabase
) -> None:
    from tribal.runs.records import execution_run_id

    configure(environment, fresh_database(SHOP))
    open_elsewhere()
    client = environment.client("stepfunctions")
    started = client.start_execution(stateMachineArn=environment.machine, name="late", input="{}")
    ran = environment.ask("tail", execution_run_id(started["executionArn"], started["startDate"]))
    assert (ran.returncode, "another run is in progress" in ran.stderr) == (4, True), ran.stderr


def test_a_run_that_no_one_knows_is_not_waited_for(environment: Deployed) -> None:
    ran = environment.ask("tail", "20200101T000000Z-abcdef")
    assert (ran.returncode, "'20200101T000000Z-abcdef'" in ran.stderr) == (6, True)


def test_ctrl_c_ends_the_following_and_not_the_run(environment: Deployed) -> None:
    slow_machine(environment)
    following = environment.start("run", "--follow")
    assert following.stderr is not None
    while "following run" not in following.stderr.readline():
        assert following.poll() is None
    # Its next line would come when the run begins; a look at the execution shows that it is followed.
    wait_until(lambda: len(executions(environment)) == 1)
    following.send_signal(signal.SIGINT)
    _, errors = following.communicate(timeout=60)
    assert following.returncode == 130
    assert "the run continues" in errors
    assert "tribal --profile dev tail " in errors
    (execution,) = executions(environment)
    assert execution["status"] == "RUNNING"
