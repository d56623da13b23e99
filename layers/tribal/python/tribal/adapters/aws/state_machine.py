"""The state machine that performs documentation runs, seen by a client that starts and follows them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from botocore.exceptions import ClientError

from tribal.adapters.aws.clients import error_code, translate_errors
from tribal.errors import ConfigurationError, DeploymentUnreachable
from tribal.ports.environment import Execution

_PAGE = 100
_PAGES = 3
"""Pages of executions to list: only recent runs matter."""
_LAST_EVENTS = 40


class StateMachine:
    """Starts and monitors executions of a state machine.

    Args:
        client: a boto3 client for Step Functions.
        arn: ARN of the state machine.
    """

    def __init__(self, client: Any, arn: str) -> None:
        self._client = client
        self.arn = arn

    def start_once(self, name: str, content: bytes) -> None:
        """Start an execution unless one of that name was started before, even if it has ended.

        Raises:
            ConfigurationError, DeploymentRefused, DeploymentUnreachable: as `start` does.
        """
        try:
            self.start(name, content)
        except DeploymentUnreachable as error:
            cause = error.__cause__
            if not isinstance(cause, ClientError) or error_code(cause) != "ExecutionAlreadyExists":
                raise

    def start(self, name: str, content: bytes) -> Execution:
        """Start an execution with this JSON as its input; idempotent for the same name and input.

        Raises:
            ConfigurationError: when the state machine does not exist. DeploymentRefused: when the caller lacks
            permission.
            DeploymentUnreachable: when Step Functions did not answer. Retryable.
        """
        with translate_errors(f"start {self.arn!r}", "states:StartExecution"):
            try:
                started = self._client.start_execution(stateMachineArn=self.arn, name=name, input=content.decode())
            except ClientError as exc:
                if error_code(exc) not in ("StateMachineDoesNotExist", "InvalidArn"):
                    raise
                raise ConfigurationError(
                    f"there is no state machine {self.arn!r}; deploy the environment, or correct the profile"
                ) from exc
        return Execution(started["executionArn"], started["startDate"], "RUNNING")

    def recent(self) -> Iterator[Execution]:
        """Recent executions, newest first.

        Raises:
            DeploymentRefused: when the caller lacks permission.
            DeploymentUnreachable: when Step Functions did not answer. Retryable.
        """
        more: dict[str, str] = {}
        for _ in range(_PAGES):
            with translate_errors(f"list the executions of {self.arn!r}", "states:ListExecutions"):
                page = self._client.list_executions(stateMachineArn=self.arn, maxResults=_PAGE, **more)
            for each in page["executions"]:
                yield Execution(each["executionArn"], each["startDate"], each["status"])
            if "nextToken" not in page:
                return
            more = {"nextToken": page["nextToken"]}

    def status(self, execution: str) -> str:
        """The current status of an execution.

        Raises:
            DeploymentRefused: when the caller lacks permission.
            DeploymentUnreachable: when Step Functions did not answer. Retryable.
        """
        with translate_errors(f"look at {execution!r}", "states:DescribeExecution"):
            return str(self._client.describe_execution(executionArn=execution)["status"])

    def failure(self, execution: str) -> tuple[str, str]:
        """Name and message of the last error that a function in a failed execution reported.

        Raises:
            DeploymentRefused: when the caller lacks permission.
            DeploymentUnreachable: when Step Functions did not answer. Retryable.
        """
        with translate_errors(f"read the history of {execution!r}", "states:GetExecutionHistory"):
            events = self._client.get_execution_history(
                executionArn=execution, reverseOrder=True, maxResults=_LAST_EVENTS
            )["events"]
        for event in events:
            details = event.get("lambdaFunctionFailedEventDetails") or event.get("taskFailedEventDetails")
            if details:
                message = _message(str(details.get("cause", "")))
                # The message may quote a database.
                return str(details.get("error", "")), "".join(c if c.isprintable() else " " for c in message)
        return "", ""


def _message(cause: str) -> str:
    """The message of a function's error, which Lambda wraps in JSON with the traceback."""
    try:
        content = json.loads(cause)
    except ValueError:
        return cause
    return str(content.get("errorMessage", cause)) if isinstance(content, dict) else cause
