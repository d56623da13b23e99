"""What is checked may be larger than what is asked."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest

from tests.capabilities.knowledge.test_publishing import write
from tests.cases import each_case
from tests.fakes import FixedClock, MemoryStore, application_over
from tribal.adapters.local.knowledge import KnowledgeFolder
from tribal.adapters.sqlite.index import SqliteIndex
from tribal.capabilities.knowledge.check import MAX_FILES_BYTES
from tribal.capabilities.knowledge.items.places import Layout, Place
from tribal.capabilities.knowledge.snapshots.publishing import publish
from tribal.edges.http.asgi.guards import Guards
from tribal.edges.http.asgi.messages import REQUEST_LOG
from tribal.edges.http.asgi.serving import Serving
from tribal.edges.http.audit import RequestLog
from tribal.edges.http.identity.callers import Callers, OwnTokens
from tribal.edges.http.messages import Request
from tribal.edges.http.routes import ROUTES, respond
from tribal.edges.http.routing import LARGEST_BODY_BYTES, largest_body
from tribal.ports import Application, Caller, Identity, Provider
from tribal.tools.registry import EVERYTHING

CHECK, QUERY = "/v1/tools/knowledge_check", "/v1/tools/knowledge_query"
READER = Caller("alice", identity=Identity("alice", projects=("till",)))


@pytest.fixture(name="app")
def app_fixture(tmp_path: Path) -> Application:
    store = MemoryStore()
    write(tmp_path, "0001-one.md", "# 1. One\n\nStatus: accepted\n")
    publish(KnowledgeFolder(tmp_path), Layout(flat=Place("project", "till", "adr")), store, "2026-11-23T08:00:00Z")
    return replace(application_over(SqliteIndex(tmp_path / "index.db")), store=Provider.of(store))


def asked(app: Application, path: str, content: Any) -> tuple[int, Any]:
    response = respond(Request("POST", path, READER, json.dumps(content).encode()), app, EVERYTHING)
    return response.status, json.loads(response.body)


def files(*sizes: int) -> dict[str, Any]:
    return {"files": [{"path": f"{number}.py", "content": "#" * size} for number, size in enumerate(sizes)]}


def test_a_megabyte_of_files_is_checked_in_one_call_and_not_a_byte_more(app: Application) -> None:
    half = MAX_FILES_BYTES // 2
    status, answer = asked(app, CHECK, files(half, half))
    assert (status, answer["passed"]) == (200, True)
    status, answer = asked(app, CHECK, files(half, half, 1))
    assert (status, answer["errorCode"]) == (400, "INVALID_INPUT")
    assert "1,048,576 bytes" in answer["message"]


def test_bytes_are_counted_and_not_characters(app: Application) -> None:
    wide = {"files": [{"path": "a.py", "content": "\u20ac" * (MAX_FILES_BYTES // 3 + 1)}]}
    assert asked(app, CHECK, wide)[0] == 400


def test_no_other_tool_takes_as_much(app: Application) -> None:
    status, answer = asked(app, QUERY, {"query": "x" * LARGEST_BODY_BYTES})
    assert (status, answer["error"]["code"]) == (413, "HTTP_BODY_TOO_LARGE")
    sizes = {name: largest_body(f"/v1/tools/{name}/", ROUTES, EVERYTHING) for name in EVERYTHING.tools}
    assert {name for name, size in sizes.items() if size != LARGEST_BODY_BYTES} == {"knowledge_check"}


@each_case(
    ("path", "size", "status"),
    [(CHECK, MAX_FILES_BYTES, 204), (CHECK, 5 << 20, 413), (QUERY, MAX_FILES_BYTES, 413)],
)
def test_a_server_of_its_own_receives_as_much_as_the_tool_takes(path: str, size: int, status: int) -> None:
    store, statuses = MemoryStore(), list[int]()
    tokens = OwnTokens(lambda: store, FixedClock().real, lambda: 0.0)
    serving = Serving(Callers(tokens, frozenset(), without_token=READER))
    waiting: list[dict[str, Any]] = [
        {"type": "http.request", "body": b"#" * size, "more_body": False},
        {"type": "http.disconnect"},
    ]

    async def inner(_scope: Any, receive: Any, send: Any) -> None:
        assert len((await receive())["body"]) == size
        await send({"type": "http.response.start", "status": 204, "headers": []})

    async def receive() -> dict[str, Any]:
        return waiting.pop(0)

    async def send(message: Any) -> None:
        statuses.append(message.get("status", 0))

    largest = partial(largest_body, routes=ROUTES, tools=EVERYTHING)
    guards = Guards(inner, serving, FixedClock(), lambda _: False, largest)
    scope = {
        "type": "http",
        "scheme": "http",
        "method": "POST",
        "path": path,
        "headers": [(b"host", b"localhost")],
        REQUEST_LOG: RequestLog("1", path, None, None),
    }
    anyio.run(guards, scope, receive, send)
    assert statuses[0] == status
