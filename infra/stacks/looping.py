"""States that call a function until it is done, in the Amazon States Language (JSONPath)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

States = dict[str, Any]

RETRYABLE_ERRORS = (
    "ConnectionLost",
    "DatabaseError",
    "DatabaseUnreachable",
    "DeploymentUnreachable",
    "DescriptionPostponed",
    "EmbeddingFailed",
    "IndexAbsent",
    "IndexNotReady",
    "IndexWriteFailed",
    "LeaseLost",
    "PreconditionFailed",
    "RunError",
    "RunInterrupted",
    "RunLocked",
    "SecretsUnavailable",
    "ServerUnavailable",
    "StatementConflict",
    "StatementTimedOut",
    "StoreError",
    "StoreUnwritable",
)
"""The retryable classes of `tribal.errors`, by the names that Lambda reports."""
LAMBDA_ERRORS = (
    "Lambda.AWSLambdaException",
    "Lambda.ClientExecutionTimeoutException",
    "Lambda.SdkClientException",
    "Lambda.ServiceException",
    "Lambda.TooManyRequestsException",
    "Sandbox.Timedout",
)
NEVER_RETRIED = ("LeaseLost", "RunLocked")
"""Retryable by starting another run, but not within this one."""
TOO_MANY_CALLS = "TooManySlices"
"""The error of a loop that never ends."""
_ATTEMPTS = 5
_FIRST_PAUSE_SECONDS = 2
_LONGEST_PAUSE_SECONDS = 60
_SECONDS_BEYOND_THE_FUNCTION = 30


def task_state(function: str, parameters: States, timeout_seconds: int) -> States:
    """A state that calls a function, retries what may pass, and has a time limit."""
    return {
        "Type": "Task",
        "Resource": function,
        "Parameters": parameters,
        "TimeoutSeconds": timeout_seconds + _SECONDS_BEYOND_THE_FUNCTION,
        "Retry": [
            {"ErrorEquals": list(NEVER_RETRIED), "MaxAttempts": 0},
            {
                "ErrorEquals": [*(name for name in RETRYABLE_ERRORS if name not in NEVER_RETRIED), *LAMBDA_ERRORS],
                "IntervalSeconds": _FIRST_PAUSE_SECONDS,
                "BackoffRate": 2,
                "MaxDelaySeconds": _LONGEST_PAUSE_SECONDS,
                "MaxAttempts": _ATTEMPTS,
                "JitterStrategy": "FULL",
            },
        ],
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """A function that is called until its `status` is no longer `running`."""

    name: str
    """Of the state that calls it."""
    fields: States
    """What is kept between calls, by path."""
    done: str
    """The state after the last call, which finds the function's answer under `$.result`."""
    too_many: str
    """The state after too many calls."""
    most: int
    """The most calls."""
    pause_seconds: int = 0
    """The pause between two calls."""


def looping_states(loop: Loop, call: States) -> States:
    """The states of a loop, which begins with `Before{name}`.

    Args:
        loop: what is called, and how often.
        call: its state, from `task_state`.
    """
    return {
        f"Before{loop.name}": {"Type": "Pass", "Parameters": {**loop.fields, "slices": 0}, "Next": loop.name},
        loop.name: call | {"ResultPath": "$.result", "Next": f"{loop.name}HowFar"},
        **loop_back(loop, loop.name),
    }


def loop_back(loop: Loop, again: str) -> States:
    """The states after a call, from `{name}HowFar` on, where the state `again` leads to the next call."""
    count, enough, pause = f"Count{loop.name}", f"Enough{loop.name}", f"Pause{loop.name}"
    limit = {"Variable": "$.slices", "NumericGreaterThanEquals": loop.most, "Next": loop.too_many}
    states: States = {
        f"{loop.name}HowFar": {
            "Type": "Choice",
            "Choices": [{"Variable": "$.result.status", "StringEquals": "running", "Next": count}],
            "Default": loop.done,
        },
        count: {
            "Type": "Pass",
            "Parameters": {**loop.fields, "slices.$": "States.MathAdd($.slices, 1)"},
            "Next": enough,
        },
        enough: {"Type": "Choice", "Choices": [limit], "Default": pause if loop.pause_seconds else again},
    }
    if loop.pause_seconds:
        states[pause] = {"Type": "Wait", "Seconds": loop.pause_seconds, "Next": again}
    return states
