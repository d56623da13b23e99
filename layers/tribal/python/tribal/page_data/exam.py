"""The latest exam, question by question, next to the one before."""

from __future__ import annotations

from itertools import islice
from typing import Any

from tribal.capabilities.interrogation.exams.comparing import compared
from tribal.capabilities.interrogation.rights import READ_INTERROGATION
from tribal.capabilities.interrogation.sessions.repository import Sessions
from tribal.identity.scope import EVERYTHING
from tribal.ports import Caller, ObjectStore
from tribal_contracts.interrogation.exams import BlockingGap, ExamGap, ExamQuestion, ExamResult

LISTED_QUESTIONS = 50
"""Questions of a gap; which others it blocks, each question says. By judgement."""


def may_see_exams(caller: Caller) -> bool:
    """Whether a caller sees exams, which are about everything that is documented."""
    return caller.scope == EVERYTHING and caller.may(READ_INTERROGATION)


def exam_part(store: ObjectStore, caller: Caller, *, with_sessions: bool = True) -> dict[str, Any]:
    """Return the latest exam and the one before, as far as there are any that the caller may see.

    Args:
        store: has the exams.
        caller: sees none unless it sees everything.
        with_sessions: whether questions name their sessions, which a static site does not have.
    """
    if not may_see_exams(caller):
        return {"exams": []}
    found = list(islice(Sessions(store).newest_exams(), 2))
    shown = [_exam(each, with_sessions=with_sessions) for each in found]
    if len(found) > 1:
        difference = compared(found[0].questions, found[1])
        shown[0]["newly"] = [difference.newly_answered, difference.newly_failing]
    return {"exams": shown}


def _exam(exam: ExamResult, *, with_sessions: bool) -> dict[str, Any]:
    return {
        "at": exam.created_at,
        "answered": exam.answered,
        "total": exam.total,
        "notAsked": exam.not_asked,
        "questions": [_question(each, with_sessions=with_sessions) for each in exam.questions],
        "gaps": [
            [*_gap(each), each.description, each.question_count, each.questions[:LISTED_QUESTIONS]]
            for each in exam.gaps
        ],
    }


def _question(row: ExamQuestion, *, with_sessions: bool) -> list[Any]:
    session = row.session_id if with_sessions else None
    return [row.question, row.verdict, session or 0, [_gap(each) for each in row.blocked_by]]


def _gap(gap: BlockingGap | ExamGap) -> list[str]:
    return [gap.target, gap.category, gap.severity]
