"""How Lambda calls a function."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass
class Context:
    """A call with so many milliseconds left, each look at the clock costing some."""

    remaining_ms: int = 900_000
    cost_ms: int = 0
    function_name: str = "test"
    memory_limit_in_mb: int = 512
    invoked_function_arn: str = "arn:aws:lambda:eu-central-1:123456789012:function:test"
    aws_request_id: str = "00000000-0000-0000-0000-000000000000"

    def get_remaining_time_in_millis(self) -> int:
        self.remaining_ms -= self.cost_ms
        return self.remaining_ms


def sqs_record(identifier: str, body: str) -> dict[str, Any]:
    """A message as SQS hands it over."""
    return {
        "messageId": identifier,
        "receiptHandle": "x",
        "body": body,
        "attributes": {},
        "messageAttributes": {},
        "md5OfBody": "",
        "eventSource": "aws:sqs",
        "eventSourceARN": "arn:aws:sqs:eu-central-1:123456789012:queue",
        "awsRegion": "eu-central-1",
    }


def api_request(method: str, path: str, body: str | None, authorizer: dict[str, str] | None = None) -> dict[str, Any]:
    """A request as API Gateway hands it over, with the context of its authorizer."""
    return {
        "resource": path,
        "path": path,
        "httpMethod": method,
        "headers": {"content-type": "application/json"},
        "multiValueHeaders": {},
        "queryStringParameters": None,
        "multiValueQueryStringParameters": None,
        "pathParameters": None,
        "stageVariables": None,
        "requestContext": {
            "authorizer": authorizer,
            "path": path,
            "stage": "v1",
            "httpMethod": method,
            "requestId": "r",
            "identity": {"sourceIp": "127.0.0.1"},
        },
        "body": body,
        "isBase64Encoded": False,
    }
