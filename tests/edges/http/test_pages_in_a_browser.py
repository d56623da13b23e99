"""A page of another site calls the server from a real browser."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from servers.chromium import Chromium
from tests.edges.http.asking import Asking, asking
from tests.edges.http.test_other_origins import write_settings
from tests.edges.mcp.asked import index_project
from tests.fakes.http_server import HttpServer, Request, Response
from tests.waiting import wait_until

pytestmark = pytest.mark.xdist_group("chromium")

CALL = """
fetch(ADDRESS, {method: 'POST', headers: HEADERS, body: '{"query": "customer"}'})
  .then(answer => answer.json().then(content => [answer.status, content.success, answer.headers.get('X-Request-Id')]))
  .catch(error => [error.name])
"""


@pytest.fixture(name="sites", scope="module")
def sites_fixture() -> Iterator[tuple[HttpServer, HttpServer]]:
    async def page(_: Request) -> Response:
        return Response(200, b"<!doctype html><title>portal</title>", {"content-type": "text/html"})

    portal, other = HttpServer(page), HttpServer(page)
    yield portal, other
    portal.stop()
    other.stop()


@pytest.fixture(name="server", scope="module")
def server_fixture(tmp_path_factory: pytest.TempPathFactory, sites: tuple[HttpServer, HttpServer]) -> Iterator[Asking]:
    folder: Path = tmp_path_factory.mktemp("project")
    index_project(folder)
    write_settings(folder, address(sites[0]))
    with asking(folder) as running:
        yield running


def address(site: HttpServer) -> str:
    return f"http://127.0.0.1:{site.port}"


def told(chromium: Chromium, site: HttpServer, server: Asking) -> list[object]:
    """What a page of the site learns when it calls a tool with a token."""
    headers = {
        "content-type": "application/json",
        "authorization": f"Bearer {server.token(f'page-{site.port}')}",
        "x-request-id": "mine",
        "x-tribal-session": "s1",
    }
    script = CALL.replace("ADDRESS", json.dumps(f"{server.address}/v1/tools/search_tables"))
    tab = chromium.open(address(site))
    found: list[object] = tab.value(script.replace("HEADERS", json.dumps(headers)))
    return found


def test_only_a_page_of_a_named_site_gets_an_answer(
    chromium: Chromium, server: Asking, sites: tuple[HttpServer, HttpServer]
) -> None:
    portal, other = sites
    assert told(chromium, portal, server) == [200, True, "mine"]
    assert told(chromium, other, server) == ["TypeError"]
    # A request is logged after its answer was sent.
    wait_until(lambda: [line["status"] for line in server.log if line["method"] == "OPTIONS"] == [200, 403])
