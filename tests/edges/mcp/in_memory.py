"""A client of the official SDK and a server in one process, over an index of some tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client

from tests.edges.mcp.asked import index_project
from tests.fakes import application_over
from tribal.adapters.sqlite.index import SqliteIndex
from tribal.edges.mcp.server import build_server
from tribal.edges.mcp.tool_client import local_calls
from tribal.identity.locations import INDEX_FILE
from tribal.ports import Caller
from tribal.tools.registry import REGISTRY, Registry
from tribal_contracts import TableDocument

EVERYONE = Caller("test")


class Session:
    """A client, called from a test that knows no loop."""

    def __init__(self, portal: BlockingPortal, client: Client) -> None:
        self._portal = portal
        self.client = client

    def ask(self, method: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        """What a method of the client returns."""
        return self._portal.call(lambda: method(*arguments, **named))

    def resources(self) -> list[Any]:
        """All pages of the resources."""
        listed = self.ask(self.client.list_resources)
        found = list(listed.resources)
        while listed.next_cursor is not None:
            listed = self.ask(self.client.list_resources, cursor=listed.next_cursor)
            found += listed.resources
        return found

    def read(self, uri: str) -> Any:
        """The one content of a resource."""
        (content,) = self.ask(self.client.read_resource, uri).contents
        return content


@contextmanager
def session_over(
    folder: Path,
    tables: Sequence[TableDocument] | None = None,
    *,
    caller: Caller = EVERYONE,
    tools: Registry = REGISTRY,
    mode: Any = "auto",
) -> Iterator[Session]:
    """A session over an index of these tables, or of the whole shop."""
    index_project(folder, tables)
    index = SqliteIndex(folder / INDEX_FILE)
    server = build_server(local_calls(application_over(index), tools), lambda _: caller, tools)
    with start_blocking_portal() as portal:
        connecting: Any = Client(server, mode=mode)
        with portal.wrap_async_context_manager(connecting) as client:
            yield Session(portal, client)
    index.close()
