"""State machines that call a function until its job has ended."""

from __future__ import annotations

from typing import Any

from infra.stacks.job_machine import job_definition
from tests.cases import each_case
from tests.infra.state_machines import Account, Failure
from tribal.ports.capability import MachineSpec

SPEC = MachineSpec(name="jobs", job="id", most_calls=9, pause_seconds=0, longest_seconds=600)


@each_case(
    ("error", "calls", "status"),
    [("Runtime.ExitError", 2, "SUCCEEDED"), ("Lambda.Unknown", 2, "SUCCEEDED"), ("RunLocked", 1, "FAILED")],
)
def test_a_job_goes_on_after_its_process_died(error: str, calls: int, status: str, account: Account) -> None:
    asked: list[dict[str, Any]] = []

    def work(event: dict[str, Any]) -> dict[str, Any]:
        asked.append(event)
        if len(asked) == 1:
            raise Failure(error)
        return {"status": "done"}

    name = error.rpartition(".")[2].lower()
    machine = account.add_state_machine(name, job_definition(SPEC, account.add_function(name, work), 900))
    assert account.run(machine, {"id": "1"}, name)["status"] == status
    assert len(asked) == calls
