"""Hand-offs of agents that failed: every field is there, with known inputs and the most cautious values."""

from __future__ import annotations

from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel

from tribal_contracts import AgentError
from tribal_contracts.contribution import HANDOFFS
from tribal_contracts.contribution.cycles import CycleRecord
from tribal_contracts.contribution.handoffs import AgentName, Handoff

_CAUTIOUS = ("failed", "medium", "bug-fix", "high", "draft", "failure", "double", "open")
"""The literals to prefer. Source: docs/contracts.md, Contribution."""


def failed_handoff(
    agent: AgentName, record: CycleRecord, error: AgentError, now: str, earlier: Handoff | None = None
) -> Handoff:
    """The hand-off of an agent that failed.

    Args:
        agent: the agent.
        record: its cycle.
        error: why it failed.
        now: the time.
        earlier: its last hand-off, whose values are repeated; agent 8 makes several.
    """
    if earlier is not None and not earlier.errors:
        return earlier.model_copy(update={"timestamp": now, "status": "failed", "errors": [error]})
    return _handoff(agent, record, now, {"status": "failed", "errors": [error.model_dump()]})


def blocked_handoff(agent: AgentName, record: CycleRecord, blocker: str, now: str) -> Handoff:
    """The hand-off of an agent that found that the repository does not allow the change."""
    return _handoff(agent, record, now, {"status": "completed", "blockers": [blocker]})


def _handoff(agent: AgentName, record: CycleRecord, now: str, values: dict[str, Any]) -> Handoff:
    _, kind = HANDOFFS[agent]
    whole = _cautious(kind) | {"agent": agent, "timestamp": now, "cycle": record.cycle} | values
    for path, value in _known(record).items():
        _set(whole, path, value)
    return kind.model_validate(whole)


def _known(record: CycleRecord) -> dict[tuple[str, ...], Any]:
    branch = record.publication.branch if record.publication else ""
    return {
        ("selected_issue", "url"): record.issue_url,
        ("selected_issue", "type"): "documentation",
        ("issue_url",): record.issue_url,
        ("branch",): branch,
        ("pr", "branch"): branch,
        ("pr", "draft"): True,
        ("issue_linked", "url"): record.issue_url,
    }


def _set(values: dict[str, Any], path: tuple[str, ...], value: Any) -> None:
    *folders, name = path
    for folder in folders:
        values = values.get(folder, {})
    if name in values:
        values[name] = value


def _cautious(kind: type[BaseModel]) -> dict[str, Any]:
    return {name: _value(field.annotation) for name, field in kind.model_fields.items() if field.is_required()}


def _value(annotation: Any) -> Any:
    origin = get_origin(annotation)
    if origin is Annotated:
        return _value(get_args(annotation)[0])
    if origin is Literal:
        choices = get_args(annotation)
        return next((each for each in _CAUTIOUS if each in choices), choices[0])
    if origin in (Union, UnionType):
        return None if NoneType in get_args(annotation) else _value(get_args(annotation)[0])
    if origin is list:
        return []
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return _cautious(annotation)
    return {str: "", int: 0, bool: False}[annotation]
