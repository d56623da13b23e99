"""The official Python client of MCP, in both eras of the protocol."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from pathlib import Path
from typing import Any, Literal

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client, StdioServerParameters
from mcp_types import CallToolResult

from tests.edges.mcp.asked import server_command, server_environment

Era = Literal["legacy", "auto"]
ERAS: tuple[Era, ...] = ("legacy", "auto")
Server = StdioServerParameters | str
"""How a client reaches a server: a command to start, or an address."""
TRANSPORTS = ("stdio", "http")
MATRIX = [(transport, era) for transport in TRANSPORTS for era in ERAS]
CHOSEN = ("http", "auto")
"""Where `make test` calls every tool; `make verify` calls them in the rest of the matrix."""
over_every_connection = pytest.mark.parametrize(("server", "asker"), MATRIX, indirect=True, scope="module")
"""For handshakes, which differ between the connections."""
over_one_connection = pytest.mark.parametrize(
    ("server", "asker"),
    [pytest.param(*each, marks=() if each == CHOSEN else pytest.mark.verify) for each in MATRIX],
    indirect=True,
    scope="module",
)
"""For calls of tools, whose answers do not depend on the connection."""


def stdio_server(folder: Path) -> StdioServerParameters:
    """How a client starts the server of a project."""
    command, *arguments = server_command(folder)
    return StdioServerParameters(command=command, args=arguments, env=server_environment())


class ToolClient:
    """A client in a loop of its own."""

    def __init__(self, portal: BlockingPortal, client: Client) -> None:
        self.portal = portal
        self.client = client

    def call(self, tool: str, arguments: dict[str, Any]) -> CallToolResult:
        """Call a tool."""
        result: CallToolResult = self.portal.call(self.client.call_tool, tool, arguments)
        return result

    def list(self) -> Any:
        """List the tools."""
        return self.portal.call(self.client.list_tools)


@contextmanager
def asking(server: Server, era: Era) -> Iterator[ToolClient]:
    """Connect to a server until the block ends."""
    with start_blocking_portal() as portal:
        connecting: AbstractAsyncContextManager[Client] = Client(server, mode=era, read_timeout_seconds=60)
        with portal.wrap_async_context_manager(connecting) as client:
            yield ToolClient(portal, client)
