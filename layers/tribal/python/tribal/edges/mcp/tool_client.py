"""Calls tools for the MCP server, in this process or in a deployment's functions."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import mcp_types as types
from mcp.shared.exceptions import MCPError

from tribal.ports.application import Application
from tribal.ports.caller import Caller
from tribal.tools.call import call_tool, whole_answer
from tribal.tools.error_classes import error_class_of
from tribal.tools.registry import REGISTRY, Registry
from tribal_contracts import AgentError, Contract

CallTool = Callable[[str, Mapping[str, Any], Caller], Contract]
"""Calls a tool for a caller; an error becomes an answer in the failure shape of the tool's capability."""

_FIRST_SERVER_FAULT = 500


def local_calls(app: Application, tools: Registry = REGISTRY) -> CallTool:
    """A function that calls the tools in this process."""
    return lambda name, arguments, caller: call_tool(name, arguments, caller, app, tools)


@dataclass(frozen=True, slots=True)
class ToolClient:
    """Calls tools for one caller; a failed call becomes a protocol error."""

    call: CallTool
    tools: Registry
    caller: Caller

    def ask(self, name: str, **arguments: Any) -> Any:
        """The answer of a tool; arguments that are `None` are left out.

        Raises:
            MCPError: when the tool failed.
        """
        given = {key: value for key, value in arguments.items() if value is not None}
        answer = self.call(name, given, self.caller)
        error = self.tools.group_of(name).error_of(answer)
        if error is not None:
            raise protocol_error(error)
        return answer

    def ask_all_pages(self, name: str, **arguments: Any) -> Any:
        """All pages of a tool's answer as one.

        Raises:
            MCPError: when the tool failed on any page.
        """
        first = self.ask(name, **arguments)
        spec = self.tools.callable[name]
        return whole_answer(spec, first, lambda cursor: self.ask(name, **arguments, cursor=cursor), self.tools)


def protocol_error(error: AgentError) -> MCPError:
    """A tool's failure as an error of the protocol."""
    ours = error_class_of(error.code).http_status >= _FIRST_SERVER_FAULT
    code = types.INTERNAL_ERROR if ours else types.INVALID_PARAMS
    return MCPError(code, error.message, json.loads(error.to_compact_json()))
