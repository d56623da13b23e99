"""An MCP client that says its name is the agent that asks; it never says who the user is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from anyio.from_thread import start_blocking_portal
from mcp import Client
from mcp_types import Implementation

from tests.cases import each_case
from tribal.edges.mcp.server import build_server, with_agent
from tribal.ports import Caller, Identity
from tribal.tools.registry import REGISTRY
from tribal_contracts import Contract, ListDomainsOutput

ADA = Caller("ada", identity=Identity("ada"))


@contextmanager
def agents_seen(name: str, caller: Caller = ADA, mode: Any = "auto") -> Iterator[list[str | None]]:
    """The agents that tools see when a client of this name has called one."""
    seen: list[str | None] = []

    def call(_tool: str, _arguments: Any, asking: Caller) -> Contract:
        assert (asking.subject, asking.identity.user) == (caller.subject, caller.identity.user)
        seen.append(asking.identity.agent)
        return ListDomainsOutput.model_construct(success=True, domains=[], tokens_used=0)

    server = build_server(call, lambda context: with_agent(caller, context), REGISTRY)
    with start_blocking_portal() as portal:
        connecting: Any = Client(server, client_info=Implementation(name=name, version="1"), mode=mode)
        with portal.wrap_async_context_manager(connecting) as client:
            portal.call(lambda: client.session.call_tool("list_domains", {}))
            yield seen


@each_case("mode", ["auto", "legacy"])
def test_the_name_of_a_client_is_the_agent_in_every_protocol(mode: Any) -> None:
    with agents_seen("coder", mode=mode) as seen:
        assert seen == ["coder"]


def test_an_agent_that_the_request_names_is_kept() -> None:
    with agents_seen("coder", Caller("ada", identity=Identity("ada", agent="reviewer"))) as seen:
        assert seen == ["reviewer"]


@each_case("name", ["", "a\nb", "x" * 201, "\u202ex"])
def test_a_name_that_cannot_identify_is_none(name: str) -> None:
    with agents_seen(name) as seen:
        assert seen == [None]


def test_an_unidentified_caller_has_no_agent() -> None:
    with agents_seen("coder", Caller("test")) as seen:
        assert seen == [None]
