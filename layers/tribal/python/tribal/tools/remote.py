"""Calls tools in another process for a verified caller, and answers such calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from tribal.errors import TribalError
from tribal.identity.scope import Scope
from tribal.ports.application import Application
from tribal.ports.caller import Caller
from tribal.ports.remembering.identity import UNIDENTIFIED, Identity
from tribal.ports.running import Clock
from tribal.tools.call import call_tool, read_answer, with_tokens_used
from tribal.tools.registry import REGISTRY, Registry
from tribal_contracts import CallerRecord, Contract, IdentityRecord, ToolCall, ToolCallEvent

Send = Callable[[bytes], bytes]
"""Sends an event and returns the answer; raises a `TribalError` when it fails."""


class RemoteTools:
    """Calls tools through the functions that implement them; an undeliverable call becomes a failed answer.

    Args:
        send: sends calls to the function with all tools that are not in `others`.
        clock: for the time in failures.
        tools: the tools that may be called.
        others: sends calls to other functions, by tool name.
    """

    def __init__(
        self, send: Send, clock: Clock, tools: Registry = REGISTRY, others: Mapping[str, Send] | None = None
    ) -> None:
        self._send = send
        self._others = dict(others or {})
        self._clock = clock
        self._tools = tools

    def __call__(self, name: str, arguments: Mapping[str, Any], caller: Caller) -> Contract:
        """Call a tool.

        Raises:
            KeyError: when there is no tool of that name.
        """
        spec, capability = self._tools.callable[name], self._tools.group_of(name)
        call = ToolCall(tool=name, arguments=dict(arguments), caller=_record(caller))
        try:
            send = self._others.get(name, self._send)
            return read_answer(name, send(ToolCallEvent(tool_call=call).to_compact_json()), self._tools)
        except TribalError as exc:
            error = exc.to_agent_error(self._clock.published())
        return with_tokens_used(capability.failed(spec, arguments, error))


def is_tool_call(event: Mapping[str, Any]) -> bool:
    """Whether an event is a tool call; a request from API Gateway never is, whatever its content."""
    return set(event) == {"tool_call"}


def read_tool_call(event: Mapping[str, Any]) -> ToolCall:
    """Parse an event as a tool call.

    Raises:
        pydantic.ValidationError: when fields are missing or unknown.
    """
    return ToolCallEvent.model_validate(dict(event)).tool_call


def answer_tool_call(call: ToolCall, app: Application, tools: Registry = REGISTRY) -> Contract:
    """Answer a call from another process, which has verified the caller.

    Raises:
        KeyError: when there is no tool of that name.
    """
    return call_tool(call.tool, call.arguments, _caller(call.caller), app, tools)


def _record(caller: Caller) -> CallerRecord:
    scope = caller.scope
    return CallerRecord(
        subject=caller.subject,
        databases=None if scope.databases is None else sorted(scope.databases),
        schemas=None if scope.schemas is None else sorted(scope.schemas),
        rights=None if caller.rights is None else sorted(caller.rights),
        identity=None if caller.identity == UNIDENTIFIED else identity_record(caller.identity),
    )


def _caller(record: CallerRecord) -> Caller:
    scope = Scope(
        None if record.databases is None else frozenset(record.databases),
        None if record.schemas is None else frozenset(record.schemas),
    )
    identity = UNIDENTIFIED if record.identity is None else identity_of_record(record.identity)
    return Caller(record.subject, scope, None if record.rights is None else frozenset(record.rights), identity)


def identity_record(identity: Identity) -> IdentityRecord:
    """An identity as it is sent."""
    return IdentityRecord.model_validate(asdict(identity))


def identity_of_record(record: IdentityRecord) -> Identity:
    """The identity that was sent."""
    several = {name: tuple(getattr(record, name)) for name in ("projects", "teams", "orgs", "chosen")}
    return Identity(record.user, record.agent, record.session, company=record.company, **several)
