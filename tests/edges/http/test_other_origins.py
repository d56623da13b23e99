"""Pages of other sites: those that the settings name may call the server, and none may write for others."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from tests.cases import each_case
from tests.edges.http.asking import Asking, asking
from tests.edges.mcp.asked import index_project
from tests.edges.mcp.over_http import HEADERS
from tests.edges.mcp.raw_session import HELLO
from tests.tools.questions import START_RIGHT
from tribal.errors import ConfigurationError
from tribal.settings import load_settings

PORTAL = "https://portal.example.com"
OTHER = "https://evil.example"
CORRECTION = {"table": "crm.customer", "words": "People who bought something."}


def write_settings(folder: Path, *origins: str) -> None:
    content = {"databases": [{"name": "shop", "dsn": "postgresql://localhost/shop"}], "serve": {"origins": origins}}
    (folder / "databases.yaml").write_text(json.dumps(content), encoding="utf-8")


@pytest.fixture(name="server", scope="module")
def server_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asking]:
    folder = tmp_path_factory.mktemp("project")
    index_project(folder)
    write_settings(folder, PORTAL, "http://localhost:3000")
    with asking(folder, write=True) as running:
        running.questions.may_answer.set()
        yield running


def preflight(server: Asking, origin: str, path: str = "/v1/tools/search_tables", **headers: str) -> httpx2.Response:
    asked = {"origin": origin, "access-control-request-method": "POST"}
    asked["access-control-request-headers"] = "authorization, content-type"
    return httpx2.options(f"{server.address}{path}", headers={**asked, **headers})


def call(server: Asking, origin: str, tool: str = "search_tables", **arguments: str) -> httpx2.Response:
    content = arguments or {"query": "customer"}
    return httpx2.post(f"{server.address}/v1/tools/{tool}", json=content, headers={"origin": origin}, timeout=30)


@each_case("path", ["/v1/tools/search_tables", "/mcp", "/v1/tools", "/health"])
def test_a_browser_learns_what_a_page_of_a_named_site_may_send(server: Asking, path: str) -> None:
    answer = preflight(server, PORTAL, path)
    assert (answer.status_code, answer.content) == (200, b"")
    allowed = {name.strip().lower() for name in answer.headers["access-control-allow-headers"].split(",")}
    assert {"authorization", "content-type", "x-tribal-session", "mcp-session-id"} <= allowed
    assert "POST" in answer.headers["access-control-allow-methods"]
    assert answer.headers["access-control-allow-origin"] == PORTAL
    assert int(answer.headers["access-control-max-age"]) > 0
    assert "access-control-allow-credentials" not in answer.headers


@each_case("origin", [PORTAL, "http://localhost:3000"])
def test_a_page_of_a_named_site_may_read_answers(server: Asking, origin: str) -> None:
    answer = call(server, origin)
    assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (200, origin)
    assert "Origin" in answer.headers["vary"]
    hello = httpx2.post(f"{server.address}/mcp", json=HELLO, headers={**HEADERS, "origin": origin})
    assert (hello.status_code, hello.headers["access-control-allow-origin"]) == (200, origin)
    assert "MCP-Session-Id" in hello.headers["access-control-expose-headers"]


def test_a_page_of_a_named_site_may_read_refusals(server: Asking) -> None:
    headers = {"origin": PORTAL, "authorization": "Bearer tribal_" + "0" * 72}
    refused = httpx2.get(f"{server.address}/v1/tools", headers=headers)
    assert (refused.status_code, refused.headers["access-control-allow-origin"]) == (401, PORTAL)


@each_case(
    "origin",
    [
        OTHER,
        "null",
        "http://portal.example.com",
        f"{PORTAL}.evil.example",
        f"{PORTAL}:8443",
        "https://x.portal.example.com",
        "http://localhost:3001",
        "*",
    ],
)
def test_pages_of_all_other_sites_are_refused(server: Asking, origin: str) -> None:
    for answer in (preflight(server, origin), call(server, origin)):
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "HTTP_ORIGIN_REFUSED")
        assert not [name for name in answer.headers if name.startswith("access-control")]


def test_a_host_that_is_not_the_servers_is_refused_to_named_sites_too(server: Asking) -> None:
    refused = preflight(server, PORTAL, host="rebound.example")
    assert (refused.status_code, "access-control-allow-origin" in refused.headers) == (421, False)


def test_programs_and_our_own_page_are_answered_as_before_and_caches_keep_origins_apart(server: Asking) -> None:
    own = {"origin": server.address}
    for headers in ({}, own):
        answer = httpx2.get(f"{server.address}/health", headers=headers)
        assert (answer.status_code, "access-control-allow-origin" in answer.headers) == (200, False)
        assert "Origin" in answer.headers["vary"]
    refused = httpx2.options(f"{server.address}/health", headers={"origin": PORTAL})
    assert (refused.status_code, refused.headers["allow"]) == (405, "GET, HEAD")


@each_case("path", ["/v1/corrections", "/v1/corrections/preview"])
def test_corrections_are_refused_from_pages_of_named_sites(server: Asking, path: str) -> None:
    assert preflight(server, PORTAL, path).status_code == 403
    for token in (None, server.token(f"ada-{path.count('/')}", "annotations:write", "documentation:read")):
        headers = {"origin": PORTAL} | ({} if token is None else {"authorization": f"Bearer {token}"})
        refused = httpx2.post(f"{server.address}{path}", json=CORRECTION, headers=headers)
        assert (refused.status_code, refused.json()["error"]["code"]) == (403, "HTTP_ORIGIN_REFUSED")
    own = httpx2.post(f"{server.address}{path}", json=CORRECTION, headers={"origin": server.address})
    assert own.status_code in (200, 400)


def test_without_a_token_a_page_of_a_named_site_may_ask_but_start_nothing(server: Asking) -> None:
    assert call(server, PORTAL, "ask_model", question="x").json()["by_model"] is True
    refused = call(server, PORTAL, "start_asking", question="x")
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "RET_ACCESS_DENIED")
    assert server.ask("start_asking").status_code == 200
    headers = {"origin": PORTAL, "authorization": f"Bearer {server.token('starter', START_RIGHT)}"}
    started = httpx2.post(f"{server.address}/v1/tools/start_asking", json={"question": "x"}, headers=headers)
    assert started.status_code == 200


@each_case(
    "origin",
    [
        "*",
        "null",
        "portal.example.com",
        "https://portal.example.com/",
        "https://portal.example.com/app",
        "https://*.example.com",
        "https://portal.example.com:443",
        "http://portal:80",
        "https://user@portal.example.com",
        "ftp://portal.example.com",
        "https://",
        "https://portal.example.com?x",
        "https://b\u00fccher.example",
    ],
)
def test_what_is_no_origin_is_reported_with_its_value_and_line(tmp_path: Path, origin: str) -> None:
    write_settings(tmp_path, PORTAL, origin)
    with pytest.raises(ConfigurationError) as refused:
        load_settings(project=tmp_path, environment={}, needs_databases=False)
    assert f"serve.origins: {origin!r} is not an origin" in refused.value.message
    assert "databases.yaml, line 1:" in refused.value.message
    assert "such as https://portal.example.com" in refused.value.message


@each_case(
    "origin", ["https://portal.example.com:8443", "http://localhost:3000", "http://[::1]:3000", "HTTPS://Portal"]
)
def test_origins_are_taken(tmp_path: Path, origin: str) -> None:
    write_settings(tmp_path, origin)
    settings = load_settings(project=tmp_path, environment={}, needs_databases=False)
    assert settings.serve.origins == [origin]
