"""Responses to refused requests: the error as JSON, in the same shape as on the command line."""

from __future__ import annotations

import json
from collections.abc import Mapping

from tribal.edges.http.messages import Response
from tribal.errors import TribalError
from tribal_contracts import AgentError


def refusal(error: TribalError, timestamp: str, headers: Mapping[str, str] | None = None) -> Response:
    """The response for an error, with the status of its class."""
    return failure(error.to_agent_error(timestamp), error.http_status, headers)


def failure(error: AgentError, status: int, headers: Mapping[str, str] | None = None) -> Response:
    """The response for an error that is already data."""
    told = {"success": False, "error": error.model_dump(mode="json", exclude_none=True)}
    return Response(status, json.dumps(told).encode(), headers=headers or {})
