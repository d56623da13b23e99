"""The state machines of a documentation run, in the Amazon States Language (JSONPath).

State holds names and keys, never content: plan, units and failures are in the store.
"""

from __future__ import annotations

from dataclasses import dataclass

from infra.stacks.looping import TOO_MANY_CALLS, Loop, States, loop_back, looping_states, task_state

RUN_SECONDS = 24 * 3600
MOST_SLICES = 200
"""The most calls of one unit, or of Finish, that may return `running`."""
_STARTED_BEFORE = "StepFunctions.ExecutionAlreadyExistsException"
_UNKNOWN_NETWORK = "NetworkUnknown"


@dataclass(frozen=True, slots=True)
class RunFunctions:
    """ARNs of a run's functions: planners and documenters by network group, starting with the home group."""

    planners: dict[str, str]
    documenters: dict[str, str]
    finisher: str
    timeouts: dict[str, int]
    """Timeout in seconds by package."""

    @property
    def home(self) -> str:
        """The planner for tasks that need no database."""
        return next(iter(self.planners.values()))


def run_definition(functions: RunFunctions, *, bucket: str, databases_at_once: int) -> States:
    """The state machine of a documentation run.

    Open -> (read the catalogs -> compose -> document, wave by wave -> finish) -> close; the run is closed after any
    failure, so that its lease is released.
    """
    planner_seconds = functions.timeouts["planner"]
    work = {
        "StartAt": "ReadCatalogs",
        "States": {
            **_read(functions),
            **_compose(functions),
            **_waves(functions, bucket),
            **_finish(functions),
        },
    }
    opening = {
        "task": "open",
        "input": {
            "execution.$": "$$.Execution.Id",
            "started_at.$": "$$.Execution.StartTime",
            "request.$": "$$.Execution.Input",
            "databases_at_once": databases_at_once,
        },
    }
    return {
        "Comment": "A documentation run: read catalogs, compose the plan, document its units, finish, close",
        "StartAt": "Open",
        "TimeoutSeconds": RUN_SECONDS,
        "States": {
            "Open": task_state(functions.home, opening, planner_seconds)
            | {
                "Catch": [
                    {"ErrorEquals": ["RunLocked"], "ResultPath": None, "Next": "AnotherRunIsUnderWay"},
                    {"ErrorEquals": ["States.ALL"], "ResultPath": "$.failure", "Next": "RunFailed"},
                ],
                "Next": "Run",
            },
            "AnotherRunIsUnderWay": {"Type": "Succeed", "Comment": "It holds the lease; nothing is to be done here"},
            "Run": {
                "Type": "Parallel",
                "Comment": "One branch, so that one Catch covers everything",
                "Branches": [work],
                "ResultSelector": {"branch.$": "States.ArrayGetItem($, 0)"},
                "ResultPath": "$.finished",
                "Catch": [{"ErrorEquals": ["States.ALL"], "ResultPath": "$.failure", "Next": "WhyItFailed"}],
                "Next": "Close",
            },
            **_with_cause("WhyItFailed", "CloseFailed"),
            "Close": _closing(functions, {"status.$": "$.finished.branch.status"}) | {"Next": "HowItEnded"},
            "CloseFailed": _closing(
                functions, {"status": "failed", "error.$": "$.failure.Error", "cause.$": "$.failure.Cause"}
            )
            | {"Next": "RunFailed"},
            "HowItEnded": {
                "Type": "Choice",
                "Choices": [{"Variable": "$.finished.branch.status", "StringEquals": "failed", "Next": "RunFailed"}],
                "Default": "Done",
            },
            "Done": {"Type": "Succeed"},
            "RunFailed": {
                "Type": "Fail",
                "Error": "DocumentationRunFailed",
                "Cause": "The record of the run in the store, progress/runs/RUN_ID/run.json, says why",
            },
        },
    }


