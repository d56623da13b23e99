"""The calling agent: the name that an MCP client gives itself."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mcp.server.context import ServerRequestContext

from tribal.ports.caller import Caller
from tribal.ports.remembering.identity import is_identifier


def with_agent(caller: Caller, context: ServerRequestContext[Any]) -> Caller:
    """The caller with the client's name as its agent, unless it has an agent or the name is invalid."""
    params = context.session.client_params
    identity = caller.identity
    if params is None or identity.agent is not None or identity.user is None:
        return caller
    name = params.client_info.name.strip()
    return replace(caller, identity=replace(identity, agent=name)) if is_identifier(name) else caller
