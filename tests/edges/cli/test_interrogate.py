"""`tribal ask`, `tribal interrogate` and `tribal interrogations`, over an indexed shop."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cases import each_case
from tests.edges.cli.tribal_command import tribal
from tests.edges.mcp.asked import index_project
from tribal_contracts.interrogation.exams import ExamResult
from tribal_contracts.interrogation.rules import broken_rules
from tribal_contracts.interrogation.sessions import InterrogationSession

QUESTION = "how many order lines does each customer have?"


@pytest.fixture(name="project", scope="module")
def project_fixture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    index_project(folder)
    return folder


def as_json(project: Path, *arguments: str, code: int = 0) -> Any:
    done = tribal(*arguments, "--json", cwd=project)
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout)


def test_ask_prints_statements_with_sources_and_exits_with_1_where_nothing_is_documented(project: Path) -> None:
    known = tribal("ask", QUESTION, cwd=project)
    assert known.returncode == 0
    assert "crm.customer" in known.stdout
    assert "[1] table shop.crm.customer" in known.stdout or "table shop." in known.stdout
    elsewhere = tribal("ask", "who flew the zeppelin?", cwd=project)
    assert elsewhere.returncode == 9
    assert "This is not about anything that is documented here." in elsewhere.stdout


def test_a_session_is_shown_question_by_question_listed_shown_again_and_removed(project: Path) -> None:
    done = tribal("interrogate", QUESTION, cwd=project)
    assert done.returncode == 0
    assert done.stdout.startswith("1. What is documented about")
    assert "Completed, consistency" in done.stdout
    session_id = done.stdout.split()[-1]
    assert session_id in tribal("interrogations", cwd=project).stdout
    session = InterrogationSession.model_validate(as_json(project, "interrogations", "show", session_id))
    assert (session.hypothesis.text, broken_rules(session)) == (QUESTION, [])
    assert (project / "sessions" / ".gitignore").read_text().strip() == "*"
    stopped = as_json(project, "interrogations", "stop", session_id)
    assert (stopped["status"], stopped["stopping"]) == ("completed", False)
    assert tribal("interrogations", "--resume", session_id, cwd=project).returncode == 2
    assert as_json(project, "interrogations", "remove", session_id) == {"success": True, "removed": session_id}
    missing = tribal("interrogations", "show", session_id, cwd=project)
    assert "there is no session" in missing.stderr


def test_an_exam_writes_a_report_compares_and_fails_below_its_minimum(project: Path, tmp_path: Path) -> None:
    questions = tmp_path / "weekly.txt"
    questions.write_text(f"# weekly\n{QUESTION}\nwho flew the zeppelin?\n")
    result = ExamResult.model_validate(as_json(project, "interrogate", "--questions", str(questions)))
    assert (result.total, result.answered) == (2, 1)
    baseline = tmp_path / "baseline.json"
    baseline.write_bytes(result.to_json())
    report = tmp_path / "report.md"
    words = ("--questions", str(questions), "--baseline", str(baseline), "--report", str(report))
    enough = tribal("interrogate", *words, "--minimum", "50", cwd=project)
    assert enough.returncode == 0, enough.stderr
    assert "The documentation answers 1 of 2 questions (50%)." in enough.stdout
    assert "Since the baseline: 0 questions newly answered, 0 no longer answered." in enough.stdout
    assert report.read_text().startswith("# What the documentation answers\n")
    assert tribal("interrogate", *words, "--minimum", "51", cwd=project).returncode == 1


@each_case(
    ("arguments", "message"),
    [
        (("interrogate", " "), "the hypothesis is blank"),
        (("interrogate", "x" * 2_001), "the hypothesis has 2001 characters"),
        (("interrogate", "password=hunter2-4711-xyz"), "looks like a secret"),
        (("interrogate", "customers", "--iterations", "21"), "it must be from 5 to 20"),
        (("interrogate", "--questions", "nowhere.txt"), "nowhere.txt cannot be read"),
        (("interrogate",), "give one question, or a file"),
        (("interrogate", "x", "--questions", "q.txt"), "give one question, or a file"),
        (("interrogations", "--resume", "nothing"), "there is no session"),
    ],
)
def test_what_cannot_be_examined_is_refused_by_name(project: Path, arguments: tuple[str, ...], message: str) -> None:
    done = tribal(*arguments, cwd=project)
    assert done.returncode != 0
    assert message in done.stderr


def test_without_an_index_the_message_says_what_to_run(tmp_path: Path) -> None:
    for command in (("ask", "x"), ("interrogate", "x")):
        done = tribal(*command, cwd=tmp_path)
        assert done.returncode == 6
        assert "tribal run" in done.stderr
