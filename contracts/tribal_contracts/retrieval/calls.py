"""The call of a tool that one deployed function asks another for. Extension contract."""

from __future__ import annotations

from typing import Any

from tribal_contracts.core.shape import ClosedContract, Unset, optional


class CallerRecord(ClosedContract):
    """A verified caller; without databases and schemas everything may be seen, without rights everything be done."""

    subject: str
    databases: list[str] | Unset = optional()
    schemas: list[tuple[str, str]] | Unset = optional()
    rights: list[str] | Unset = optional()


class ToolCall(ClosedContract):
    """Which tool, with what, and for whom."""

    tool: str
    arguments: dict[str, Any]
    caller: CallerRecord


class ToolCallEvent(ClosedContract):
    """The whole event: no request of API Gateway looks like it, since that has an `httpMethod`."""

    tool_call: ToolCall
