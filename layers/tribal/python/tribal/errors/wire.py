"""Failures in the shape that the memory specification gives them: seven codes, ours in `details`.

Source: memory specification, section 7.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tribal_contracts import AgentError, ToolError, agent_error
from tribal_contracts.core.camel import ToolErrorCode

RETRYABLE: frozenset[ToolErrorCode] = frozenset({"PROVIDER_ERROR", "RATE_LIMITED", "TIMEOUT", "CONFLICT"})
_NO_TIME = "1970-01-01T00:00:00Z"
"""Failures of these tools bear no time."""


def tool_error(error: AgentError, codes: Mapping[str, ToolErrorCode]) -> ToolError:
    """A failure by the codes of a capability; whatever they do not name is the provider's."""
    code = codes.get(error.code, "PROVIDER_ERROR")
    return ToolError(
        error_code=code,
        message=error.message,
        details={**(error.context or {}), "code": error.code},
        retryable=code in RETRYABLE,
    )


def error_of(answer: Any, internal: str) -> AgentError | None:
    """The error that an answer is, by our own code; `None` of an answer that succeeded."""
    if not isinstance(answer, ToolError):
        return None
    details = dict(answer.details or {})
    code = str(details.pop("code", internal))
    return agent_error(code, answer.message, timestamp=_NO_TIME, context=details or None)
