"""Compare an exam with an earlier one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tribal_contracts.interrogation.exams import ExamBaseline, ExamQuestion, ExamResult, ExamVerdict


def compared(rows: Sequence[ExamQuestion], baseline: ExamResult) -> ExamBaseline:
    """Return which questions are newly answered, and which are no longer answered."""
    before = {row.question: row.verdict for row in baseline.questions}
    return ExamBaseline(
        id=baseline.id,
        newly_answered=list(_changed(rows, before, "blocked", "answered")),
        newly_failing=list(_changed(rows, before, "answered", "blocked")),
    )


def _changed(
    rows: Sequence[ExamQuestion], before: dict[str, ExamVerdict], was: ExamVerdict, now: ExamVerdict
) -> Iterator[str]:
    return (row.question for row in rows if row.verdict == now and before.get(row.question) == was)
