"""`tribal diff`, `tribal lint`, `tribal todo` and the page that `tribal run` names, through the real command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.edges.cli.tribal_command import Json, contents, tribal
from tests.fakes.interrogation import gap
from tests.plugins.postgres import FreshDatabase, administer
from tribal.adapters.local.folder import FolderStore
from tribal.adapters.sqlite.index import SqliteIndex
from tribal.capabilities.interrogation.open_gaps.merging import QuestionResult
from tribal.capabilities.interrogation.open_gaps.recording import record
from tribal.capabilities.interrogation.sessions.repository import Sessions
from tribal.documenting import LintReport
from tribal.documenting.lint import Coverage, Finding
from tribal.edges.cli.views.review import print_lint
from tribal.identity.locations import INDEX_FILE, OPEN_GAPS_FILE

BEFORE = (
    "CREATE TABLE customer (id int PRIMARY KEY, xyz text);"
    "CREATE TABLE invoice (id int PRIMARY KEY, customer_id int REFERENCES customer, total int);"
    "CREATE TABLE leaves (id int PRIMARY KEY)"
)
CHANGE = (
    "ALTER TABLE invoice ALTER total TYPE bigint, ADD sent_at date; DROP TABLE leaves; CREATE TABLE comes (id int);"
    "COMMENT ON COLUMN invoice.total IS 'In cents, tax included.'"
)


@pytest.fixture
def documented(tmp_path: Path, fresh_database: FreshDatabase) -> tuple[Path, str]:
    """A project that documents a database of three tables, and the database's address."""
    dsn = fresh_database(BEFORE)
    ran = tribal("run", dsn, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    return tmp_path, dsn


def runs_of(folder: Path) -> set[str]:
    return {path.name for path in (folder / "progress" / "runs").iterdir() if path.is_dir()}


def test_the_last_line_of_a_run_is_the_address_of_the_page(documented: tuple[Path, str]) -> None:
    folder, dsn = documented
    page = folder / "docs" / "index.html"
    assert page.is_file()
    for command in ("run", "document"):
        assert tribal(command, dsn, cwd=folder).stdout.splitlines()[-1] == f"View: {page.as_uri()}"
    opened = tribal("run", dsn, "--open", cwd=folder, BROWSER="/bin/false")
    assert (opened.returncode, opened.stdout.splitlines()[-1]) == (0, f"View: {page.as_uri()}")


def test_diff_says_what_changed_in_the_catalog_and_in_the_documents_and_writes_nothing(
    documented: tuple[Path, str],
) -> None:
    folder, dsn = documented
    name = dsn.rpartition("/")[2]
    administer(dsn, CHANGE)
    before = contents(folder)
    shown = tribal("diff", dsn, cwd=folder)
    assert shown.returncode == 0, shown.stderr
    assert contents(folder) == before
    assert shown.stdout.splitlines() == [
        f"+ {name}.public.comes",
        f"~ {name}.public.invoice",
        "    ~ column total: type integer -> bigint",
        "    ~ column total: comment none -> In cents, tax included.",
        "    + column sent_at: date",
        f"- {name}.public.leaves",
        "3 tables changed in the catalog.",
        "The next run writes the documents of 2 tables and removes those of 1 table.",
        f"  ~ {name}.public.comes",
        f"  ~ {name}.public.invoice",
        f"  - {name}.public.leaves",
    ]


def test_diff_ends_with_code_1_for_ci_only_when_something_changed(documented: tuple[Path, str]) -> None:
    folder, dsn = documented
    same = tribal("diff", dsn, "--exit-code", cwd=folder)
    assert same.returncode == 0, same.stderr
    assert same.stdout.splitlines() == ["Nothing changed in the catalog.", "The documents are up to date."]
    administer(dsn, CHANGE)
    assert tribal("diff", dsn, "--exit-code", cwd=folder).returncode == 1
    assert tribal("run", dsn, cwd=folder).returncode == 0
    assert tribal("diff", dsn, "--exit-code", cwd=folder).returncode == 0


def test_diff_of_recorded_runs_asks_no_database(documented: tuple[Path, str]) -> None:
    folder, dsn = documented
    (first,) = runs_of(folder)
    administer(dsn, CHANGE)
    assert tribal("run", dsn, cwd=folder).returncode == 0
    (second,) = runs_of(folder) - {first}
    since: Json = json.loads(tribal("diff", "--since", first, "--json", cwd=folder).stdout)
    between: Json = json.loads(tribal("diff", "--between", first, second, "--json", cwd=folder).stdout)
    assert since == between
    assert "documents" not in since
    fates = {table["table"]: table["fate"] for table in since["databases"][0]["tables"]}
    assert fates == {"comes": "added", "invoice": "changed", "leaves": "dropped"}
    both = tribal("diff", "--since", first, "--between", first, second, cwd=folder)
    assert both.returncode == 2
    unknown = tribal("diff", "--since", "nope", cwd=folder)
    assert unknown.returncode == 6
    assert first in unknown.stderr


def test_diff_of_a_database_that_does_not_answer_is_no_empty_answer(documented: tuple[Path, str]) -> None:
    folder, dsn = documented
    name = dsn.rpartition("/")[2]
    gone = tribal("diff", f"postgresql://nobody@127.0.0.1:1/{name}", "--exit-code", cwd=folder)
    assert gone.returncode == 3
    assert "Nothing changed" not in gone.stdout


def test_lint_prints_a_line_a_finding_and_the_coverage(documented: tuple[Path, str]) -> None:
    folder, dsn = documented
    name = dsn.rpartition("/")[2]
    shown = tribal("lint", cwd=folder)
    assert shown.returncode == 0, shown.stderr
    coverage, findings, _, *lines = shown.stdout.splitlines()
    assert f"{name}.public.customer.xyz: undocumented: has no description" in lines
    assert findings.startswith("Findings: ")
    assert coverage.startswith("Documented: ")
    as_json: Json = json.loads(tribal("lint", "--json", cwd=folder).stdout)
    assert as_json["success"] is True
    assert as_json["coverage"]["tables"]["total"] == 3
    assert sum(as_json["counts"].values()) == len(as_json["findings"]) == sum(": " in line for line in lines)


def test_lint_writes_a_badge_with_the_share_of_tables_and_columns_or_says_why_not(
    documented: tuple[Path, str],
) -> None:
    folder, _ = documented
    badge = folder / "badge.svg"
    badge.write_text("old")
    found: Json = json.loads(tribal("lint", "--json", "--strict", "--badge", "badge.svg", cwd=folder).stdout)
    tables, columns = found["coverage"]["tables"], found["coverage"]["columns"]
    share = 100 * (tables["documented"] + columns["documented"]) // (tables["total"] + columns["total"])
    assert found["badge"] == "badge.svg"
    assert f"<title>documented: {share}%</title>" in badge.read_text()
    assert not list(folder.glob("*.new"))
    assert tribal("lint", "--badge", "badge.svg", cwd=folder).returncode == 0
    assert "badge" not in json.loads(tribal("lint", "--json", cwd=folder).stdout)
    missing = tribal("lint", "--badge", "nowhere/badge.svg", cwd=folder)
    assert (missing.returncode, "'nowhere/badge.svg' cannot be written: No such file" in missing.stderr) == (5, True)
    for other in ("docs", "", "/dev/null"):
        assert tribal("lint", "--badge", other, cwd=folder).returncode in (2, 5)


def test_lint_shows_the_first_ten_findings_of_each_rule_and_all_of_them_on_request(
    capsys: pytest.CaptureFixture[str],
) -> None:
    findings = [Finding("unclear", "shop.a.t", f"c{number}", "repeats the name") for number in range(12)]
    findings += [Finding("without_key", "shop.a.t", None, "has no primary key")]
    report = LintReport(tuple(findings), Coverage(1, 1), Coverage(12, 12), 0)
    for show_all, shown in ((False, 10), (True, 12)):
        print_lint(report, show_all=show_all)
        lines = capsys.readouterr().out.splitlines()
        assert sum(": unclear: " in line for line in lines) == shown
        assert ("2 more unclear; --all shows them" in lines) is not show_all
        assert "shop.a.t: without_key: has no primary key" in lines


def test_lint_fails_below_the_minimum_coverage_and_with_strict_on_any_finding(documented: tuple[Path, str]) -> None:
    folder, dsn = documented
    assert tribal("lint", "--strict", cwd=folder).returncode == 1
    file = folder / "databases.yaml"
    file.write_text(f"databases:\n  - dsn: {dsn}\n    name: x\nlint: {{minimum_coverage: 99}}\n")
    low = tribal("lint", cwd=folder)
    assert low.returncode == 1
    assert "99 %" in low.stderr
    file.write_text(f"databases:\n  - dsn: {dsn}\n    name: x\nlint: {{undocumented: false, unclear: false}}\n")
    assert tribal("lint", "--strict", cwd=folder).returncode == 0
    file.write_text(f"databases:\n  - dsn: {dsn}\n    name: x\nlint: {{undocumentd: false}}\n")
    wrong = tribal("lint", cwd=folder)
    assert wrong.returncode == 2
    assert "did you mean 'undocumented'" in wrong.stderr


def test_lint_and_diff_without_documents_say_what_to_do_first(tmp_path: Path, fresh_database: FreshDatabase) -> None:
    lint = tribal("lint", cwd=tmp_path)
    assert lint.returncode == 6
    assert "tribal run" in lint.stderr
    diff = tribal("diff", fresh_database("CREATE TABLE t (id int)"), cwd=tmp_path)
    assert diff.returncode == 6
    assert "tribal run" in diff.stderr
    assert contents(tmp_path) == {}


def test_todo_ranks_what_no_one_described_and_gives_the_lines_that_fill_it(documented: tuple[Path, str]) -> None:
    folder, dsn = documented
    name = dsn.rpartition("/")[2]
    shown = tribal("todo", "--limit", "4", cwd=folder)
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.splitlines() == [
        f"{name}.public.customer: what it is about; 1 table refers to it",
        f"{name}.public.invoice: what it is about",
        f"{name}.public.leaves: what it is about",
        f"{name}.public.customer.xyz: what it means; 1 table refers to its table",
        "Listed: 4 of 5 to document.",
        "",
        f"To fill in, in annotations/{name}.yaml:",
        "",
        "tables:",
        '  "public.customer":',
        '    description: ""',
        "    columns:",
        '      "xyz": ""',
        '  "public.invoice":',
        '    description: ""',
        '  "public.leaves":',
        '    description: ""',
    ]
    file = folder / "annotations" / f"{name}.yaml"
    file.parent.mkdir()
    file.write_text("\n".join(shown.stdout.splitlines()[8:]).replace('""', '"Told by a person."'))
    assert tribal("run", dsn, cwd=folder).returncode == 0
    data = json.loads(tribal("todo", "--json", cwd=folder).stdout)
    assert [(item["table"], item["column"]) for item in data["items"]] == [(f"{name}.public.invoice", "total")]


def ask(folder: Path, **questions: list[str]) -> None:
    """Record the targets that questions found missing."""
    index = SqliteIndex(folder / INDEX_FILE)
    results = [QuestionResult(text=text, gaps=[*map(gap, targets)]) for text, targets in questions.items()]
    record(Sessions(FolderStore(folder)), index, results)
    index.close()


def test_what_blocks_questions_is_asked_for_first_until_the_run_after_it_was_written(
    documented: tuple[Path, str],
) -> None:
    folder, dsn = documented
    name = dsn.rpartition("/")[2]
    total = f"{name}.public.invoice.total"
    ask(folder, revenue=[total, "word:revenue"], unpaid=[total], leaves=[f"{name}.public.leaves"])
    shown = tribal("todo", "--limit", "2", cwd=folder)
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.splitlines()[:11] == [
        f"{total}: nothing says what {total} is; blocks 2 questions",
        "    revenue",
        "    unpaid",
        f"{name}.public.leaves: nothing says what {name}.public.leaves is; blocks 1 question",
        "    leaves",
        "Listed: 2 of 5 to document.",
        "",
        "Words of questions that nothing explains; define them under terms: in an annotations file:",
        "revenue: blocks 1 question",
        "    revenue",
        "",
    ]
    data = json.loads(tribal("todo", "--json", cwd=folder).stdout)
    assert data["items"][0]["questions"] == ["revenue", "unpaid"]
    assert data["words"][0] == {
        "word": "revenue",
        "blocks": 1,
        "questions": ["revenue"],
        "lacks": ["nothing says what word:revenue is"],
    }
    file = folder / "annotations" / f"{name}.yaml"
    file.parent.mkdir()
    file.write_text(
        'tables: {public.invoice: {columns: {total: "In cents, tax included."}}}\n'
        "terms: [{name: Revenue, definition: The sum of all invoices.}]\n"
    )
    assert tribal("run", dsn, cwd=folder).returncode == 0
    after = json.loads(tribal("todo", "--json", cwd=folder).stdout)
    assert [item["table"] for item in after["items"] if item["blocks"]] == [f"{name}.public.leaves"]
    assert after["words"] == []
    ask(folder, leaves=[f"{name}.public.leaves"])
    assert total.encode() not in (folder / OPEN_GAPS_FILE).read_bytes()


def test_lint_reports_tables_that_block_questions_where_the_rule_is_enabled(documented: tuple[Path, str]) -> None:
    folder, dsn = documented
    name = dsn.rpartition("/")[2]
    ask(folder, unpaid=[f"{name}.public.invoice.total"])
    assert "open_gaps" not in tribal("lint", cwd=folder).stdout
    (folder / "databases.yaml").write_text(f"databases: [{{dsn: '{dsn}', name: {name}}}]\nlint: {{open_gaps: true}}\n")
    assert f"{name}.public.invoice: open_gaps: 1 question cannot be answered" in tribal("lint", cwd=folder).stdout


def test_a_damaged_file_of_open_gaps_is_an_error_that_says_what_to_do(documented: tuple[Path, str]) -> None:
    folder, _ = documented
    ask(folder, unpaid=[])
    (folder / OPEN_GAPS_FILE).write_text("{}")
    failed = tribal("todo", cwd=folder)
    assert failed.returncode == 5
    assert "sessions/open-gaps.json" in failed.stderr
    assert "delete it" in failed.stderr
    ask(folder, unpaid=[])
    assert tribal("todo", cwd=folder).returncode == 0


def test_what_no_one_has_described_leaves_no_empty_line(documented: tuple[Path, str]) -> None:
    folder, dsn = documented
    found = tribal("search", "leaves", cwd=folder).stdout.splitlines()
    assert found[0].split()[1] == f"{dsn.rpartition('/')[2]}.public.leaves"
    assert all(line.strip() for line in found)
