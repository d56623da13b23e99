"""The part `exam`: the latest exam question by question, for callers who see everything, and in a site."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.cases import each_case
from tests.fakes import MemoryStore
from tests.page_data.test_first_view import exam, page_of
from tests.page_data.test_parts import SALES
from tests.sample_shop.indexed import shop_tables
from tribal.capabilities.interrogation.sessions.repository import Sessions
from tribal.identity.locations import SESSIONS
from tribal.page_data.exam import LISTED_QUESTIONS, exam_part
from tribal.page_data.home import latest_exam
from tribal.ports import Caller
from tribal_contracts.interrogation.exams import BlockingGap, ExamGap, ExamQuestion, ExamResult

SESSION = "3f0c1c5e-8a53-4a0e-9a57-1c2b7c0e6b1d"
TARGET, LACKS = "shop.crm.customer.email", "nothing says what it is"
CATEGORY, SEVERITY = "missing_information", "high"
HOSTILE = "</script><img src=x onerror=alert(1)>"
BEFORE, LATEST = "2026-11-22T10:00:00Z", "2026-11-23T10:00:00Z"


def taken(name: str, created_at: str, answered: list[str], blocked: list[str], not_asked: int = 0) -> ExamResult:
    """An exam whose blocked questions lack one column's description."""
    gap = BlockingGap(target=TARGET, category=CATEGORY, severity=SEVERITY)
    rows = [ExamQuestion(question=text, verdict="answered", completeness_score=100, blocked_by=[]) for text in answered]
    rows += [
        ExamQuestion(question=text, session_id=SESSION, verdict="blocked", completeness_score=60, blocked_by=[gap])
        for text in blocked
    ]
    gaps = [
        ExamGap(
            target=TARGET,
            category=CATEGORY,
            severity=SEVERITY,
            description=LACKS,
            question_count=len(blocked),
            questions=blocked,
        )
    ]
    counts = {"total": len(rows) + not_asked, "answered": len(answered), "not_asked": not_asked}
    return exam(name, created_at).model_copy(update={"questions": rows, "gaps": gaps, **counts})


def store_with(*exams: ExamResult) -> MemoryStore:
    store = MemoryStore()
    for each in exams:
        Sessions(store).put_exam(each)
    return store


def test_the_latest_exam_comes_first_with_what_changed_since_the_one_before() -> None:
    store = store_with(
        taken("1", "2026-11-21T10:00:00Z", [], ["Of an older one?"]),
        taken("2", BEFORE, ["Who pays?", "How many?"], ["Who has no email?", HOSTILE], 1),
        taken("3", LATEST, ["Who has no email?", "Who pays?"], ["How many?", HOSTILE]),
    )
    latest, before = exam_part(store, Caller("ann"))["exams"]
    blocked = [[TARGET, CATEGORY, SEVERITY]]
    assert latest == {
        "at": LATEST,
        "answered": 2,
        "total": 4,
        "notAsked": 0,
        "questions": [
            ["Who has no email?", "answered", 0, []],
            ["Who pays?", "answered", 0, []],
            ["How many?", "blocked", SESSION, blocked],
            [HOSTILE, "blocked", SESSION, blocked],
        ],
        "gaps": [[TARGET, CATEGORY, SEVERITY, LACKS, 2, ["How many?", HOSTILE]]],
        "newly": [["Who has no email?"], ["How many?"]],
    }
    assert (before["at"], before["notAsked"], "newly" in before) == (BEFORE, 1, False)


def test_the_first_view_counts_the_questions_that_were_asked() -> None:
    store = store_with(taken("1", LATEST, ["Who pays?"], ["How many?"], not_asked=3))
    shown = latest_exam(store, Caller("ann"))
    assert shown == {"at": LATEST[:10], "answered": 1, "total": 2, "blocked": ["How many?"]}


def test_one_exam_is_compared_with_none_and_without_any_there_is_nothing() -> None:
    assert exam_part(MemoryStore(), Caller("ann")) == {"exams": []}
    (only,) = exam_part(store_with(taken("1", LATEST, [], ["How many?"])), Caller("ann"))["exams"]
    assert "newly" not in only


def test_an_exam_that_cannot_be_read_is_passed_over() -> None:
    store = store_with(taken("1", BEFORE, ["Who pays?"], []), taken("2", LATEST, [], ["Who pays?"]))
    (damaged,) = [key for key in store.keys(SESSIONS) if "20261123" in key]
    store.put(damaged, b"{}")
    assert [each["at"] for each in exam_part(store, Caller("ann"))["exams"]] == [BEFORE]


def test_a_gap_lists_some_of_the_questions_that_it_blocks() -> None:
    (found,) = exam_part(store_with(taken("1", LATEST, [], [f"{n}?" for n in range(200)])), Caller("ann"))["exams"]
    assert (found["gaps"][0][4], len(found["gaps"][0][5]), len(found["questions"])) == (200, LISTED_QUESTIONS, 200)


@each_case(
    ("caller", "status", "count"),
    [
        (Caller("reader"), 200, 1),
        (Caller("reader", SALES), 200, 0),
        (Caller("reader", rights=frozenset({"documentation:read"})), 200, 0),
        (Caller("reader", rights=frozenset({"interrogation:read"})), 403, 0),
    ],
)
def test_it_is_served_to_who_sees_every_session(tmp_path: Path, caller: Caller, status: int, count: int) -> None:
    page = page_of(shop_tables(), tmp_path, store_with(taken("1", LATEST, [], ["How many?"])))
    answer: tuple[int, Any] = page.asked("exam", caller)
    assert (answer[0], len(answer[1].get("exams", ()))) == (status, count)


def test_a_site_names_no_session() -> None:
    store = store_with(taken("1", LATEST, [], ["How many?"]))
    (found,) = exam_part(store, Caller("site"), with_sessions=False)["exams"]
    assert found["questions"] == [["How many?", "blocked", 0, [[TARGET, CATEGORY, SEVERITY]]]]
