"""Errors of `InvokeModel`, as botocore's model of the service has them (botocore/data/bedrock-runtime)."""

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


@cache
def statuses() -> dict[str, int]:
    """Status by name of the exceptions of `InvokeModel`."""
    model: Any = Loader().load_service_model("bedrock-runtime", "service-2")
    shapes = [each["shape"] for each in model["operations"]["InvokeModel"]["errors"]]
    return {name: model["shapes"][name]["error"]["httpStatusCode"] for name in shapes}


def exception(status: int) -> tuple[int, str]:
    """Status and name of the exception."""
    name = _NAMES[status]
    return statuses()[name], name
