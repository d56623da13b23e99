"""What people read besides tables: lineage, definitions, exams, sessions, coverage, changes and contributions."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from servers.chromium import Chromium, Tab
from tests.cases import each_case
from tests.edges.cli.tribal_command import tribal
from tests.edges.http.served import Served
from tests.plugins.postgres import administer, new_database
from tests.rendering.web.sites import heard, looking, visit, written_site
from tribal_demo import COMPANY_SQL, DECISIONS, copy_definitions
from tribal_demo.migrations import DESCRIBED, database_of, describe, write_migrations
from tribal_demo.server.postgres import EmbeddedServer

pytestmark = [pytest.mark.xdist_group("chromium"), pytest.mark.slow]

SETTINGS = """identity: {project: company}
knowledge: {repository: decisions}
collections: [{name: handbook}]
contribution: {repositories: [{name: migrations, path: migrations, databases: [DATABASE]}]}
databases: []
"""
HOSTILE = "<img src=x onerror=window.ran=1>"
EXAM = "how many open tickets per employee?\nhow many customers churned last year?\n"
VIEWS = {
    "ask": "#/ask",
    "definitions": "#/definitions",
    "exam": "#/exam",
    "coverage": "#/coverage",
    "changes": "#/changes",
    "todo": "#/todo",
    "proposals": "#/proposals",
    "contributions": "#/contributions",
    "contribution": "#/contributions/1",
}
MAIN = "document.querySelector('main')"


class Company:
    """The sample company, documented twice, with an exam before and after a change that breaks a query."""

    def __init__(self, folder: Path, dsn: str) -> None:
        self.folder = folder
        self.database = database_of(dsn)
        write_migrations(folder)
        (folder / "databases.yaml").write_text(SETTINGS.replace("DATABASE", self.database))
        shutil.copytree(DECISIONS, folder / "decisions" / "projects" / "company")
        copy_definitions(folder)
        (folder / "annotations" / "company.yaml").rename(folder / "annotations" / f"{self.database}.yaml")
        (folder / "exam.txt").write_text(EXAM)
        (folder / "handbook.md").write_text(f"# Returns\n\nGoods may be returned within 30 days. {HOSTILE}\n")
        self.run("run", dsn)
        self.run("interrogate", "--questions", "exam.txt", "--keep")
        administer(dsn, "ALTER TABLE billing.invoice RENAME COLUMN inv_dt TO issued_on")
        self.run("run", dsn)
        self.run("interrogate", "--questions", "exam.txt")
        self.run("interrogate", f"what is an order? {HOSTILE}")
        self.run("upload", "handbook.md", "--collection", "handbook")
        describe(folder, self.database)
        self.run("run", dsn)
        self.run("contribute", "prepare", "--table", DESCRIBED)

    def run(self, *arguments: str) -> None:
        """Run a command; the exit codes of interrogations say what they found."""
        ended = tribal(*arguments, cwd=self.folder)
        assert ended.returncode in (0, 1), (arguments, ended.stdout, ended.stderr)

    def table(self, name: str) -> str:
        """The address of a table."""
        return f"#/table/{self.database}.{name}"


@pytest.fixture(name="company", scope="module")
def company_fixture(postgres_server: EmbeddedServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Company]:
    with new_database(postgres_server, COMPANY_SQL.read_text(encoding="utf-8")) as dsn:
        yield Company(tmp_path_factory.mktemp("company"), dsn)


@pytest.fixture(name="forms", scope="module")
def forms_fixture(company: Company) -> Iterator[dict[str, str]]:
    with Served(company.folder, "--write", TRIBAL_USER="ann") as server:
        yield {"static": written_site(company.folder), "served": f"{server.address}/"}


def shown(tab: Tab) -> str:
    """The text of the view."""
    return tab.text("main")


@each_case("form,scheme", [("static", "light"), ("served", "light"), ("served", "dark")])
def test_a_screen_reader_finds_nothing_wrong_and_a_phone_shows_all(
    chromium: Chromium, forms: dict[str, str], form: str, scheme: str
) -> None:
    with looking(chromium, forms[form], scheme=scheme) as tab:
        for name, address in VIEWS.items():
            visit(tab, address)
            tab.value("document.querySelectorAll('main details').forEach(each => { each.open = true; })")
            for width in (1280, 390):
                tab.resize(width, 900)
                assert tab.value("document.documentElement.scrollWidth") <= width, (name, width)
            assert heard(tab) == [], name
            assert "Not found" not in shown(tab)


@each_case("form", ["static", "served"])
def test_lineage_shows_who_reads_a_column_with_its_sql(
    chromium: Chromium, company: Company, forms: dict[str, str], form: str
) -> None:
    with looking(chromium, forms[form], f"{company.table('billing.invoice')}?section=lineage") as tab:
        tab.until("document.querySelectorAll('#lineage .g-flow').length > 2")
        assert "billing.v_open_item" in tab.text("#lineage")
        drawn = "document.querySelector('#lineage svg').textContent"
        assert "metric: net revenue" in tab.value(drawn)
        tab.value("document.querySelector('#lineage select').focus()")
        tab.value(
            "(select => { select.value = 'cust_id'; select.dispatchEvent(new Event('change', {bubbles: true})); })"
            "(document.querySelector('#lineage select'))"
        )
        tab.until(f"!{drawn}.includes('net revenue')")
        assert "v_open_item" in tab.value(drawn)
        tab.value("document.querySelector('#lineage .g-list summary').focus()")
        tab.press("Enter")
        tab.until("document.querySelector('#lineage .g-list button')")
        tab.value(
            "[...document.querySelectorAll('#lineage .g-list li')]"
            ".find(each => each.innerText.startsWith('billing.v_open_item')).querySelector('button').focus()"
        )
        tab.press("Enter")
        tab.until("document.querySelector('#lineage section pre')")
        assert "SELECT" in tab.text("#lineage section pre").upper()
        assert heard(tab) == []
        tab.resize(390, 844)
        assert tab.value("document.documentElement.scrollWidth") <= 390


def test_lineage_follows_columns_as_the_tool_does(chromium: Chromium, company: Company, forms: dict[str, str]) -> None:
    with httpx2.Client(base_url=forms["served"], timeout=30) as client:
        for table, column in (("billing.invoice", "gross_cents"), ("crm.customer", "cust_id"), ("sales.orders", "")):
            asked = {"table": f"{company.database}.{table}", "direction": "both", "depth": 3}
            more = {"column": column} if column else {}
            found = client.post("v1/tools/get_lineage", json={**asked, **more}).json()
            address = f"{company.table(table)}{f'/{column}' if column else ''}?section=lineage"
            with looking(chromium, forms["static"], address) as tab:
                tab.until("document.querySelector('#lineage .g-list li')")
                listed = tab.value(
                    "[...document.querySelectorAll('#lineage .g-list li')].map(each => each.textContent)"
                    ".filter(each => !/^The (query|metric) /.test(each)).length"
                )
                ends = [(edge["from"], edge["to"]) for edge in found["edges"]]
                steps = ends if column else [(one["table"], other["table"]) for one, other in ends]
                assert listed == len({json.dumps(step) for step in steps}), (table, column)


@each_case("form", ["static", "served"])
def test_definitions_say_what_is_still_right(chromium: Chromium, forms: dict[str, str], form: str) -> None:
    with looking(chromium, forms[form], "#/definitions") as tab:
        assert "broken" in shown(tab)
        tab.value("document.querySelectorAll('main details').forEach(each => { each.open = true; })")
        assert "inv_dt" in tab.text(".warnings")
        assert "tribal queries verify queries/" in shown(tab)
        assert "live customer" in shown(tab)
        visit(tab, "#/definitions/net%20revenue")
        assert tab.text("li.chosen").startswith("net revenue")


def test_uploads_and_what_an_agent_gets(chromium: Chromium, forms: dict[str, str]) -> None:
    with looking(chromium, forms["served"], "#/definitions") as tab:
        tab.until("document.querySelector('#uploads table')")
        assert "completed" in tab.text("#uploads")
        tab.value("document.querySelector('#uploads td a').focus()")
        tab.press("Enter")
        tab.until("document.querySelector('.passage')")
        assert HOSTILE in tab.text(".passage")
        assert tab.value("window.ran") is None
        assert heard(tab) == []
        visit(tab, "#/definitions")
        tab.until("document.querySelector('#agent-question')")
        tab.value("document.querySelector('#agent-question').focus()")
        tab.type("unpaid invoices by customer")
        tab.press("Enter")
        tab.until("document.querySelector('#agent pre')")
        assert "CREATE TABLE billing.invoice" in tab.text("#agent pre")


@each_case("form", ["static", "served"])
def test_an_exam_shows_what_blocks_questions_and_the_one_before(
    chromium: Chromium, forms: dict[str, str], form: str
) -> None:
    with looking(chromium, forms[form], "#/exam") as tab:
        tab.until(f"{MAIN}.querySelectorAll('.exam-bar').length === 2")
        assert "answers 1 of 2 questions" in shown(tab)
        assert "churned" in tab.text("table[aria-label=Gaps]")
        assert tab.value("Boolean(document.querySelector('main .pencil'))") is (form == "served")
        if form == "static":
            assert "what is an order?" not in shown(tab)


def test_an_interrogation_is_read_question_by_question(chromium: Chromium, forms: dict[str, str]) -> None:
    with looking(chromium, forms["served"], "#/exam") as tab:
        tab.until("document.querySelector('table[aria-label=Interrogations] a')")
        tab.value(
            "[...document.querySelectorAll('table[aria-label=Interrogations] a')]"
            ".find(each => each.innerText.includes('what is an order?')).focus()"
        )
        tab.press("Enter")
        tab.until("document.querySelector('section.turn')")
        assert tab.text("main h1") == f"what is an order? {HOSTILE}"
        assert "Completeness so far" in tab.text("section.turn")
        assert tab.value("window.ran") is None
        assert heard(tab) == []


@each_case("form", ["static", "served"])
def test_coverage_is_shown_over_the_last_runs(chromium: Chromium, forms: dict[str, str], form: str) -> None:
    with looking(chromium, forms[form], "#/coverage") as tab:
        assert "Over the last runs" in shown(tab)
        assert tab.value("document.querySelectorAll('.trend').length") == 2
        assert tab.value("document.querySelectorAll('table[aria-label=Runs] tbody tr').length") == 3


def test_changes_are_shown_since_the_run_that_a_reader_picks(chromium: Chromium, forms: dict[str, str]) -> None:
    with looking(chromium, forms["served"], "#/changes") as tab:
        assert "issued_on" not in shown(tab)
        runs = tab.value("[...document.querySelectorAll('main select option')].map(each => each.value)")
        assert len(runs) == 2
        visit(tab, f"#/changes/{runs[-1]}")
        assert "issued_on" in shown(tab)
        assert tab.value("document.querySelector('main select').value") == runs[-1]


def test_contributions_show_the_change_and_how_to_approve_it(chromium: Chromium, forms: dict[str, str]) -> None:
    with looking(chromium, forms["served"], "#/contributions") as tab:
        assert "waits for approval" in shown(tab)
        tab.value("document.querySelector('main td a').focus()")
        tab.press("Enter")
        tab.until("document.querySelector('.difference')")
        assert "COMMENT ON COLUMN billing.dunning_letter.lvl" in tab.text(".difference")
        assert "tribal contribute approve 1" in shown(tab)
        # No view approves.
        assert tab.value("[...document.querySelectorAll('main button')].map(each => each.textContent)") == ["Copy"]


def test_a_site_says_which_views_need_a_server(chromium: Chromium, forms: dict[str, str]) -> None:
    with looking(chromium, forms["static"]) as tab:
        for address in ("#/ask", "#/proposals", "#/contributions"):
            visit(tab, address)
            assert "tribal serve" in shown(tab), address