def start_definition(run_state_machine: str) -> States:
    """The state machine that the schedule starts; it starts the run under a name made from the scheduled time.

    The scheduler delivers at least once, and a second delivery finds the name taken. The scheduler's own placeholder
    for the time cannot be used as the name, since execution names may not contain colons.
    """
    parts = [f"States.ArrayGetItem(States.StringSplit($.slot, ':'), {place})" for place in range(3)]
    name = f"States.Format('scheduled-{{}}{{}}{{}}', {', '.join(parts)})"
    return {
        "Comment": "Starts the documentation run of one slot of the schedule, once",
        "StartAt": "StartRun",
        "TimeoutSeconds": 300,
        "States": {
            "StartRun": {
                "Type": "Task",
                "Resource": "arn:aws:states:::states:startExecution",
                "Parameters": {"StateMachineArn": run_state_machine, "Name.$": name, "Input": "{}"},
                "Retry": [
                    {"ErrorEquals": [_STARTED_BEFORE], "MaxAttempts": 0},
                    {"ErrorEquals": ["States.TaskFailed"], "IntervalSeconds": 2, "MaxAttempts": 5, "BackoffRate": 2},
                ],
                "Catch": [
                    {
                        "ErrorEquals": [_STARTED_BEFORE],
                        "ResultPath": None,
                        "Next": "HasBeenStarted",
                    }
                ],
                "Next": "Started",
            },
            "Started": {"Type": "Succeed"},
            "HasBeenStarted": {"Type": "Succeed"},
        },
    }


def _read(functions: RunFunctions) -> States:
    reading = {"task": "read", "input": {"run_id.$": "$.run_id", "database.$": "$.database.name"}}
    names = {group: f"Read-{group}" for group in functions.planners}
    states: States = {
        "ReadWhere": _by_network("$.database.network", names, "ReadNowhere"),
        "ReadNowhere": {
            "Type": "Fail",
            "Error": _UNKNOWN_NETWORK,
            "Cause": "databases.yaml names a network that the environment does not have; add it there and deploy",
        },
    }
    for group, planner in functions.planners.items():
        # Results of the children are dropped: the readings are in the store.
        states[names[group]] = task_state(planner, reading, functions.timeouts["planner"]) | {
            "ResultSelector": {},
            "End": True,
        }
    return {
        "ReadCatalogs": {
            "Type": "Map",
            "ItemsPath": "$.databases",
            "ItemSelector": {"run_id.$": "$.run_id", "database.$": "$$.Map.Item.Value"},
            "MaxConcurrencyPath": "$.databases_at_once",
            "ItemProcessor": {"ProcessorConfig": {"Mode": "INLINE"}, "StartAt": "ReadWhere", "States": states},
            "ResultPath": None,
            "Next": "Compose",
        }
    }


def _compose(functions: RunFunctions) -> States:
    composing = {"task": "compose", "input": {"run_id.$": "$.run_id", "request.$": "$.request"}}
    return {
        "Compose": task_state(functions.home, composing, functions.timeouts["planner"])
        | {"ResultPath": "$.plan", "Next": "BeforeTheFirstWave"},
        "BeforeTheFirstWave": {
            "Type": "Pass",
            "Parameters": {"next": 0, "waves.$": "States.ArrayLength($.plan.waves)"},
            "ResultPath": "$.wave",
            "Next": "AnotherWave",
        },
    }


def _waves(functions: RunFunctions, bucket: str) -> States:
    return {
        "AnotherWave": {
            "Type": "Choice",
            "Choices": [{"Variable": "$.wave.next", "NumericLessThanPath": "$.wave.waves", "Next": "PickWave"}],
            "Default": "BeforeFinish",
        },
        "PickWave": {
            "Type": "Pass",
            "Parameters": {
                "picked.$": "States.ArrayGetItem($.plan.waves, $.wave.next)",
                "next.$": "States.MathAdd($.wave.next, 1)",
                "waves.$": "$.wave.waves",
            },
            "ResultPath": "$.wave",
            "Next": "DocumentUnits",
        },
        "DocumentUnits": {
            "Type": "Map",
            "Label": "units",
            "ItemReader": {
                "Resource": "arn:aws:states:::s3:getObject",
                "ReaderConfig": {"InputType": "JSON"},
                "Parameters": {"Bucket": bucket, "Key.$": "$.wave.picked.key"},
            },
            "ItemSelector": {
                "run_id.$": "$.run_id",
                "request.$": "$.request",
                "unit.$": "$$.Map.Item.Value",
                "slices": 0,
            },
            "MaxConcurrencyPath": "$.plan.units_at_once",
            "ItemProcessor": {
                "ProcessorConfig": {"Mode": "DISTRIBUTED", "ExecutionType": "STANDARD"},
                "StartAt": "DocumentWhere",
                "States": _unit(functions),
            },
            "ResultPath": None,
            "Next": "AnotherWave",
        },
    }


