"""The state machine of a session: pure functions from one session to the next. Times are passed in.

`running` is the only state that anything leads out of:

- `add_pair`, `note`, `hold`, `release`, `request_stop` leave it running;
- `complete` needs a pair that requires no follow-up;
- `reach_limit` needs the last allowed pair, which still requires one;
- `fail` is always possible, and a stop is a failure that names who stopped it.
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
"""The last entry of a full audit trail."""
_STOPPED_BY = "stopped by "

Part = TypeVar("Part", bound=Contract)
NextStep = Literal["ask", "audit", "reach_limit", "stop", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSession:
    """What a session is created from."""

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
    """A running session without pairs.

    Raises:
        HypothesisInvalid: when hypothesis or limit are not valid.
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
    """What has to be done next; a requested stop comes before everything else."""
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
    """The session with one more pair, and what its steps noted and used.

    Raises:
        SessionEnded: when it is not running.
        SessionInvalid: when no question may be asked, or the question is blank.
    """
    _require_running(session)
    if session.qa_pairs and next_step(session) in ("audit", "reach_limit"):
        raise SessionInvalid(f"session {session.id} takes no further question")
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
    """The session with more entries in its audit trail."""
    _require_running(session)
    return _with_notes(session, notes, now)


def complete(session: InterrogationSession, audit: Audit, now: str) -> InterrogationSession:
    """The session completed, with its audit.

    Raises:
        SessionInvalid: when a question is still to be asked.
    """
    _require_running(session)
    if not session.qa_pairs or session.qa_pairs[-1].gap_analysis.requires_follow_up:
        raise SessionInvalid(f"session {session.id} cannot be completed: a question is still to be asked")
    noted = _with_costs(session, (audit.cost,), now)
    return _ended(noted, "completed", now, audit_result=audit_result(session, audit))


def reach_limit(session: InterrogationSession, audit: Audit | None, now: str) -> InterrogationSession:
    """The session ended at its limit; without an audit, the interim one is made by rules.

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
    """The session failed; the last entry of its trail says why, except after an entry for those left out."""
    _require_running(session)
    noted = _with_notes(session, [*notes, TrailNote("error", reason)], now)
    return _ended(noted, "failed", now, interim_audit=interim_audit(session) if session.qa_pairs else None)


def stop(session: InterrogationSession, by: str, now: str) -> InterrogationSession:
    """The session stopped by a person."""
    return fail(session, f"{_STOPPED_BY}{by}", now)


def was_stopped(session: InterrogationSession) -> bool:
    """Whether a person stopped the session."""
    return session.status == "failed" and any(entry.reason.startswith(_STOPPED_BY) for entry in session.audit_trail)


def hold(session: InterrogationSession, name: str, expires_at: str) -> InterrogationSession:
    """The session held by a process; a stop that was requested stays so."""
    _require_running(session)
    requested = session.holder.stop_requested_by if session.holder is not None else None
    holder = SessionHolder(name=name, expires_at=expires_at, stop_requested_by=requested)
    return _with(session, holder=holder)


def release(session: InterrogationSession) -> InterrogationSession:
    """The session without a holder, for another process to resume."""
    return _with(session, holder=None)


def request_stop(session: InterrogationSession, by: str) -> InterrogationSession:
    """The session whose holder has to stop before the next question.

    Raises:
        SessionEnded: when it is not running.
        SessionInvalid: when no process holds it: it is stopped at once instead.
    """
    _require_running(session)
    if session.holder is None:
        raise SessionInvalid(f"session {session.id} has no holder; stop it at once")
    requested = session.holder.stop_requested_by or bounded(by, MAX_REASON_CHARS)
    return _with(session, holder=_with(session.holder, stop_requested_by=requested))


def _require_running(session: InterrogationSession) -> None:
    if not session.is_running:
        raise SessionEnded(f"session {session.id} has ended: it is {session.status}")


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
    """The trail with one more entry; a full one ends with the newest and the note that others were left out."""
    if len(trail) < MAX_TRAIL_ENTRIES - 1:
        return [*trail, entry]
    left_out = AuditTrailEntry(timestamp=entry.timestamp, event="error", reason=MORE_LEFT_OUT)
    return [*trail[: MAX_TRAIL_ENTRIES - 2], entry, left_out]


def _not_before(session: InterrogationSession, now: str) -> str:
    """The time, or the latest one of the session if a clock went back."""
    times = [session.start_time, *(pair.timestamp for pair in session.qa_pairs[-1:])]
    times += [entry.timestamp for entry in session.audit_trail[-1:]]
    return max([*times, now], key=instant)


def _with(model: Part, **changes: Any) -> Part:
    """A copy with changes, without validation: whatever is saved is validated then."""
    return model.model_copy(update=changes)
