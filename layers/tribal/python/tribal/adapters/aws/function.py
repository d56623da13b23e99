"""Invoking a Lambda function and waiting for its answer."""

from __future__ import annotations

from typing import Any

from tribal.adapters.aws.clients import ACCESS_DENIED
from tribal.errors import DeploymentRefused, DeploymentUnreachable


class LambdaFunction:
    """One function.

    Args:
        client: of Lambda.
        name: name or ARN of the function.
    """

    def __init__(self, client: Any, name: str) -> None:
        self._client = client
        self._name = name

    def __call__(self, event: bytes) -> bytes:
        """Send an event and return the answer.

        Raises:
            DeploymentRefused: when the role may not invoke it.
            DeploymentUnreachable: when it does not respond, or fails. Retryable.
        """
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            answer = self._client.invoke(FunctionName=self._name, Payload=event)
            data: bytes = answer["Payload"].read()
        except ClientError as exc:
            code = exc.response["Error"]["Code"]
            if code in ACCESS_DENIED:
                raise DeploymentRefused(
                    f"no permission to invoke the function {self._name}; deploy the stack again"
                ) from exc
            raise DeploymentUnreachable(f"the function {self._name} did not respond ({code}); try again") from exc
        except BotoCoreError as exc:
            raise DeploymentUnreachable(
                f"the function {self._name} did not respond ({type(exc).__name__}); try again"
            ) from exc
        if "FunctionError" in answer:
            # Its message may quote an event, and is in the function's log.
            raise DeploymentUnreachable(f"the function {self._name} failed; see its log, or try again")
        return data
