"""State machines that really run, on moto, with functions that are plain Python."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import boto3
import pytest
from moto import mock_aws

from tests.e2e.stand_ins import run_functions_by

ACCOUNT = "123456789012"
REGION = "eu-central-1"
BUCKET = "store"
_ROLE = f"arn:aws:iam::{ACCOUNT}:role/run"
_LONGEST_SECONDS = 60.0
_POLL_SECONDS = 0.02

Answer = Callable[[dict[str, Any]], Any]


class Failure(Exception):
    """What a function raises; Lambda reports the name of the class, here the given one."""

    def __init__(self, error: str, cause: str = "") -> None:
        super().__init__(cause)
        self.error = error


@dataclass
class Account:
    """An account in which state machines call functions."""

    functions: dict[str, Answer] = field(default_factory=dict)
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def arn(self, function: str) -> str:
        """The ARN of a function."""
        return f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:{function}"

    def add_function(self, name: str, answer: Answer) -> str:
        """A function that answers as a Python function does."""
        self.functions[name] = answer
        _client("lambda").create_function(
            FunctionName=name, Runtime="python3.13", Role=_ROLE, Handler="x.y", Code={"ZipFile": b""}
        )
        return self.arn(name)

    def add_state_machine(self, name: str, definition: dict[str, Any]) -> str:
        """A state machine."""
        made = _client("stepfunctions").create_state_machine(
            name=name, definition=json.dumps(definition), roleArn=_ROLE
        )
        return str(made["stateMachineArn"])

    def put(self, key: str, content: Any) -> None:
        """An object of the store."""
        _client("s3").put_object(Bucket=BUCKET, Key=key, Body=json.dumps(content).encode())

    def run(self, machine: str, given: dict[str, Any] | None = None, name: str = "one") -> dict[str, Any]:
        """Start an execution, and wait for its end."""
        client = _client("stepfunctions")
        started = client.start_execution(stateMachineArn=machine, name=name, input=json.dumps(given or {}))
        return self.ended(str(started["executionArn"]))

    def ended(self, arn: str) -> dict[str, Any]:
        """An execution when it has ended."""
        client = _client("stepfunctions")
        end, pause = time.monotonic() + _LONGEST_SECONDS, threading.Event()
        while time.monotonic() < end:
            execution: dict[str, Any] = client.describe_execution(executionArn=arn)
            if execution["status"] != "RUNNING":
                return execution
            pause.wait(_POLL_SECONDS)
        raise AssertionError(f"{arn} is still running")

    def executions(self, machine: str) -> list[str]:
        """Names of the executions of a state machine."""
        listed = _client("stepfunctions").list_executions(stateMachineArn=machine)["executions"]
        return [execution["name"] for execution in listed]

    def state_sizes(self, execution: str) -> list[int]:
        """Bytes of what the states of an execution were given and handed on."""
        return list(carried_bytes(history_of(_client("stepfunctions"), execution)))

    def called(self, function: str) -> list[dict[str, Any]]:
        """What a function was called with."""
        return [event for name, event in self.calls if name == function]

    def _invoke(self, name: str, event: dict[str, Any]) -> tuple[str, bool]:
        self.calls.append((name, event))
        try:
            return json.dumps(self.functions[name](event)), False
        except Failure as failure:
            return json.dumps({"errorType": failure.error, "errorMessage": str(failure)}), True


def history_of(states: Any, execution: str) -> list[dict[str, Any]]:
    """Every event of an execution."""
    pages = states.get_paginator("get_execution_history").paginate(executionArn=execution)
    return [event for page in pages for event in page["events"]]


def carried_bytes(events: list[dict[str, Any]]) -> Iterator[int]:
    """Bytes of every input and output among the events of an execution."""
    for event in events:
        for details in event.values():
            if isinstance(details, dict):
                yield from (len(str(details[part]).encode()) for part in ("input", "output") if part in details)


@contextmanager
def empty_account(monkeypatch: pytest.MonkeyPatch) -> Iterator[Account]:
    """An empty account with a bucket."""
    for variable in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(variable, "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", REGION)
    with _running() as account:
        run_functions_by(monkeypatch, lambda function, event: account._invoke(function.function_name, event))
        yield account


@contextmanager
def _running() -> Iterator[Account]:
    with mock_aws(config={"stepfunctions": {"execute_state_machine": True}}):
        _client("iam").create_role(RoleName="run", AssumeRolePolicyDocument="{}")
        _client("s3").create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": REGION})
        yield Account()


def _client(service: str) -> Any:
    return boto3.client(service, region_name=REGION)
