"""The questions that a table blocks stand on its page and in the list of what to document, as text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from servers.chromium import Chromium
from tests.edges.http.served import Served
from tests.edges.mcp.asked import index_project
from tests.fakes.interrogation import gap
from tests.rendering.web.sites import heard, looking, written_site
from tribal.adapters.local.folder import FolderStore
from tribal.adapters.sqlite.index import SqliteIndex
from tribal.capabilities.interrogation.open_gaps.merging import QuestionResult
from tribal.capabilities.interrogation.open_gaps.recording import record
from tribal.capabilities.interrogation.sessions.repository import Sessions
from tribal.identity.locations import INDEX_FILE, OPEN_GAPS_FILE

pytestmark = pytest.mark.xdist_group("chromium")

EMAIL = "shop.crm.customer.email"
TABLE, TODO = "#/table/shop.crm.customer", "#/todo"
EXAM, SESSION = "Who has <img src=x onerror=alert(1)> no email?", "Which customers leave us next?"
SECTION = "document.querySelector('#questions')"
MAIN = "document.querySelector('main')"


@pytest.fixture(name="project")
def project_fixture(tmp_path: Path) -> Path:
    index_project(tmp_path)
    index = SqliteIndex(tmp_path / INDEX_FILE)
    results = [
        QuestionResult(text=EXAM, gaps=[gap(EMAIL)], from_exam=True),
        QuestionResult(text=SESSION, gaps=[gap(EMAIL), gap("word:churn")], owner="ann"),
        *(QuestionResult(text=f"Question {number}?", gaps=[gap(EMAIL)], from_exam=True) for number in range(9)),
    ]
    record(Sessions(FolderStore(tmp_path)), index, results)
    index.close()
    return tmp_path


@pytest.fixture(name="server")
def server_fixture(project: Path) -> Iterator[Served]:
    with Served(project, TRIBAL_USER="ann") as server:
        yield server


def test_a_table_shows_what_its_questions_lack(chromium: Chromium, server: Served) -> None:
    with looking(chromium, f"{server.address}/", TABLE) as tab:
        tab.until(SECTION)
        shown = str(tab.value(f"{SECTION}.innerText"))
        assert f"email: nothing says what {EMAIL} is \u00b7 11 questions" in shown
        assert "Question 1?" in shown
        assert "and 6 more" in shown
        assert tab.value(f"{SECTION}.querySelectorAll('li q').length") == 5
        assert heard(tab) == []


def test_a_table_without_questions_says_nothing_and_a_damaged_file_is_reported(
    chromium: Chromium, server: Served, project: Path
) -> None:
    with looking(chromium, f"{server.address}/", "#/table/shop.sales.shipment") as tab:
        assert not tab.value(f"Boolean({SECTION})")
    (project / OPEN_GAPS_FILE).write_bytes(b"{}")
    assert server.client.get("/v1/page/questions", params={"name": "shop.crm.customer"}).status_code >= 400


def test_the_list_puts_first_what_blocks_most_and_names_unexplained_words(chromium: Chromium, server: Served) -> None:
    with looking(chromium, f"{server.address}/", TODO) as tab:
        tab.until(f"{MAIN}.querySelector('table[aria-label=\"To document\"]')")
        shown = str(tab.value(f"{MAIN}.innerText"))
        first = str(tab.value(f"{MAIN}.querySelector('table[aria-label=\"To document\"] tbody tr').innerText"))
        assert "crm.customer" in first
        assert "11 questions" in first
        assert "Words that nothing explains" in shown
        assert "churn" in shown
        assert SESSION in shown
        assert heard(tab) == []


def test_a_static_site_shows_questions_of_exams_alone_and_as_text(chromium: Chromium, project: Path) -> None:
    address = written_site(project)
    assert not [path for path in (project / "site").rglob("*") if path.is_file() and b"leave us" in path.read_bytes()]
    with looking(chromium, address, TABLE) as tab:
        tab.until(SECTION)
        shown = str(tab.value(f"{SECTION}.innerText"))
        assert "11 questions" in shown
        assert "Question 1?" in shown
        assert tab.value(f"{MAIN}.querySelectorAll('img').length") == 0
    with looking(chromium, address, TODO) as tab:
        tab.until(f"{MAIN}.querySelector('table')")
        assert "churn" not in str(tab.value(f"{MAIN}.innerText"))
        assert heard(tab) == []
