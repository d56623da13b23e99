"""A project that an earlier version left opens with this one, and `tribal run` brings it up to date.

`make_project` made it; its database is `shop.sql` with `shop_changed.sql`.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cases import each_case
from tests.edges.cli.tribal_command import Json, contents, tribal
from tests.edges.http.served import Served
from tests.edges.mcp.raw_session import RawSession
from tests.fakes.openai import KEY, FakeOpenAI
from tests.plugins.postgres import administer
from tests.upgrade.make_project import ARCHIVE, HERE, QUESTION, STORED, USER, WRITTEN
from tribal.errors import EXIT_NOT_READY
from tribal_demo.server.postgres import EmbeddedServer

pytestmark = pytest.mark.xdist_group("upgrade")

EPOCH = "1796100000"
"""`SOURCE_DATE_EPOCH` of every command: the day after the project was made."""
OTHER_VERSION = "another version of this program"
VACATION = ("ask", "how many days of vacation do employees get?", "--collection", "handbook")
KEPT = (
    *("databases.yaml", "annotations/", "queries/", "decisions/", "prose/"),
    *("memory/", "knowledge/", "sessions/", "collections/", "audit/", "access/", "progress/budget.json"),
)
"""What people wrote, said or paid for."""

ANSWERED = [
    (VACATION, "travel.pdf, page 1"),
    (("chat", "how long may customers return goods?"), "returns.md, page 1"),
    (("recall", "revenue"), "Revenue leaves void invoices out"),
    (("recall", "closing a month", "--layers", "company"), "third working day"),
    (("decisions", "auditors"), "0001-void-invoices-stay"),
    (("decisions", "no-old-invoices"), r"billing\.invoice_old"),
    (("status",), "decisions: healthy, last synced"),
    (("comply", "queries"), "passed: 0 block"),
    (("interrogations",), QUESTION),
    (("collections",), "handbook  catalog  project shop  4 files, 5 passages"),
    (("collections", "show", "handbook"), "chess.docx: docx"),
    (("jobs",), "partial  handbook  handbook.zip  4 of 6 files indexed"),
    (("answers",), STORED),
    (("queries",), "changed  What do customers owe us?"),
    (("queries",), "current  How much did we bill each month?"),
    (("todo",), "shop.sales.country: there is no date in sales.country or sales.order_line; blocks 1 question"),
    (("lint",), "Findings: 1 changed, 1 open_gaps."),
    (("status",), "completed, 9 of 9 tables, 0 failed"),
    (("tail",), "completed"),
    (("token", "list"), "ada-laptop: until 2036"),
    (("memory", "export"), "We are looking at the returns of March."),
]
"""Commands that need no index of tables, and a part of what they print."""
FROM_INDEX = [
    (("search", "unpaid invoices"), "shop.billing.open_invoice"),
    (("table", "billing.invoice"), "invoice_not_void  (order_id), unique including net_cents where (status <> 9)"),
    (("table", "sales.order_line"), "Pieces, never packages."),
    (("join", "sales.customer", "billing.payment"), "-- shop.sales.customer to shop.billing.payment: 3 joins"),
    (("lineage", "billing.open_invoice"), "sales.orders"),
    (("domain", "money"), "billing.reminder"),
    (("domains",), "sales"),
    (("context", "unpaid invoices"), "CREATE TABLE billing.invoice"),
    (("context", STORED), "SELECT c.name, sum(i.net_cents) AS owed_cents"),
    (("ask", "what is the status of an invoice?", "--no-model"), "0 = draft, 1 = sent, 2 = paid, 9 = void"),
    (("chat", STORED, "--collection", "catalog", "--no-model"), "queries/unpaid.sql"),
    (("check-sql", "queries/unpaid.sql"), "0 errors, 0 warnings in 1 file"),
    (("interrogate", QUESTION), "Completed, consistency 100 of 100"),
    (("comply", "--tables", "*"), "passed"),
    (("site", "site"), "site"),
]
"""Commands that need the index of tables."""


@dataclass(frozen=True)
class Project:
    """A project, and the variables of the shell that it is used from."""

    folder: Path
    variables: dict[str, str]

    def __call__(self, *arguments: object, code: int = 0, piped: str = "") -> subprocess.CompletedProcess[str]:
        """Run a command of this version, which has to end with a code."""
        ran = tribal(*arguments, cwd=self.folder, piped=piped, **self.variables)
        assert ran.returncode == code, f"{ran.stdout}\n{ran.stderr}"
        assert "Traceback" not in ran.stderr
        return ran

    def json(self, *arguments: object) -> Json:
        """Run a command with `--json`."""
        found: Json = json.loads(self(*arguments, "--json").stdout)
        return found

    @property
    def kept(self) -> dict[str, bytes]:
        """Its files with what people wrote, said or paid for."""
        return {name: data for name, data in contents(self.folder).items() if name.startswith(KEPT)}


@pytest.fixture(scope="module")
def model() -> Iterator[FakeOpenAI]:
    """The model that described the tables."""
    server = FakeOpenAI()
    yield server
    server.stop()
    assert server.violations == []


@pytest.fixture(scope="module")
def variables(postgres_server: EmbeddedServer, model: FakeOpenAI) -> Iterator[dict[str, str]]:
    """The database, whose name is a part of what is documented, and the model."""
    postgres_server.create_database("shop")
    postgres_server.load("shop", HERE / "shop.sql")
    postgres_server.load("shop", HERE / "shop_changed.sql")
    reached = {"SHOP_DSN": postgres_server.dsn("shop"), "MODEL_URL": model.address, "MODEL_KEY": KEY}
    yield {**reached, "TRIBAL_USER": USER, "SOURCE_DATE_EPOCH": EPOCH}
    administer(postgres_server.dsn(), "DROP DATABASE shop WITH (FORCE)")


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both projects, as they were left."""
    folder = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(folder, filter="data")
    return folder


