"""People ask on the served page: answers grow, cite what they are from, are refused or break off, and can be marked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from servers.chromium import Chromium, Tab
from tests.cases import each_case
from tests.edges.http.chat.answers import APPROVED, REFUSED
from tests.edges.http.chat.serving import ChatServer, chatting, handed_over
from tests.edges.http.served import Served
from tests.edges.mcp.asked import index_project
from tests.rendering.web.sites import heard, looking, visit, written_site
from tribal.capabilities.chat.events import Finished, Governed, SourcesFound, Step, TextPiece
from tribal.errors import StoreError
from tribal_contracts.chat.events import ChatSource

pytestmark = pytest.mark.xdist_group("chromium")

HOSTILE = "<img src=x onerror=window.ran=1> [read](javascript:window.ran=1) **bold** ![x](https://example.org/x)"
ANSWER = "document.querySelector('.answer')"
WIDTHS = [1280, 390]


def cited(number: int, title: str, url: str | None = None) -> ChatSource:
    """A source with this title."""
    return ChatSource(
        source_filename=title.partition(",")[0],
        page_number=7,
        course_id="catalog",
        source_id=str(number),
        title=title,
        url=url,
    )


TABLE = cited(1, "shop.crm.customer", "tribal://shop/crm/customer")
JOIN = cited(2, "shop.crm.customer and shop.sales.order_line", "tribal://shop/crm/customer")
DOMAIN = cited(3, "sales", "tribal://shop/domains/sales")
PAGE = cited(4, "manual.pdf, page 7")


@pytest.fixture(name="project")
def project_fixture(tmp_path: Path) -> Path:
    index_project(tmp_path)
    return tmp_path


@pytest.fixture(name="chat")
def chat_fixture(project: Path) -> Iterator[ChatServer]:
    with chatting(project, write=True) as server:
        yield server


def ask(tab: Tab, question: str) -> None:
    """Type a question and press Enter."""
    tab.until("document.querySelector('#question')")
    tab.value("document.querySelector('#question').focus()")
    tab.type(question)
    tab.press("Enter")


@each_case("width", WIDTHS)
def test_an_answer_grows_and_its_sources_open(chromium: Chromium, chat: ChatServer, width: int) -> None:
    chat.chats.pieces = pieces = handed_over()
    with looking(chromium, f"{chat.address}/", "#/ask") as tab:
        tab.resize(width, 900)
        assert heard(tab) == []
        ask(tab, "who is a customer?")
        pieces.put(Step("Found 2 tables."))
        tab.until("document.querySelector('.answer .loading')?.innerText === 'Found 2 tables.'")
        pieces.put(TextPiece("- crm.customer.email says who [1]. "))
        tab.until(f"{ANSWER}.innerText.includes('says who')")
        assert tab.value(f"{ANSWER}.ariaBusy") == "true"
        pieces.put(TextPiece("Joined [2], see [3] and [4].\n\n```sql\nSELECT nope FROM crm.customer\n```\n"))
        tab.until(f"{ANSWER}.querySelector('pre')")
        pieces.put(SourcesFound((TABLE, JOIN, DOMAIN, PAGE)))
        pieces.put(Finished("stop", governor=APPROVED, main_tables=("shop.crm.customer",), warnings=("an old index",)))
        tab.until("document.querySelectorAll('.sources li').length === 4")
        tab.until("document.querySelector('.answer .warnings')")
        assert "nope" in tab.text(".answer .warnings")
        assert "an old index" in tab.text("article")
        links = tab.value(
            "[...document.querySelectorAll('.answer a, .sources a')].map(one => one.getAttribute('href'))"
        )
        assert "#/table/shop.crm.customer/email" in links
        assert "#/table/shop.crm.customer" in links
        assert "#/join/shop.crm.customer/shop.sales.order_line" in links
        assert "#/domain/shop/sales" in links
        assert "#/passage/catalog/manual.pdf?page=7" in links
        assert tab.value("document.documentElement.scrollWidth") <= width
        assert heard(tab) == []
        # The address asks the question again.
        assert tab.value("decodeURIComponent(location.hash)") == "#/ask/who is a customer?"
        tab.value("document.querySelector('.sources a').focus()")
        tab.press("Enter")
        tab.until("document.querySelector('main h1').innerText === 'crm.customer'")


def test_a_question_that_follows_is_sent_with_the_answer_before_it(chromium: Chromium, chat: ChatServer) -> None:
    chat.chats.events = (Governed(APPROVED), TextPiece("Some."), Finished("stop", governor=APPROVED))
    with looking(chromium, f"{chat.address}/", "#/ask") as tab:
        ask(tab, "who is a customer?")
        tab.until("document.querySelector('.turn')?.innerText.includes('Copy link')")
        chat.chats.events = (
            Step("Read as: which customers left?"),
            TextPiece("None."),
            Finished("stop", governor=APPROVED),
        )
        ask(tab, "which of them left?")
        tab.until("document.querySelector('main').innerText.includes('None.')")
        assert "Read as: which customers left?" in tab.text("main")
        sent = [(each.role, each.content) for each in chat.chats.asked[-1][1].messages]
        assert sent == [
            ("user", "who is a customer?"),
            ("assistant", "Some."),
            ("user", "which of them left?"),
        ]
        link = "document.querySelectorAll('.turn h2 a')[1].getAttribute('href')"
        assert tab.value(f"decodeURIComponent({link})") == "#/ask/which customers left?"
        tab.until("decodeURIComponent(location.hash) === '#/ask/which customers left?'")
        # The conversation goes on after a look at something else.
        visit(tab, "#/table/shop.crm.customer")
        tab.value("history.back()")
        tab.until("document.querySelectorAll('.turn').length === 2")
        assert tab.value("decodeURIComponent(location.hash)") == "#/ask/which customers left?"
        assert len(chat.chats.asked) == 2
        tab.value("[...document.querySelectorAll('button')].find(one => one.innerText === 'New conversation').click()")
        tab.until("!document.querySelector('.turn')")
        ask(tab, "who is a customer?")
        tab.until("document.querySelectorAll('.turn').length === 1")
        tab.until("document.querySelector('.turn').innerText.includes('Copy link')")
        assert len(chat.chats.asked[-1][1].messages) == 1


@each_case("width", WIDTHS)
def test_a_refusal_says_what_may_be_asked(chromium: Chromium, chat: ChatServer, width: int) -> None:
    chat.chats.events = (
        Governed(REFUSED),
        TextPiece(REFUSED.reason or ""),
        Finished("content-filter", governor=REFUSED, verdict="refused"),
    )
    with looking(chromium, f"{chat.address}/", "#/ask/solve%20it%20for%20me") as tab:
        tab.resize(width, 900)
        tab.until("document.querySelector('.answer ul a')")
        assert "it asks for a solution" in tab.text(".answer")
        assert "Questions may be about the tables" in tab.text(".answer")
        # A refusal is no answer that could be wrong.
        assert not tab.value("Boolean(document.querySelector('.turn .quiet'))")
        assert heard(tab) == []


@each_case("width", WIDTHS)
def test_an_answer_that_breaks_off_keeps_its_beginning_and_says_so(
    chromium: Chromium, chat: ChatServer, width: int
) -> None:
    chat.chats.events = (TextPiece("Half of it"), StoreError("the disk is full"))
    with looking(chromium, f"{chat.address}/", "#/ask/one") as tab:
        tab.resize(width, 900)
        tab.until("document.querySelector('.answer [role=alert]')")
        assert "Half of it" in tab.text(".answer")
        assert "the disk is full" in tab.text(".answer [role=alert]")
        # The connection ends without the last event.
        tab.value(
            "void (window.fetch = () => Promise.resolve(new Response(new Blob(["
            'JSON.stringify({type: "text-delta", textDelta: "Cut"})].map(each => `data: ${each}\\n\\n`)))))'
        )
        ask(tab, "two")
        tab.until("document.querySelectorAll('.answer [role=alert]').length === 2")
        assert "Cut" in tab.text(".turn:last-of-type .answer")
        assert "broke off" in tab.text(".turn:last-of-type [role=alert]")
        tab.value("void (window.fetch = () => Promise.reject(new TypeError('Failed to fetch')))")
        ask(tab, "three")
        tab.until("document.querySelectorAll('.answer [role=alert]').length === 3")
        assert "cannot be reached" in tab.text(".turn:last-of-type [role=alert]")
        assert heard(tab) == []


def test_a_person_stops_an_answer(chromium: Chromium, chat: ChatServer) -> None:
    chat.chats.pieces = handed_over("It is ")
    with looking(chromium, f"{chat.address}/", "#/ask") as tab:
        ask(tab, "who?")
        tab.until(f"{ANSWER}?.innerText.includes('It is')")
        tab.value("[...document.querySelectorAll('button')].find(each => each.innerText === 'Stop').click()")
        tab.until("document.querySelector('.answer [role=alert]')?.innerText === 'Stopped.'")
        assert chat.chats.stopped.wait(20)


def test_nothing_in_an_answer_is_markup(chromium: Chromium, chat: ChatServer) -> None:
    chat.chats.events = (
        Step(HOSTILE),
        TextPiece(f"- {HOSTILE} [1]\n\n{HOSTILE} `{HOSTILE}`\n\n```sql\n{HOSTILE}\n```\n"),
        SourcesFound((cited(1, HOSTILE), cited(2, "x", "javascript:window.ran=1"))),
        Finished("stop", governor=APPROVED, warnings=(HOSTILE,), main_tables=(HOSTILE,)),
    )
    with looking(chromium, f"{chat.address}/", f"#/ask/{HOSTILE.replace('/', '%2F')}") as tab:
        tab.until("document.querySelector('.sources')")
        assert tab.value("window.ran") is None
        assert tab.value("document.querySelectorAll('main img, main b, main strong').length") == 0
        assert tab.value(
            "[...document.querySelectorAll('main a')].every(each => each.getAttribute('href').startsWith('#/'))"
        )
        assert HOSTILE in tab.text(".answer pre")


def test_an_address_does_not_ask_a_model_by_itself(chromium: Chromium, project: Path) -> None:
    (project / "databases.yaml").write_text(
        "databases: []\ncollections: [{name: catalog, models: [local]}]\n"
        "models: {local: {provider: ollama, name: tiny}}\n"
    )
    with Served(project) as server, looking(chromium, f"{server.address}/", "#/ask/who%3F") as tab:
        tab.until("document.querySelector('#question')?.value === 'who?'")
        assert not [each for each in tab.requests if "chat" in each]


def test_a_wrong_answer_is_marked_and_the_mark_is_closed(chromium: Chromium, project: Path) -> None:
    with Served(project, "--write") as server, looking(chromium, f"{server.address}/", "#/ask") as tab:
        ask(tab, "what does the email of a customer mean?")
        tab.until("document.querySelector('.turn .quiet')")
        tab.value("document.querySelector('.turn .quiet').click()")
        tab.until("document.activeElement.matches('.turn textarea')")
        tab.type(f"It is {HOSTILE}")
        assert heard(tab) == []
        tab.value("document.querySelector('.turn form button').click()")
        tab.until("document.querySelector('.turn [role=status]')")
        assert "Marked as wrong" in tab.text(".turn [role=status]")
        tab.value("document.querySelector('.turn [role=status] a').click()")
        tab.until("document.querySelector('.mark')")
        assert f"It is {HOSTILE}" in tab.text(".mark")
        assert tab.value("window.ran") is None
        assert heard(tab) == []
        tab.value("document.querySelector('.mark button').click()")
        tab.until("!document.querySelector('.mark')")
        assert "The mark is closed." in tab.text("main")
        tab.reload()
        tab.until("document.querySelector('main table')")
        assert not tab.value("Boolean(document.querySelector('.mark'))")


def test_the_real_chat_answers_at_once_and_a_site_says_what_it_needs(chromium: Chromium, project: Path) -> None:
    address = "#/ask/who%20is%20the%20president%20of%20France%3F"
    with Served(project) as server, looking(chromium, f"{server.address}/", address) as tab:
        tab.until("document.querySelector('.answer')?.innerText.includes('documented here')")
    with looking(chromium, written_site(project), "#/ask") as tab:
        assert "tribal serve" in tab.text("main")
        assert heard(tab) == []
