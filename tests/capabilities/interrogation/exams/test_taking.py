"""Exams over an indexed shop: what is answered, what blocks the others, and what has changed since."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.fakes import MemoryStore, application_over
from tests.sample_shop.indexed import index_all, shop_tables, write_documentation
from tribal.adapters.sqlite.index import SqliteIndex
from tribal.capabilities.interrogation.exams.report import report, summary_line
from tribal.capabilities.interrogation.exams.taking import Exam
from tribal.capabilities.interrogation.interrogations import Interrogations
from tribal.errors import RunInterrupted
from tribal.ports import Caller, StopToken
from tribal_contracts.interrogation.exams import ExamResult

QUESTIONS = ["how many customers are there?", "who flew the *zeppelin*?", "how long is a zeppelin?"]


@pytest.fixture(name="service")
def service_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Interrogations]:
    store, index = MemoryStore(), SqliteIndex(tmp_path_factory.mktemp("exam") / "index.db")
    write_documentation(store, shop_tables())
    index_all(store, index)
    yield Interrogations(application_over(index, store=store), Caller("ada"))
    index.close()


def test_an_exam_says_how_many_questions_are_answered_and_what_blocks_most(service: Interrogations) -> None:
    result = Exam(service=service).take(QUESTIONS)
    assert [row.verdict for row in result.questions] == ["answered", "blocked", "blocked"]
    assert (result.total, result.answered, result.not_asked) == (3, 1, 0)
    assert result.share == pytest.approx(1 / 3)
    zeppelin = next(gap for gap in result.gaps if "zeppelin" in gap.description)
    assert zeppelin.question_count == 2
    assert result.gaps[0].question_count == 2
    assert service.sessions.read_exam(result.id) == result
    assert service.sessions.newest_first() == []


def test_sessions_are_kept_on_request_and_named_in_the_result(service: Interrogations) -> None:
    result = Exam(service=service, keeps_sessions=True).take(QUESTIONS[:2])
    assert {row.session_id for row in result.questions} == {key.id for key in service.sessions.newest_first()}


def test_a_baseline_shows_what_is_newly_answered_and_newly_failing(service: Interrogations) -> None:
    first = Exam(service=service).take(QUESTIONS)
    rows = [
        row.model_copy(update={"verdict": "answered" if row.verdict == "blocked" else "blocked"})
        for row in first.questions
    ]
    again = Exam(service=service, baseline=first.model_copy(update={"questions": rows})).take(QUESTIONS)
    assert again.baseline is not None
    assert again.baseline.id == first.id
    assert again.baseline.newly_answered == QUESTIONS[:1]
    assert again.baseline.newly_failing == QUESTIONS[1:]


def test_a_stop_leaves_the_remaining_questions_unasked(service: Interrogations) -> None:
    stop = StopToken()
    result = Exam(
        service=service, stop=stop, report=lambda _, __: stop.request(RunInterrupted("stopped by Ctrl-C"))
    ).take(QUESTIONS)
    assert [row.verdict for row in result.questions] == ["answered", "not_asked", "not_asked"]
    assert (result.not_asked, result.share) == (2, 1.0)


def test_the_report_escapes_what_it_quotes(service: Interrogations) -> None:
    result = Exam(service=service).take(QUESTIONS)
    text = report(result)
    assert summary_line(result) == "The documentation answers 1 of 3 questions (33%)."
    assert "who flew the \\*zeppelin\\*?" in text
    assert "nothing explains “zeppelin”" in text


def test_equal_exams_differ_in_their_ids_alone(service: Interrogations) -> None:
    def bare(result: ExamResult) -> ExamResult:
        return result.model_copy(update={"id": ""})

    assert bare(Exam(service=service).take(QUESTIONS)) == bare(Exam(service=service).take(QUESTIONS))
    other = replace(service, caller=Caller("bob"))
    assert Exam(service=other).take(QUESTIONS).owner == "bob"
