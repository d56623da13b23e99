"""State machines that call a function of a capability until its job has ended.

They are written in the Amazon States Language (JSONPath).
"""

from __future__ import annotations

from infra.stacks.looping import Loop, States, looping_states, task_state
from tribal.ports.capability import MachineSpec

_DIED = ("Runtime.ExitError", "Lambda.Unknown")
"""A process that ended in the middle of a step. A job is kept after each step, so the next call resumes it."""
_DEATHS = 2


def job_definition(spec: MachineSpec, function: str, timeout_seconds: int) -> States:
    """The state machine that runs the job of an id.

    It succeeds when the job has ended, whatever its status, and fails when it cannot be brought to an end.
    """
    job = {f"{spec.job}.$": f"$.{spec.job}"}
    loop = Loop(
        name="Work",
        fields=job,
        done="Ended",
        too_many="Stuck",
        most=spec.most_calls,
        pause_seconds=spec.pause_seconds,
    )
    task = task_state(function, job, timeout_seconds)
    call = task | {
        "Retry": [*task["Retry"], {"ErrorEquals": list(_DIED), "IntervalSeconds": 2, "MaxAttempts": _DEATHS}],
        "Catch": [{"ErrorEquals": ["States.ALL"], "ResultPath": "$.failure", "Next": "Failed"}],
    }
    return {
        "Comment": f"{spec.name}: call the function until the job has ended",
        "StartAt": "BeforeWork",
        "TimeoutSeconds": spec.longest_seconds,
        "States": {
            **looping_states(loop, call),
            "Ended": {"Type": "Succeed"},
            "Stuck": {
                "Type": "Fail",
                "Error": "JobStuck",
                "Cause": "The job is still running after all calls; its record may say why",
            },
            "Failed": {"Type": "Fail", "Error": "JobFailed", "Cause": "The function failed; its log says why"},
        },
    }
