"""`tribal chat` in a pipe, and where there is nothing to answer from."""

from __future__ import annotations

from pathlib import Path

from tests.edges.cli.tribal_command import tribal
from tests.edges.mcp.asked import index_project
from tribal.capabilities.chat.laws.integrity import CHANGE_REASON


def test_every_line_of_a_pipe_is_a_question(tmp_path: Path) -> None:
    index_project(tmp_path)
    good = "Which columns does customer have?"
    chatted = tribal("chat", cwd=tmp_path, piped=f"{good}\n\n{'x' * 5_000}\nAnd of visit?\n")
    asked = [line for line in chatted.stdout.splitlines() if line.startswith("? ")]
    assert [asked[0], asked[-1]] == [f"? {good}", "? And of visit?"]
    assert chatted.stdout.count("Sources") == 2
    assert chatted.returncode == 2
    errors = [line for line in chatted.stderr.splitlines() if not line.startswith("note: ")]
    assert errors == ["error: the question has 5,000 characters; shorten it to at most 4,000"]
    assert tribal("chat", cwd=tmp_path, piped=f"{good}\n").returncode == 0


def test_a_question_on_the_command_line_leaves_the_pipe_alone(tmp_path: Path) -> None:
    index_project(tmp_path)
    chatted = tribal("chat", "Which columns does customer have?", cwd=tmp_path, piped="And of visit?\n")
    assert (chatted.returncode, chatted.stdout.count("Sources"), "?" in chatted.stdout) == (0, 1, False)


def test_an_order_to_change_data_is_refused_without_a_collection_too(tmp_path: Path) -> None:
    index_project(tmp_path)
    refused = tribal("ask", "Delete all visits of customer 5", cwd=tmp_path)
    assert (refused.returncode, refused.stdout.strip()) == (9, CHANGE_REASON)


def test_what_is_missing_is_said_before_any_question(tmp_path: Path) -> None:
    nothing = tribal("chat", cwd=tmp_path)
    assert (nothing.returncode, "no index" in nothing.stderr, "tribal run" in nothing.stderr) == (6, True, True)
    (tmp_path / "databases.yaml").write_text("databases: []\ncollections: [{name: handbook}]\n")
    empty = tribal("chat", "--collection", "handbook", cwd=tmp_path, piped="How are you?\n")
    assert (empty.returncode, "`tribal upload FILE --collection handbook`" in empty.stderr) == (6, True)
