"""What is answered to a request that is refused: the error as data, in the shape in which commands print theirs."""

from __future__ import annotations

import json
from collections.abc import Mapping

from tribal.edges.http.messages import Response
from tribal.errors import TribalError
from tribal_contracts import AgentError


def refusal(error: TribalError, timestamp: str, headers: Mapping[str, str] | None = None) -> Response:
    """The response to a request that ends in this error, with the status that the one table has for it."""
    return failure(error.to_agent_error(timestamp), error.http_status, headers)


def failure(error: AgentError, status: int, headers: Mapping[str, str] | None = None) -> Response:
    """The response that tells a failure as data."""
    told = {"success": False, "error": error.model_dump(mode="json", exclude_none=True)}
    return Response(status, json.dumps(told).encode(), headers=headers or {})
