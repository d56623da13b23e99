"""The page without a library that docs/chat.md shows, in a real browser and from another site."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from servers.chromium import Chromium
from tests import ROOT
from tests.edges.http.chat.answers import ANSWER
from tests.edges.http.chat.serving import ChatServer, chatting
from tests.edges.http.test_other_origins import write_settings
from tests.edges.mcp.asked import index_project
from tests.fakes.http_server import HttpServer, Request, Response
from tribal.capabilities.chat.errors import QuestionInvalid
from tribal.capabilities.chat.events import TextPiece
from tribal.edges.http.chat.routes import QUESTIONS

pytestmark = pytest.mark.xdist_group("chromium")

EXAMPLE = (ROOT / "docs" / "chat.md").read_text(encoding="utf-8").partition("```html\n")[2].partition("```")[0]
API = "http://127.0.0.1:8080/api/chat/stream"
ASK = """
new Promise((done) => {
  const form = document.querySelector('form')
  form.question.value = 'who?'
  form.requestSubmit()
  const looking = setInterval(() => {
    if (!document.body.innerText.includes(WANTED)) return
    clearInterval(looking)
    done([...document.querySelectorAll('#text, #sources li')].map((each) => each.textContent))
  }, 10)
})
"""


@pytest.fixture(name="site", scope="module")
def site_fixture() -> Iterator[tuple[HttpServer, list[bytes]]]:
    """A site with one page, which the test writes."""
    pages = [b""]

    async def page(_: Request) -> Response:
        return Response(200, pages[0], {"content-type": "text/html; charset=utf-8"})

    server = HttpServer(page)
    yield server, pages
    server.stop()


@pytest.fixture(name="server", scope="module")
def server_fixture(
    tmp_path_factory: pytest.TempPathFactory, site: tuple[HttpServer, list[bytes]]
) -> Iterator[ChatServer]:
    folder: Path = tmp_path_factory.mktemp("project")
    index_project(folder)
    write_settings(folder, f"http://127.0.0.1:{site[0].port}")
    with chatting(folder) as running:
        site[1][0] = EXAMPLE.replace(API, f"{running.address}{QUESTIONS}").encode()
        yield running


def shown(chromium: Chromium, site: HttpServer, wanted: str) -> list[str]:
    """What the page shows of an answer once it has this text."""
    tab = chromium.open(f"http://127.0.0.1:{site.port}")
    found: list[str] = tab.value(ASK.replace("WANTED", json.dumps(wanted)))
    return found


def test_the_documented_page_shows_answers_sources_and_failures(
    chromium: Chromium, server: ChatServer, site: tuple[HttpServer, list[bytes]]
) -> None:
    assert API in EXAMPLE
    assert shown(chromium, site[0], "[2] manual.pdf") == [
        "Customers are people [1]. They return things [2].",
        "[1] shop.crm.customer",
        "[2] manual.pdf, page 7",
    ]
    server.chats.events = [TextPiece("<b>Half</b> \u2028 "), ValueError()]
    (text,) = shown(chromium, site[0], "unexpectedly")
    assert text.startswith("<b>Half</b> \u2028  (the answer failed unexpectedly")
    server.chats.refusal = QuestionInvalid("the question is blank")
    assert shown(chromium, site[0], "blank") == ["the question is blank"]
    assert [request.trigger for _, request in server.chats.asked] == [None] * 3
    server.chats.events, server.chats.refusal = ANSWER, None