@pytest.fixture(scope="module")
def opened(unpacked: Path, variables: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The project, used by this version before any run."""
    return Project(shutil.copytree(unpacked / "shop", tmp_path_factory.mktemp("opened") / "shop"), variables)


@pytest.fixture(scope="module")
def upgraded(unpacked: Path, variables: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The project after a run of this version."""
    project = Project(shutil.copytree(unpacked / "shop", tmp_path_factory.mktemp("upgraded") / "shop"), variables)
    project("run")
    return project


@each_case("arguments, part", ANSWERED)
def test_what_needs_no_index_answers_before_a_run(opened: Project, arguments: tuple[str, ...], part: str) -> None:
    assert part in opened(*arguments).stdout


@each_case("arguments, part", FROM_INDEX)
def test_what_needs_the_index_says_to_run(opened: Project, arguments: tuple[str, ...], part: str) -> None:
    refused = opened(*arguments, code=EXIT_NOT_READY)
    assert OTHER_VERSION in refused.stderr
    assert "`tribal run`" in refused.stderr
    assert refused.stdout == ""


def test_a_comparison_before_a_run_says_what_only_this_version_reads(opened: Project) -> None:
    compared = opened("diff")
    assert "~ index invoice_not_void: unique (order_id) where" in compared.stdout
    assert f"note: {OTHER_VERSION} read shop before" in compared.stderr
    assert opened.json("diff")["databases"][0]["versions_differ"] is True
    first = min(path.name for path in (opened.folder / "progress" / "runs").iterdir())
    assert "    + column deleted_on: date\n" in opened("diff", "--since", first).stdout


def test_contributions_are_not_configured_and_say_how(opened: Project) -> None:
    assert "contribution.repositories" in opened("contribute", "list", code=2).stderr


def test_an_index_alone_answers_from_the_earlier_documents_but_shows_no_unchecked_sql(
    unpacked: Path, variables: dict[str, str], tmp_path: Path
) -> None:
    indexed = Project(
        shutil.copytree(unpacked / "shop", tmp_path / "shop"), {**variables, "SHOP_DSN": "postgresql://127.0.0.1:1/x"}
    )
    indexed("index")
    assert "CREATE TABLE billing.invoice" in indexed("context", STORED).stdout
    assert "SELECT c.name" not in indexed("context", STORED).stdout


def test_a_run_says_that_it_rebuilds_everything_pays_for_nothing_again_and_loses_nothing(
    unpacked: Path, variables: dict[str, str], model: FakeOpenAI, tmp_path: Path
) -> None:
    project, calls = Project(shutil.copytree(unpacked / "shop", tmp_path / "shop"), variables), len(model.calls)
    ran = project("run")
    assert f"{OTHER_VERSION} made the last run; every table is documented and indexed again" in ran.stderr
    assert "9 tables documented, 0 unchanged, 0 failed" in ran.stdout
    assert len(model.calls) == calls
    assert project.kept == Project(unpacked / "shop", variables).kept


@each_case("arguments, part", [*ANSWERED, *FROM_INDEX])
def test_everything_answers_after_a_run(upgraded: Project, arguments: tuple[str, ...], part: str) -> None:
    assert part in upgraded(*arguments).stdout


def test_a_second_run_changes_nothing(upgraded: Project) -> None:
    before = contents(upgraded.folder, "progress/runs/", "progress/lease.json", ".tribal/")
    ran = upgraded("run")
    assert OTHER_VERSION not in ran.stderr
    assert "0 tables documented, 9 unchanged" in ran.stdout
    assert contents(upgraded.folder, "progress/runs/", "progress/lease.json", ".tribal/") == before
    assert upgraded("diff").stdout == "Nothing changed in the catalog.\nThe documents are up to date.\n"


def test_documents_are_those_of_a_first_run(upgraded: Project, unpacked: Path, tmp_path: Path) -> None:
    shutil.copytree(unpacked / "shop", tmp_path / "shop")
    for name in ("docs", "data", "progress", "catalog/shop/slices", "catalog/shop/snapshots"):
        shutil.rmtree(tmp_path / "shop" / name)
    first = Project(tmp_path / "shop", upgraded.variables)
    first("run")
    # When files were written, and what queries were verified with, is older.
    own = ("definitions.json", "documentation-manifest.json", "index.html")
    assert contents(upgraded.folder / "docs", *own) == contents(first.folder / "docs", *own)


def test_sessions_are_shown_whole(upgraded: Project) -> None:
    files = [json.loads(path.read_bytes()) for path in upgraded.folder.glob("sessions/session_*.json")]
    listed = upgraded.json("interrogations")["sessions"]
    stored = {each["id"]: each["hypothesis"]["text"] for each in files}
    assert stored.items() <= {each["id"]: each["hypothesis"] for each in listed}.items()
    for each in files:
        shown = upgraded.json("interrogations", "show", each["id"])
        assert {name: shown[name] for name in ("qaPairs", "auditResult")} == {
            name: each[name] for name in ("qaPairs", "auditResult")
        }


def test_what_was_kept_goes_on_working(unpacked: Path, variables: dict[str, str], tmp_path: Path) -> None:
    project = Project(shutil.copytree(unpacked / "shop", tmp_path / "shop"), variables)
    project("run")
    assert "4 of 6 files indexed" in project("upload", "handbook.zip", code=1).stdout
    assert "shifts.txt is removed" in project("collections", "remove", "handbook", "shifts.txt").stdout
    assert "not about anything" in project("ask", "who works in shifts?", "--collection", "handbook", code=9).stdout
    (exam,) = project.folder.glob("sessions/exam_*.json")
    compared = project("interrogate", "--questions", WRITTEN / "exam.txt", "--baseline", exam)
    assert "Since the baseline: 0 questions newly answered, 0 no longer answered." in compared.stdout
    project("queries", "verify", "queries/unpaid.sql")
    assert "2 verified queries" in project("queries").stdout
    assert "changed" not in project("queries").stdout
    (memory,) = project.json("recall", "euros")["results"]
    project("forget", memory["memoryId"])
    assert project.json("recall", "euros")["results"] == []
    assert "Nothing changed; 2 items are published." in project("sync").stdout
    for answer in project.json("answers")["answers"]:
        project("answers", "remove", answer["id"])
    for session in project.json("interrogations")["sessions"]:
        project("interrogations", "remove", session["id"])
    project("token", "revoke", "portal")
    assert project.json("answers")["answers"] == project.json("interrogations")["sessions"] == []
    assert "portal" not in project("token", "list").stdout


def test_what_was_halted_is_resumed(unpacked: Path, variables: dict[str, str], tmp_path: Path) -> None:
    halted = Project(shutil.copytree(unpacked / "halted", tmp_path / "halted"), variables)
    assert "stopped without a recorded result; `tribal run` resumes it" in halted("status").stdout
    assert "processing  handbook  rules.zip" in halted("jobs").stdout
    (session,) = halted.json("interrogations", "--status", "running")["sessions"]
    assert "9 tables documented, 0 unchanged, 0 failed" in halted("run").stdout
    assert "The shop's own database." in (halted.folder / "docs" / "shop" / "README.md").read_text()
    job = halted.json("jobs")["jobs"][0]["job_id"]
    assert "completed  handbook  rules.zip  8 of 8 files indexed" in halted("jobs", "--resume", job).stdout
    assert "Rule 3" in halted("ask", "what is rule 3 of the archive?", "--collection", "handbook").stdout
    asked = halted.json("interrogations", "show", session["id"])["qaPairs"]
    halted("interrogations", "--resume", session["id"])
    ended = halted.json("interrogations", "show", session["id"])
    assert (ended["status"], ended["qaPairs"][: len(asked)]) == ("completed", asked)
    assert list(halted.folder.rglob(".tmp-*")) == []


@pytest.mark.slow
def test_a_server_answers_before_and_after_a_run(opened: Project, upgraded: Project, unpacked: Path) -> None:
    token = (unpacked / "token.txt").read_text()
    with Served(opened.folder, "--require-token", **opened.variables) as server:
        assert server.client.get("/health").json()["ready"] is False
        refused = server.ask(token)
        assert (refused.status_code, "`tribal run`" in refused.json()["error"]["message"]) == (503, True)
        assert server.ask(token, "list_interrogations", limit=20).json()["success"] is True
    with Served(upgraded.folder, "--require-token", **upgraded.variables) as server:
        assert server.client.get("/health").json()["ready"] is True
        assert server.ask(token).json()["total_matches"] > 0
        assert server.ask("wrong").status_code == 401


@pytest.mark.slow
def test_an_agent_is_answered_over_mcp_before_and_after_a_run(
    opened: Project, upgraded: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in opened.variables.items():
        monkeypatch.setenv(name, value)
    with RawSession(opened.folder) as before, RawSession(upgraded.folder) as after:
        refused, found = (each.answer("search_tables", {"query": "customer"}) for each in (before, after))
        assert "`tribal run`" in refused["error"]["message"]
        assert found["total_matches"] > 0
        decided = before.answer("knowledge_query", {"query": "void"})
        assert decided["totalCount"] == 1
        assert after.answer("knowledge_query", {"query": "void"}) == decided
