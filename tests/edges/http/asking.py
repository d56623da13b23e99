"""`tribal serve` in this process, with tools that ask a model and routes that only the tests have."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import pytest
from uvicorn import Server

from tests.edges.mcp.over_http import HEADERS
from tests.tools.questions import ASK_RIGHT, Questions
from tribal.app.local import local_application
from tribal.edges.http.asgi import application, starting
from tribal.edges.http.asgi.running import _config, listen
from tribal.edges.http.asgi.starting import ServerBlueprint
from tribal.edges.http.identity import callers
from tribal.edges.http.page import PAGE_ROUTES
from tribal.edges.http.routing import Route
from tribal.settings import load_settings
from tribal.store.access_tokens import add_token, new_token, token_record
from tribal.tools.registry import REGISTRY, Registry, with_model

NEWEST = "2026-07-28"


@dataclass
class Asking:
    """A running server."""

    port: int
    questions: Questions
    log: list[dict[str, Any]]
    folder: Path
    server: Server = field(repr=False)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ask(self, tool: str = "ask_model", token: str | None = None, **arguments: str) -> httpx2.Response:
        """Call a tool over HTTP."""
        headers = {} if token is None else {"authorization": f"Bearer {token}"}
        sent = arguments or {"question": "x"}
        return httpx2.post(f"{self.address}/v1/tools/{tool}", json=sent, headers=headers, timeout=30)

    def ask_over_mcp(self, tool: str = "ask_model", token: str | None = None, **arguments: str) -> httpx2.Response:
        """Call a tool over MCP."""
        message = {
            "jsonrpc": "2.0",
            "id": 7,
            "method": "tools/call",
            "params": {
                "name": tool,
                "arguments": arguments or {"question": "x"},
                "_meta": {
                    "io.modelcontextprotocol/protocolVersion": NEWEST,
                    "io.modelcontextprotocol/clientCapabilities": {},
                    "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
                },
            },
        }
        headers = {"mcp-protocol-version": NEWEST, "mcp-method": "tools/call", "mcp-name": tool, **HEADERS}
        if token is not None:
            headers["authorization"] = f"Bearer {token}"
        return httpx2.post(f"{self.address}/mcp", json=message, headers=headers, timeout=30)

    def token(self, name: str, *rights: str) -> str:
        """A new token; without rights it may read and ask."""
        made, given = new_token(), sorted(rights or ("documentation:read", ASK_RIGHT))
        with closing(local_application(load_settings(project=self.folder, environment={}))) as app:
            add_token(app.store(), token_record(made, name, (["shop"], given), app.clock.real(), 1))
        return made


@contextmanager
def asking(folder: Path, routes: Sequence[Route] = (), **blueprint: Any) -> Iterator[Asking]:
    """Serve a project until the block ends."""
    questions, log = Questions(), list[dict[str, Any]]()
    tools = Registry((*REGISTRY.groups, with_model(questions.group)))
    settings = load_settings(project=folder, environment={}, needs_databases=False)
    with pytest.MonkeyPatch.context() as patch, listen("127.0.0.1", 0) as listening:
        # So that every new token is known at once.
        patch.setattr(callers, "_LOOK_AGAIN_SECONDS", 0.0)
        patch.setattr(starting, "_tools_of", lambda _: tools)
        patch.setattr(starting, "write_line", lambda line: log.append(json.loads(line)))
        patch.setattr(application, "PAGE_ROUTES", (*PAGE_ROUTES, *routes))
        server = Server(_config(ServerBlueprint(settings, "127.0.0.1", **blueprint), 1))
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        try:
            yield Asking(listening.getsockname()[1], questions, log, folder, server)
        finally:
            questions.may_answer.set()
            server.should_exit = True
            thread.join(timeout=40)
            assert not thread.is_alive()
