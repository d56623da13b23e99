"""Errors of bedrock-runtime, as botocore's model of the service has them (botocore/data/bedrock-runtime)."""

from __future__ import annotations

from functools import cache
from typing import Any

from botocore.loaders import Loader

_NAMES = {
    400: "ValidationException",
    401: "AccessDeniedException",
    402: "AccessDeniedException",
    403: "AccessDeniedException",
    404: "ResourceNotFoundException",
    408: "ModelTimeoutException",
    413: "ValidationException",
    429: "ThrottlingException",
    500: "InternalServerException",
    504: "ModelTimeoutException",
    529: "ServiceUnavailableException",
}
"""What AWS would say where Anthropic answers so; https://docs.aws.amazon.com/bedrock/latest/APIReference/CommonErrors.html
and the service's model."""

_STREAMED = {
    "invalid_request_error": 400,
    "timeout_error": 408,
    "rate_limit_error": 429,
    "api_error": 500,
    "overloaded_error": 529,
}
"""Status by type of an error in a stream."""


@cache
def statuses() -> dict[str, int]:
    """Status by name of the exceptions of `InvokeModelWithResponseStream`, which has those of `InvokeModel` too."""
    model: Any = Loader().load_service_model("bedrock-runtime", "service-2")
    shapes = [each["shape"] for each in model["operations"]["InvokeModelWithResponseStream"]["errors"]]
    return {name: model["shapes"][name]["error"]["httpStatusCode"] for name in shapes}


def exception_in_stream(type_: str) -> str:
    """Name of the exception that a stream contains where Anthropic's has an error of a type."""
    name = _NAMES[_STREAMED[type_]]
    return name[0].lower() + name[1:]


def exception(status: int) -> tuple[int, str]:
    """Status and name of the exception."""
    name = _NAMES[status]
    return statuses()[name], name