def _unit(functions: RunFunctions) -> States:
    """One work unit in a child execution: documented slice by slice, failures recorded, no output."""
    task = {"run_id.$": "$.run_id", "unit_id.$": "$.unit.unit_id", "request.$": "$.request"}
    kept = {"run_id.$": "$.run_id", "request.$": "$.request", "unit.$": "$.unit"}
    loop = Loop(name="Document", fields=kept, done="UnitDone", too_many="TooManySlices", most=MOST_SLICES)
    names = {group: f"Document-{group}" for group in functions.documenters}
    recording = {
        "task": "fail",
        "input": {
            "run_id.$": "$.run_id",
            "unit_id.$": "$.unit.unit_id",
            "error.$": "$.failure.Error",
            "cause.$": "$.failure.Cause",
        },
    }
    states: States = {
        "DocumentWhere": _by_network("$.unit.network", names, "NoSuchNetwork"),
        "NoSuchNetwork": _failure(
            _UNKNOWN_NETWORK, "databases.yaml names a network that the environment does not have", "RecordFailure"
        ),
        **loop_back(loop, "DocumentWhere"),
        "TooManySlices": _failure(
            TOO_MANY_CALLS, "the unit handed back unfinished too often; its tables may be too slow", "RecordFailure"
        ),
        **_with_cause("WhyNotDocumented", "RecordFailure"),
        "RecordFailure": task_state(functions.home, recording, functions.timeouts["planner"])
        | {"ResultPath": None, "Next": "UnitDone"},
        "UnitDone": {"Type": "Pass", "Parameters": {}, "End": True},
    }
    for group, documenter in functions.documenters.items():
        states[names[group]] = task_state(documenter, task, functions.timeouts["documenter"]) | {
            "ResultPath": "$.result",
            "Catch": [{"ErrorEquals": ["States.ALL"], "ResultPath": "$.failure", "Next": "WhyNotDocumented"}],
            "Next": "DocumentHowFar",
        }
    return states


def _finish(functions: RunFunctions) -> States:
    run = {"run_id.$": "$.run_id"}
    loop = Loop(name="Finish", fields=run, done="Finished", too_many="FinishTooLong", most=MOST_SLICES)
    return {
        **looping_states(loop, task_state(functions.finisher, run, functions.timeouts["finisher"])),
        "FinishTooLong": {
            "Type": "Fail",
            "Error": TOO_MANY_CALLS,
            "Cause": "Finish never came to an end",
        },
        "Finished": {"Type": "Pass", "Parameters": {"status.$": "$.result.status"}, "End": True},
    }


def _closing(functions: RunFunctions, how: dict[str, str]) -> States:
    content = {"task": "close", "input": {"run_id.$": "$.run_id", **how}}
    return task_state(functions.home, content, functions.timeouts["planner"]) | {"ResultPath": None}


def _by_network(variable: str, names: dict[str, str], otherwise: str) -> States:
    choices = [{"Variable": variable, "StringEquals": group, "Next": name} for group, name in names.items()]
    return {"Type": "Choice", "Choices": choices, "Default": otherwise}


def _with_cause(name: str, following: str) -> States:
    """Give a caught failure a cause: a timeout may have none, and a path to a missing field is fatal."""
    blank = f"{name}Unsaid"
    present = {"Variable": "$.failure.Cause", "IsPresent": True, "Next": following}
    return {
        name: {"Type": "Choice", "Choices": [present], "Default": blank},
        blank: {"Type": "Pass", "Result": "", "ResultPath": "$.failure.Cause", "Next": following},
    }


def _failure(error: str, cause: str, following: str) -> States:
    return {"Type": "Pass", "Result": {"Error": error, "Cause": cause}, "ResultPath": "$.failure", "Next": following}
