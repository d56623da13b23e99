"""Take an exam: run a session for each question, then rank the gaps by how many questions they block."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from tribal.capabilities.interrogation.errors import BudgetExhausted, PartyFailed
from tribal.capabilities.interrogation.exams.comparing import compared
from tribal.capabilities.interrogation.interrogations import Interrogations, Parties
from tribal.capabilities.interrogation.open_gaps.recording import exam_results
from tribal.capabilities.interrogation.sessions.loop import run_unsaved
from tribal.ports.stopping import StopToken
from tribal_contracts.answering.open_gaps import GapSeverity
from tribal_contracts.interrogation.exams import (
    BlockingGap,
    ExamGap,
    ExamQuestion,
    ExamResult,
    ExamVerdict,
)
from tribal_contracts.interrogation.sessions import MOST_ITERATIONS, Gap, Hypothesis, InterrogationSession, SessionId

_ORDER: dict[GapSeverity, int] = {"high": 0, "medium": 1, "low": 2}
_BLOCKING: frozenset[GapSeverity] = frozenset(("high", "medium"))

Report = Callable[[int, int], None]
"""Called with the number of questions examined so far, and the total."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exam:
    """Settings of an exam."""

    service: Interrogations
    database: str | None = None
    domain: str | None = None
    keeps_sessions: bool = False
    baseline: ExamResult | None = None
    stop: StopToken = field(default_factory=StopToken)
    report: Report = lambda _, __: None

    def take(self, questions: Sequence[str]) -> ExamResult:
        """Examine the questions and save the result.

        If the spending limit is reached or a stop is requested, the remaining questions are not asked.

        Raises:
            DatabaseNotFound, DomainNotFound: when a filter names something that is not documented.
            IndexNotReady: when there is no finished index.
        """
        service = self.service
        # The rules ask all that they have; each question of a model costs money.
        iterations = MOST_ITERATIONS if service.models is None else service.settings.iterations
        template = service.new(questions[0], iterations, self.database, self.domain)
        exam_id = str(uuid.uuid4())
        sessions: dict[str, InterrogationSession] = {}
        with service.parties(template, f"exam:{exam_id}") as parties:
            for number, question in enumerate(questions, start=1):
                if self.stop.requested:
                    break
                try:
                    session = self._examine(question, template, parties)
                except BudgetExhausted:
                    break
                except PartyFailed:
                    continue
                sessions[question] = session
                self.report(number, len(questions))
        result = self._result(exam_id, template, questions, sessions)
        service.sessions.put_exam(result)
        service.record(exam_results(result))
        return result

    def _examine(self, question: str, template: InterrogationSession, parties: Parties) -> InterrogationSession:
        now = self.service.app.clock.published()
        new = {"id": str(uuid.uuid4()), "hypothesis": Hypothesis(text=question, created_at=now), "start_time": now}
        session = run_unsaved(
            template.model_copy(update=new), parties.detective, parties.witness, self.service.app.clock
        )
        if self.keeps_sessions:
            self.service.sessions.create(session)
        return session

    def _result(
        self,
        exam_id: SessionId,
        template: InterrogationSession,
        questions: Sequence[str],
        sessions: dict[str, InterrogationSession],
    ) -> ExamResult:
        rows = [self._row(question, sessions.get(question)) for question in questions]
        verdicts = [row.verdict for row in rows]
        answered, not_asked = verdicts.count("answered"), verdicts.count("not_asked")
        examined = len(rows) - not_asked
        return ExamResult(
            id=exam_id,
            created_at=self.service.app.clock.published(),
            manifest_hash=template.manifest_hash or "",
            total=len(rows),
            answered=answered,
            not_asked=not_asked,
            share=answered / examined if examined else 0.0,
            questions=rows,
            gaps=_gaps((question, gap) for question, session in sessions.items() for gap in blocking(session)),
            baseline=None if self.baseline is None else compared(rows, self.baseline),
            owner=template.owner,
            scope=template.scope,
        )

    def _row(self, question: str, session: InterrogationSession | None) -> ExamQuestion:
        if session is None:
            return ExamQuestion(question=question, verdict="not_asked", completeness_score=0, blocked_by=[])
        gaps = blocking(session)
        verdict: ExamVerdict = "answered" if session.status == "completed" and not gaps else "blocked"
        return ExamQuestion(
            question=question,
            session_id=session.id if self.keeps_sessions else None,
            verdict=verdict,
            completeness_score=session.qa_pairs[-1].gap_analysis.completeness_score,
            blocked_by=[
                BlockingGap(target=gap.target or "", category=gap.category, severity=gap.severity) for gap in gaps
            ],
        )


def blocking(session: InterrogationSession) -> list[Gap]:
    """Return the gaps that block a question: those of medium or high severity after the last answer."""
    return [gap for gap in session.open_gaps if gap.severity in _BLOCKING]


def _gaps(found: Iterable[tuple[str, Gap]]) -> list[ExamGap]:
    """Return each gap with the questions that it blocks, the gap with the most questions first."""
    by_gap: dict[tuple[str, str], list[tuple[str, Gap]]] = {}
    for question, gap in found:
        by_gap.setdefault((gap.target or gap.description, gap.category), []).append((question, gap))
    gaps = [_exam_gap(each) for each in by_gap.values()]
    return sorted(gaps, key=lambda gap: (-gap.question_count, _ORDER[gap.severity], gap.target, gap.description))


def _exam_gap(found: Sequence[tuple[str, Gap]]) -> ExamGap:
    worst = min((gap for _, gap in found), key=lambda gap: _ORDER[gap.severity])
    questions = list(dict.fromkeys(question for question, _ in found))
    return ExamGap(
        target=worst.target or "",
        category=worst.category,
        severity=worst.severity,
        description=worst.description,
        question_count=len(questions),
        questions=questions,
    )
