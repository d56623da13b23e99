"""People correct descriptions where they read them, and decide about proposals, by real clicks and keys."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from servers.chromium import Chromium, Tab
from tests.cases import each_case
from tests.edges.cli.tribal_command import tribal
from tests.edges.http.served import Served
from tests.edges.mcp.asked import index_project
from tests.rendering.web.sites import heard, looking, visit

pytestmark = pytest.mark.xdist_group("chromium")

TABLE = "#/table/shop.crm.customer"
HOSTILE = "<img src=x onerror=window.ran=1> Whoever bought once."
FILE = "annotations/shop.yaml"
EDITOR = "document.querySelector('dialog.editor')"
WIDTHS = [1280, 390]


@pytest.fixture(name="project")
def project_fixture(tmp_path: Path) -> Path:
    index_project(tmp_path)
    return tmp_path


@pytest.fixture(name="server")
def server_fixture(project: Path) -> Iterator[Served]:
    with Served(project, "--write") as server:
        yield server


def edit(tab: Tab, subject: str) -> None:
    """Open the editor of a text by keyboard."""
    selector = f'[aria-label="Edit {subject}"]'
    pencil = f"document.querySelector({json.dumps(selector)})"
    tab.until(pencil)
    tab.value(f"{pencil}.focus()")
    tab.press("Enter")
    tab.until(f"{EDITOR}?.querySelector('textarea:not(:disabled)') === document.activeElement")


def write(tab: Tab, text: str) -> None:
    """Replace the text in the editor, and wait for the difference."""
    tab.value("document.activeElement.select()")
    tab.type(text)
    tab.until(f"{EDITOR}.querySelector('.difference')?.innerText.includes({json.dumps(text)})")


def press_button(tab: Tab, text: str, inside: str = "document") -> None:
    """Press a button by keyboard."""
    button = f"[...{inside}.querySelectorAll('button')].find(each => each.innerText === {json.dumps(text)})"
    tab.until(f"{button}?.disabled === false")
    tab.value(f"{button}.focus()")
    tab.press("Enter")


@each_case("width", WIDTHS)
def test_a_description_is_edited_shown_as_a_difference_saved_and_pending_at_once(
    chromium: Chromium, server: Served, project: Path, width: int
) -> None:
    with looking(chromium, f"{server.address}/", TABLE) as tab:
        tab.resize(width, 900)
        edit(tab, "crm.customer")
        write(tab, HOSTILE)
        assert heard(tab) == []
        assert tab.value("document.documentElement.scrollWidth") <= width
        # What was typed is dropped only on purpose.
        tab.press("Escape")
        tab.until("document.querySelector('.editor [role=alert]')")
        assert "Cancel again to drop it" in tab.text(".editor [role=alert]")
        press_button(tab, "Save", EDITOR)
        tab.until("document.querySelector('.lead .pending')")
        assert HOSTILE in tab.text(".lead .pending")
        assert HOSTILE in (project / FILE).read_text()
        edit(tab, "crm.customer.email")
        write(tab, "Where invoices go.")
        press_button(tab, "Save", EDITOR)
        tab.until("document.querySelector('.cols .pending')")
        tab.reload()
        tab.until("document.querySelector('.cols .pending')")
        assert "Where invoices go." in tab.text(".cols .pending")
        assert tab.value("window.ran") is None
        assert heard(tab) == []
    (project / FILE).unlink()


def test_the_list_of_what_to_document_edits_in_place_and_remembers(chromium: Chromium, server: Served) -> None:
    with looking(chromium, f"{server.address}/", "#/todo") as tab:
        tab.until("document.querySelector('.pencil')")
        subject = str(tab.value("document.querySelector('.pencil').ariaLabel")).removeprefix("Edit ")
        edit(tab, subject)
        write(tab, "What we learnt.")
        press_button(tab, "Save", EDITOR)
        tab.until("document.querySelector('td .pending')")
        tab.reload()
        tab.until("document.querySelector('td .pending')")
        assert "What we learnt." in tab.text("td .pending")
        assert heard(tab) == []


def test_domains_and_databases_are_edited_too(chromium: Chromium, server: Served, project: Path) -> None:
    with looking(chromium, f"{server.address}/", "#/domain/shop/customers") as tab:
        for what, text in (("Title", "Buyers"), ("Description", "Who.")):
            edit(tab, f"{what} of the domain Customers")
            write(tab, text)
            press_button(tab, "Save", EDITOR)
            tab.until(f"[...document.querySelectorAll('.pending')].some(each => each.innerText.includes('{text}'))")
        visit(tab, "#/database/shop")
        edit(tab, "Database shop")
        write(tab, "All of it.")
        press_button(tab, "Save", EDITOR)
        tab.until("document.querySelector('.lead .pending')")
        assert heard(tab) == []
    written = (project / FILE).read_text()
    assert "All of it." in written
    assert "title: Buyers" in written


def test_a_change_that_someone_else_made_meanwhile_is_reported_and_kept(
    chromium: Chromium, server: Served, project: Path
) -> None:
    with looking(chromium, f"{server.address}/", TABLE) as tab:
        edit(tab, "crm.customer")
        write(tab, "Who buys.")
        (project / "annotations").mkdir()
        (project / FILE).write_text("description: Theirs.\n")
        press_button(tab, "Save", EDITOR)
        tab.until("document.querySelector('.editor [role=alert]')")
        assert "preview the correction again" in tab.text(".editor [role=alert]")
        assert (project / FILE).read_text() == "description: Theirs.\n"
        tab.problems.clear()  # The browser reports the refusal, too.


def test_who_may_only_read_sees_no_pencil_and_what_waits(chromium: Chromium, project: Path) -> None:
    (project / "annotations").mkdir()
    (project / FILE).write_text("tables:\n  crm.customer:\n    description: Whoever bought.\n")
    with Served(project) as server, looking(chromium, f"{server.address}/", TABLE) as tab:
        tab.until("document.querySelector('.pending')")
        assert "Whoever bought." in tab.text(".pending")
        assert FILE in tab.text(".foot")
        for address in (TABLE, "#/todo", "#/domain/shop/customers", "#/database/shop", "#/exam"):
            visit(tab, address)
            assert not tab.value("Boolean(document.querySelector('.pencil'))"), address
        visit(tab, "#/proposals")
        assert "--write" in tab.text("main")
        answer = server.client.post("/v1/corrections", json={"table": "shop.crm.customer", "words": "x", "token": "y"})
        assert answer.status_code == 403
        assert server.client.get("/v1/proposals").status_code == 403


@each_case("width", WIDTHS)
def test_a_proposal_is_accepted_edited_or_rejected(
    chromium: Chromium, server: Served, project: Path, width: int
) -> None:
    for column in ("email", "region_id", "name"):
        text = f"{HOSTILE} {column} {width}"
        answer = server.ask(tool="propose_description", table="shop.crm.customer", column=column, description=text)
        assert answer.status_code == 200, answer.text
    with looking(chromium, f"{server.address}/", "#/") as tab:
        tab.resize(width, 900)
        tab.until("document.querySelector('main').innerText.includes('3 proposals to accept or reject')")
        assert HOSTILE not in tab.text("main")
        visit(tab, "#/proposals")
        tab.until("document.querySelectorAll('.proposal').length === 3")
        assert "Proposed by" in tab.text(".proposal")
        assert heard(tab) == []
        assert tab.value("document.documentElement.scrollWidth") <= width
        cards = "document.querySelectorAll('.proposal')"
        press_button(tab, "Reject", f"{cards}[0]")
        press_button(tab, "Reject for good", f"{cards}[0]")
        tab.until(f"{cards}[0].innerText.includes('Rejected.')")
        press_button(tab, "Accept", f"{cards}[1]")
        tab.until(f"{cards}[1].innerText.includes('Accepted; pending until the next run.')")
        press_button(tab, "Edit first\u2026", f"{cards}[2]")
        tab.until(f"{EDITOR}?.querySelector('textarea:not(:disabled)') === document.activeElement")
        write(tab, "Better words.")
        assert heard(tab) == []
        press_button(tab, "Save", EDITOR)
        tab.until(f"{cards}[2].innerText.includes('Accepted; pending until the next run.')")
        visit(tab, "#/todo")
        visit(tab, "#/proposals")
        tab.until("document.querySelector('main').innerText.includes('There are no proposals')")
        visit(tab, TABLE)
        tab.until("document.querySelectorAll('.cols .pending').length === 2")
        assert tab.value("window.ran") is None
    written = (project / FILE).read_text()
    assert HOSTILE in written
    assert "Better words." in written
    (project / FILE).unlink()


def test_a_proposal_shows_nowhere_before_it_is_accepted(chromium: Chromium, server: Served, project: Path) -> None:
    server.ask(tool="propose_description", table="shop.crm.customer", column="email", description="Zeppelins only.")
    with looking(chromium, f"{server.address}/", TABLE) as tab:
        assert "Zeppelins" not in tab.text("body")
    assert "Zeppelins" not in tribal("table", "shop.crm.customer", cwd=project).stdout
