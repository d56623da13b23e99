"""`tribal ask --wrong`: marks the last answer, which is kept privately for each folder and profile."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from tests.cases import each_case
from tests.edges.cli.tribal_command import Json, contents, tribal
from tests.edges.mcp.asked import index_project
from tests.sample_shop.indexed import shop_tables, write_documentation
from tribal.adapters.local.folder import FolderStore

QUESTION, WHY = "how many order lines does each customer have?", "It joins cancelled orders, too."


@pytest.fixture(name="project", scope="module")
def project_fixture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    index_project(folder)
    write_documentation(FolderStore(folder), shop_tables())
    return folder


def wrong(project: Path, state: Path, why: str = WHY, code: int = 0) -> Json:
    done = tribal("ask", "--wrong", why, "--json", cwd=project, XDG_STATE_HOME=str(state))
    assert done.returncode == code, done.stderr
    found: Json = json.loads(done.stdout)
    return found


def test_the_last_answer_is_marked_listed_and_taken_back(project: Path, tmp_path: Path) -> None:
    before = contents(project, ".tribal")
    asked = tribal("ask", QUESTION, "--json", cwd=project, XDG_STATE_HOME=str(tmp_path))
    tables = json.loads(asked.stdout)["main_tables"]
    assert contents(project, ".tribal") == before, "no store has the last answer"
    (kept,) = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert json.loads(kept.read_bytes()) == {"question": QUESTION, "tables": tables}

    done = tribal("ask", "--wrong", WHY, cwd=project, XDG_STATE_HOME=str(tmp_path))
    assert done.stdout.startswith(f"Marked as wrong: {QUESTION}\n")
    assert all(table in done.stdout for table in tables)
    items = json.loads(tribal("todo", "--json", cwd=project).stdout)["items"]
    marked = [item for item in items if "marks" in item]
    assert {item["table"] for item in marked} == {*tables}
    (mark,) = marked[0]["marks"]
    assert (mark["question"], mark["why"], WHY in marked[0]["lacks"]) == (QUESTION, WHY, False)
    listed = tribal("todo", cwd=project).stdout
    assert f"\n    {QUESTION}\n        marked wrong: {WHY} ({mark['mark']})\n" in listed
    assert "\nClose a mark once its answer is correct: `tribal interrogations remove ID`\n" in listed
    assert f"To undo this, run `tribal interrogations remove {mark['mark']}`." in done.stdout

    assert tribal("interrogations", "remove", mark["mark"], cwd=project).returncode == 0
    assert "marked wrong" not in tribal("todo", cwd=project).stdout
    assert "there is no session" in tribal("interrogations", "remove", mark["mark"], cwd=project).stderr


def test_a_mark_of_someone_else_is_closed_as_with_the_tool_and_so_is_one_whose_file_is_gone(
    project: Path, tmp_path: Path
) -> None:
    for is_gone in (False, True):
        asked = tribal("ask", QUESTION, cwd=project, XDG_STATE_HOME=str(tmp_path), TRIBAL_USER="ann")
        assert asked.returncode == 0, asked.stderr
        done = tribal("ask", "--wrong", WHY, "--json", cwd=project, XDG_STATE_HOME=str(tmp_path), TRIBAL_USER="ann")
        mark = json.loads(done.stdout)["mark"]
        if is_gone:
            for file in (project / "sessions").glob(f"mark_{mark}_*"):
                file.unlink()
        closed = tribal("interrogations", "remove", mark, cwd=project, TRIBAL_USER="ben")
        assert (closed.returncode, closed.stdout) == (0, f"{mark} is removed.\n"), closed.stderr
        assert "marked wrong" not in tribal("todo", cwd=project).stdout


def test_an_answer_of_a_collection_that_is_streamed_is_kept_too(project: Path, tmp_path: Path) -> None:
    tribal("ask", QUESTION, "--collection", "catalog", cwd=project, XDG_STATE_HOME=str(tmp_path))
    assert wrong(project, tmp_path)["tables"]


def test_each_folder_has_its_own_last_answer_and_only_answers_replace_it(project: Path, tmp_path: Path) -> None:
    tribal("ask", QUESTION, cwd=project, XDG_STATE_HOME=str(tmp_path))
    (tmp_path / "empty").mkdir()
    assert tribal("ask", "customers?", cwd=tmp_path / "empty", XDG_STATE_HOME=str(tmp_path)).returncode == 6
    there = tribal("ask", "--wrong", WHY, "--project", str(project), cwd=tmp_path, XDG_STATE_HOME=str(tmp_path))
    assert there.returncode == 0, there.stderr
    elsewhere = tribal("ask", "--wrong", WHY, cwd=tmp_path / "empty", XDG_STATE_HOME=str(tmp_path))
    assert (elsewhere.returncode, "there is no answer to mark" in elsewhere.stderr) == (2, True)


@each_case(
    ("question", "message"),
    [
        (None, "there is no answer to mark; ask first"),
        ("who flew the zeppelin?", "the last answer cites no table"),
        ("customers with password=hunter2-4711-xyz?", "there is no answer to mark"),
    ],
)
def test_what_cannot_be_marked_says_why(project: Path, tmp_path: Path, question: str | None, message: str) -> None:
    state = {"XDG_STATE_HOME": str(tmp_path / str(abs(hash(question))))}
    if question is not None:
        tribal("ask", QUESTION, cwd=project, **state)
        tribal("ask", question, cwd=project, **state)
    done = tribal("ask", "--wrong", WHY, cwd=project, **state)
    assert done.returncode == 2
    assert message in " ".join(done.stderr.split())


@each_case(
    ("arguments", "message"),
    [
        (("ask",), "give a question, or mark the last answer with --wrong"),
        (("ask", QUESTION, "--wrong", WHY), "it marks the last answer; leave out the question"),
    ],
)
def test_either_a_question_or_a_reason_is_given(project: Path, arguments: tuple[str, ...], message: str) -> None:
    done = tribal(*arguments, cwd=project)
    assert (done.returncode, message in " ".join(done.stderr.split())) == (2, True)


def test_a_reason_that_is_not_valid_is_refused(project: Path, tmp_path: Path) -> None:
    tribal("ask", QUESTION, cwd=project, XDG_STATE_HOME=str(tmp_path))
    assert wrong(project, tmp_path, " ", code=2)["error"]["code"] == "INT_HYPOTHESIS_INVALID"
    done = tribal("ask", "--wrong", "x" * 501, cwd=project, XDG_STATE_HOME=str(tmp_path))
    assert (done.returncode, "the reason has 501 characters" in done.stderr) == (2, True)


@each_case("state", ["file", "file/deeper", "damaged"])
def test_a_place_that_cannot_be_written_or_read_fails_no_answer(project: Path, tmp_path: Path, state: str) -> None:
    (tmp_path / "file").write_text("no folder")
    asked = tribal("ask", QUESTION, cwd=project, XDG_STATE_HOME=str(tmp_path / state))
    assert (asked.returncode, "crm.customer" in asked.stdout, "Traceback" in asked.stderr) == (0, True, False)
    for path in (tmp_path / "damaged").rglob("*.json"):
        path.write_text('{"question": 7}')
    done = tribal("ask", "--wrong", WHY, cwd=project, XDG_STATE_HOME=str(tmp_path / state))
    assert (done.returncode, "there is no answer to mark" in done.stderr) == (2, True)
