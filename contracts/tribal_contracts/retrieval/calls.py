"""The call of a tool that one deployed function asks another for. Extension contract."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from tribal_contracts.core.shape import ClosedContract, Unset, optional


class IdentityRecord(ClosedContract):
    """Who a verified caller is in the layers of memory."""

    user: str | Unset = optional()
    agent: str | Unset = optional()
    session: str | Unset = optional()
    projects: list[str] = Field(default_factory=list)
    teams: list[str] = Field(default_factory=list)
    orgs: list[str] = Field(default_factory=list)
    company: str | Unset = optional()
    chosen: list[tuple[str, str]] = Field(default_factory=list)
    """Layers, and which of several identifiers new memories go to."""


class CallerRecord(ClosedContract):
    """A verified caller; without databases and schemas everything may be seen, without rights everything be done."""

    subject: str
    databases: list[str] | Unset = optional()
    schemas: list[tuple[str, str]] | Unset = optional()
    rights: list[str] | Unset = optional()
    identity: IdentityRecord | Unset = optional()


class ToolCall(ClosedContract):
    """Which tool, with what, and for whom."""

    tool: str
    arguments: dict[str, Any]
    caller: CallerRecord


class ToolCallEvent(ClosedContract):
    """The whole event: no request of API Gateway looks like it, since that has an `httpMethod`."""

    tool_call: ToolCall
