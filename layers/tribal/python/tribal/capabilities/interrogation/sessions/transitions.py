"""The state machine of a session: pure functions from one state to the next. Times are passed in.

`running` is the only state that can be left:

- `add_pair`, `note`, `hold`, `release` and `request_stop` keep the session running;
- `complete` requires a last answer that needs no follow-up;
- `reach_limit` requires the last allowed answer, which still needs a follow-up;
- `fail` is always possible. A stop is a failure that names who stopped the session.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from tribal.capabilities.interrogation.errors import SessionEnded, SessionInvalid
from tribal.capabilities.interrogation.parties import Analysis, Audit, Question, WitnessAnswer
from tribal.capabilities.interrogation.sessions.audits import audit_result, gap_analysis, interim_audit
from tribal.capabilities.interrogation.sessions.hypotheses import require_hypothesis, require_limit
from tribal.ports.models.chains import Cost, TrailNote
from tribal.rendering.words import bounded
from tribal_contracts import Contract, ModelUsage
from tribal_contracts.answering.open_gaps import SessionScope
from tribal_contracts.interrogation.sessions import (
    MAX_ANSWER_CHARS,
    MAX_QUESTION_CHARS,
    MAX_TRAIL_ENTRIES,
    AuditTrailEntry,
    Hypothesis,
    InterrogationSession,
    QuestionAnswerPair,
    SessionHolder,
    SessionUsage,
)
from tribal_contracts.interrogation.times import instant

MAX_REASON_CHARS = 500
MORE_LEFT_OUT = "more entries were left out"
"""Last entry of a full audit trail."""
_STOPPED_BY = "stopped by "

Part = TypeVar("Part", bound=Contract)
NextStep = Literal["ask", "audit", "reach_limit", "stop", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSession:
    """The values for a new session."""

    id: str
    """A random UUID of version 4."""
    hypothesis: str
    iteration_limit: int
    now: str
    owner: str | None = None
    scope: SessionScope | None = None
    domain: str | None = None
    manifest_hash: str | None = None


def create(new: NewSession) -> InterrogationSession:
    """Return a running session without questions.

    Raises:
        HypothesisInvalid: when the hypothesis or the limit is invalid.
    """
    return InterrogationSession(
        id=new.id,
        hypothesis=Hypothesis(text=require_hypothesis(new.hypothesis), created_at=new.now),
        start_time=new.now,
        status="running",
        iteration_limit=require_limit(new.iteration_limit),
        current_iteration=0,
        qa_pairs=[],
        audit_trail=[],
        owner=new.owner,
        scope=new.scope,
        domain=new.domain,
        manifest_hash=new.manifest_hash,
    )


def next_step(session: InterrogationSession) -> NextStep:
    """Return what to do next. A requested stop comes first."""
    if not session.is_running:
        return "none"
    if session.holder is not None and session.holder.stop_requested_by is not None:
        return "stop"
    if not session.qa_pairs:
        return "ask"
    if not session.qa_pairs[-1].gap_analysis.requires_follow_up:
        return "audit"
    return "reach_limit" if session.current_iteration >= session.iteration_limit else "ask"


def add_pair(
    session: InterrogationSession, question: Question, answer: WitnessAnswer, analysis: Analysis, now: str
) -> InterrogationSession:
    """Add a question and its answer to a session, with the notes and usage of their steps.

    Raises:
        SessionEnded: when the session is not running.
        SessionInvalid: when no question may be asked, or the question is blank.
    """
    _require_running(session)
    if session.qa_pairs and next_step(session) in ("audit", "reach_limit"):
        raise SessionInvalid(f"session {session.id} accepts no further questions")
    if not question.text.strip():
        raise SessionInvalid("the detective's question is blank")
    costs = (question.cost, answer.cost, analysis.cost)
    noted = _with_costs(session, costs, now)
    pair = QuestionAnswerPair(
        sequence=session.current_iteration + 1,
        question=bounded(question.text, MAX_QUESTION_CHARS),
        answer=bounded(answer.text, MAX_ANSWER_CHARS),
        timestamp=_not_before(session, now),
        gap_analysis=gap_analysis(analysis),
        provider_used=analysis.detective,
        witness_used=answer.witness,
        sources=[*answer.sources] or None,
    )
    return _with(noted, qa_pairs=[*session.qa_pairs, pair], current_iteration=pair.sequence)


def note(session: InterrogationSession, notes: Sequence[TrailNote], now: str) -> InterrogationSession:
    """Add entries to the audit trail of a session."""
    _require_running(session)
    return _with_notes(session, notes, now)


def complete(session: InterrogationSession, audit: Audit, now: str) -> InterrogationSession:
    """Complete a session with its audit.

    Raises:
        SessionInvalid: when another question has to be asked.
    """
    _require_running(session)
    if not session.qa_pairs or session.qa_pairs[-1].gap_analysis.requires_follow_up:
        raise SessionInvalid(f"session {session.id} cannot be completed: another question has to be asked")
    noted = _with_costs(session, (audit.cost,), now)
    return _ended(noted, "completed", now, audit_result=audit_result(session, audit))


def reach_limit(session: InterrogationSession, audit: Audit | None, now: str) -> InterrogationSession:
    """End a session at its limit. Without an audit, an interim audit is derived from the session.

    Raises:
        SessionInvalid: when the limit is not reached, or no question is open.
    """
    _require_running(session)
    if session.current_iteration < session.iteration_limit or not session.qa_pairs[-1].gap_analysis.requires_follow_up:
        raise SessionInvalid(f"session {session.id} has not reached its limit")
    noted = session if audit is None else _with_costs(session, (audit.cost,), now)
    interim = interim_audit(session) if audit is None else audit_result(session, audit)
    return _ended(noted, "limit-reached", now, interim_audit=interim)


def fail(session: InterrogationSession, reason: str, now: str, notes: Sequence[TrailNote] = ()) -> InterrogationSession:
    """Fail a session. The last entry of its audit trail says why, unless the trail is full."""
    _require_running(session)
    noted = _with_notes(session, [*notes, TrailNote("error", reason)], now)
    return _ended(noted, "failed", now, interim_audit=interim_audit(session) if session.qa_pairs else None)


def stop(session: InterrogationSession, by: str, now: str) -> InterrogationSession:
    """Stop a session on behalf of a person."""
    return fail(session, f"{_STOPPED_BY}{by}", now)


def was_stopped(session: InterrogationSession) -> bool:
    """Return whether a person stopped the session."""
    return session.status == "failed" and any(entry.reason.startswith(_STOPPED_BY) for entry in session.audit_trail)


def hold(session: InterrogationSession, name: str, expires_at: str) -> InterrogationSession:
    """Let a process hold the session. A requested stop is kept."""
    _require_running(session)
    requested = session.holder.stop_requested_by if session.holder is not None else None
    holder = SessionHolder(name=name, expires_at=expires_at, stop_requested_by=requested)
    return _with(session, holder=holder)


def release(session: InterrogationSession) -> InterrogationSession:
    """Release the session, so that another process can resume it."""
    return _with(session, holder=None)


def request_stop(session: InterrogationSession, by: str) -> InterrogationSession:
    """Ask the holder of a session to stop before the next question.

    Raises:
        SessionEnded: when the session is not running.
        SessionInvalid: when no process holds it. Call `stop` for such a session.
    """
    _require_running(session)
    if session.holder is None:
        raise SessionInvalid(f"no process runs session {session.id}; stop it directly")
    requested = session.holder.stop_requested_by or bounded(by, MAX_REASON_CHARS)
    return _with(session, holder=_with(session.holder, stop_requested_by=requested))


def _require_running(session: InterrogationSession) -> None:
    if not session.is_running:
        raise SessionEnded(f"session {session.id} has already ended, with status {session.status}")


def _ended(session: InterrogationSession, status: str, now: str, **audit: Any) -> InterrogationSession:
    return _with(session, status=status, end_time=_not_before(session, now), holder=None, **audit)


def _with_costs(session: InterrogationSession, costs: Sequence[Cost], now: str) -> InterrogationSession:
    used = sum((cost.usage for cost in costs), start=ModelUsage())
    noted = _with_notes(session, [each for cost in costs for each in cost.notes], now)
    if not used.calls:
        return noted
    before = ModelUsage() if session.usage is None else ModelUsage(**session.usage.model_dump(by_alias=False))
    return _with(noted, usage=SessionUsage(**(before + used).model_dump()))


def _with_notes(session: InterrogationSession, notes: Sequence[TrailNote], now: str) -> InterrogationSession:
    trail = session.audit_trail
    for each in notes:
        entry = AuditTrailEntry(
            timestamp=_not_before(session, now),
            event=each.event,
            from_provider=each.from_provider,
            to_provider=each.to_provider,
            reason=bounded(each.reason, MAX_REASON_CHARS),
        )
        trail = _appended(trail, entry)
    return session if not notes else _with(session, audit_trail=trail)


def _appended(trail: list[AuditTrailEntry], entry: AuditTrailEntry) -> list[AuditTrailEntry]:
    """Append an entry to the audit trail. A full trail ends with the newest entry and a note about the missing ones."""
    if len(trail) < MAX_TRAIL_ENTRIES - 1:
        return [*trail, entry]
    left_out = AuditTrailEntry(timestamp=entry.timestamp, event="error", reason=MORE_LEFT_OUT)
    return [*trail[: MAX_TRAIL_ENTRIES - 2], entry, left_out]


def _not_before(session: InterrogationSession, now: str) -> str:
    """Return the time, or the latest time in the session if the clock went back."""
    times = [session.start_time, *(pair.timestamp for pair in session.qa_pairs[-1:])]
    times += [entry.timestamp for entry in session.audit_trail[-1:]]
    return max([*times, now], key=instant)


def _with(model: Part, **changes: Any) -> Part:
    """Return a copy with changes, without validation. Everything is validated when it is saved."""
    return model.model_copy(update=changes)
