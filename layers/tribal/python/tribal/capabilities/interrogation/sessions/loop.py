"""Run a session with a detective and a witness as a job, which is saved after every answer.

A process that resumes a session repeats at most the last question. A session that was killed and resumed therefore ends
with the same file as an uninterrupted session.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta

from tribal.capabilities.interrogation.errors import DetectiveUnreachable, PartyFailed, SessionEnded, SessionHeld
from tribal.capabilities.interrogation.parties import Audit, Detective, Witness
from tribal.capabilities.interrogation.sessions import transitions
from tribal.capabilities.interrogation.sessions.repository import Sessions
from tribal.errors import PreconditionFailed
from tribal.jobs.holding import Holder, HolderInside
from tribal.jobs.job import Job, JobEnded, JobHeld, NotNow
from tribal.ports import Clock, StopToken
from tribal.ports.models.chains import TrailNote
from tribal_contracts.interrogation.sessions import InterrogationSession
from tribal_contracts.interrogation.times import instant, written

_ATTEMPTS = 10
"""How often a stop is retried if other processes change the session at the same time."""


def _no_report(_: InterrogationSession) -> None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Interrogation:
    """Runs sessions with a detective and a witness."""

    sessions: Sessions
    detective: Detective
    witness: Witness
    clock: Clock
    holder: str
    """Name that is unique to a process or an invocation."""
    term: timedelta
    """How long a session is held after each save: more than twice the longest step."""
    stop: StopToken = field(default_factory=StopToken)
    """Stop token. At its deadline, a session stays running for another process to resume."""
    step_seconds: float = 0.0
    """No step begins with less time than this before the deadline."""
    report: Callable[[InterrogationSession], None] = _no_report
    """Called with the session after each step."""

    def run(self, session_id: str) -> InterrogationSession:
        """Run a session until it ends or the deadline is near; return it, ended or still running.

        Raises:
            SessionNotFound: when it does not exist or was removed.
            SessionEnded: when it had already ended.
            SessionHeld: when another process runs it.
            DetectiveUnreachable: when its audit fails temporarily. It stays running, and the next call retries.
        """
        key = self.sessions.key(session_id)
        job = Job(
            read=lambda: self.sessions.read_key(key),
            replace=self.sessions.replace,
            has_ended=lambda session: not session.is_running,
            holder=HolderInside(
                own=self.holder,
                term=self.term,
                clock=self.clock,
                holder_of=_holder_of,
                with_holder=lambda session, holder: transitions.hold(session, holder.name, written(holder.expires)),
                without_holder=self._handed_back,
            ),
            stop=self.stop,
            step_seconds=self.step_seconds,
            report=self.report,
        )
        try:
            return job.run(self._step)
        except JobEnded as ended:
            raise SessionEnded(f"session {session_id} has already ended, with status {ended.record.status}") from None
        except JobHeld as held:
            raise _held_by_another(held.record, self.clock) from None

    def _step(self, session: InterrogationSession) -> InterrogationSession:
        """Take the next step. A failed party ends the session, unless only its audit has to wait."""
        step = transitions.next_step(session)
        if step == "stop":
            return self._stopped(session)
        try:
            if step == "ask":
                return self._ask(session)
            return self._audit(session) if step == "audit" else self._reach_limit(session)
        except PartyFailed as error:
            now, notes, reason = self.clock.published(), error.notes, _reason(error)
            if step == "audit" and isinstance(error, DetectiveUnreachable) and error.temporary:
                noted = transitions.note(session, (*notes, TrailNote("error", reason)), now)
                raise NotNow(changed=noted, error=error) from error
            return transitions.fail(session, reason, now, notes)

    def _ask(self, session: InterrogationSession) -> InterrogationSession:
        notes: list[TrailNote] = []
        try:
            question = self.detective.next_question(session)
            notes += question.cost.notes
            answer = self.witness.answer(session, question.text)
            notes += answer.cost.notes
            analysis = self.detective.analyse(session, question.text, answer)
        except PartyFailed as error:
            error.notes = (*notes, *error.notes)
            raise
        return transitions.add_pair(session, question, answer, analysis, self.clock.published())

    def _audit(self, session: InterrogationSession) -> InterrogationSession:
        return transitions.complete(session, self.detective.audit(session), self.clock.published())

    def _reach_limit(self, session: InterrogationSession) -> InterrogationSession:
        notes: tuple[TrailNote, ...] = ()
        audit: Audit | None = None
        try:
            audit = self.detective.audit(session)
        except PartyFailed as error:
            notes = (*error.notes, TrailNote("error", _reason(error)))
        now = self.clock.published()
        return transitions.reach_limit(transitions.note(session, notes, now), audit, now)

    def _stopped(self, session: InterrogationSession) -> InterrogationSession:
        assert session.holder is not None
        return transitions.stop(session, str(session.holder.stop_requested_by), self.clock.published())

    def _handed_back(self, session: InterrogationSession) -> InterrogationSession:
        """Let another process resume the session, unless a stop was requested."""
        return self._stopped(session) if transitions.next_step(session) == "stop" else transitions.release(session)


def run_unsaved(
    session: InterrogationSession, detective: Detective, witness: Witness, clock: Clock
) -> InterrogationSession:
    """Run a session until it ends, without saving it.

    Raises:
        PartyFailed: when a detective or a witness cannot continue.
    """
    while session.is_running:
        step = transitions.next_step(session)
        if step == "ask":
            question = detective.next_question(session)
            answer = witness.answer(session, question.text)
            analysis = detective.analyse(session, question.text, answer)
            session = transitions.add_pair(session, question, answer, analysis, clock.published())
        elif step == "audit":
            session = transitions.complete(session, detective.audit(session), clock.published())
        else:
            session = transitions.reach_limit(session, None, clock.published())
    return session


def stop_session(sessions: Sessions, session_id: str, by: str, clock: Clock) -> tuple[InterrogationSession, bool]:
    """Stop a session now, or before the next question of the process that runs it.

    Does nothing if the session has ended. Returns the session, and whether it is still stopping.

    Raises:
        SessionNotFound: when it does not exist.
        SessionHeld: when other processes keep changing it.
    """
    for _ in range(_ATTEMPTS):
        stored = sessions.read(session_id)
        session = stored.record
        if not session.is_running:
            return session, False
        held = is_held(session, clock)
        stopped = transitions.request_stop(session, by) if held else transitions.stop(session, by, clock.published())
        with suppress(PreconditionFailed):
            return sessions.replace(stored, stopped).record, held
    raise _held_by_another(session, clock)


def is_held(session: InterrogationSession, clock: Clock) -> bool:
    """Return whether a process runs the session, which means that its lease is current."""
    holder = _holder_of(session)
    return holder is not None and holder.expires > clock.real()


def _holder_of(session: InterrogationSession) -> Holder | None:
    holder = session.holder
    return None if holder is None else Holder(holder.name, instant(holder.expires_at))


def _held_by_another(session: InterrogationSession, clock: Clock) -> SessionHeld:
    text = f"another process is running session {session.id}"
    if session.holder is None:
        return SessionHeld(f"{text}; try again after the session has ended")
    left = max(1, math.ceil((instant(session.holder.expires_at) - clock.real()).total_seconds()))
    return SessionHeld(f"{text}; if that process was killed, the session can be resumed in {left} s")


def _reason(error: PartyFailed) -> str:
    return f"{error.code}: {error.message}"
