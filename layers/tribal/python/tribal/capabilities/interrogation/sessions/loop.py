"""Drives detective and witness through a session, which is saved after every pair.

One process at a time holds a session, for the term of a lease that every save extends. A process that resumes a session
repeats at most the question whose pair was not saved, so that the file of a session that was killed and resumed is that
of an undisturbed one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta

from tribal.capabilities.interrogation.errors import DetectiveUnreachable, PartyFailed, SessionEnded, SessionHeld
from tribal.capabilities.interrogation.parties import Audit, Detective, Note, Witness
from tribal.capabilities.interrogation.sessions import transitions
from tribal.capabilities.interrogation.sessions.repository import Sessions, StoredSession
from tribal.errors import PreconditionFailed, TribalError
from tribal.ports import Clock, StopToken
from tribal_contracts.interrogation.sessions import InterrogationSession
from tribal_contracts.interrogation.times import instant, written

ATTEMPTS = 10
"""How often a change is tried again when other processes change the same session."""
_RENEWED_BELOW = 0.5
"""The share of its term below which a lease is renewed before a step."""

Change = Callable[[InterrogationSession], InterrogationSession]


@dataclass(frozen=True, slots=True)
class Lease:
    """Which process holds a session, and for how long after each save."""

    holder: str
    """Unique to a process or an invocation."""
    term: timedelta
    """More than twice as long as a question, its answer and their analysis may take: an expired lease may be taken
    over."""


def _no_report(_: InterrogationSession) -> None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Interrogation:
    """What runs sessions.

    A request of `stop` ends a session before its next question; the deadline of `stop` leaves it running.
    """

    sessions: Sessions
    detective: Detective
    witness: Witness
    clock: Clock
    lease: Lease
    stop: StopToken = field(default_factory=StopToken)
    stopped_by: str = "the user"
    """Who requests `stop`, for the audit trail."""
    step_seconds: float = 0.0
    """No step begins with less time than this before the deadline."""
    report: Callable[[InterrogationSession], None] = _no_report
    """Called with the session after each step."""

    def run(self, session_id: str) -> InterrogationSession:
        """Run a session until it ends or the deadline is near; returns it, ended or still running.

        Raises:
            SessionNotFound: when it does not exist, or was removed.
            SessionEnded: when it had ended before.
            SessionHeld: when another process runs it.
            DetectiveUnreachable: when its audit fails for now: it stays running, and the next call retries.
        """
        stored = self._claim(session_id)
        try:
            while stored.session.is_running:
                stored = self._refreshed(stored)
                step = self._next_step(stored.session)
                if step == "none":
                    break
                if step != "stop" and self.stop.remaining_seconds() < self.step_seconds:
                    return self._save(stored, self._hand_back).session
                change, postponed = self._take(step, stored.session)
                stored = self._save(stored, change)
                self.report(stored.session)
                if postponed is not None:
                    raise postponed
        except BaseException:
            self._release(stored)
            raise
        return stored.session

    def _claim(self, session_id: str) -> StoredSession:
        for _ in range(ATTEMPTS):
            stored = self.sessions.read(session_id)
            session = stored.session
            if not session.is_running:
                raise SessionEnded(f"session {session.id} has ended: it is {session.status}")
            if is_held(session, self.clock) and not self._is_own(session):
                raise _held_by_another(session, self.clock)
            with suppress(PreconditionFailed):
                return self.sessions.replace(stored, self._held(session))
        raise _held_by_another(session, self.clock)

    def _refreshed(self, stored: StoredSession) -> StoredSession:
        """The session as it is now, which shows whether a stop was requested, with a lease that lasts for a step.

        Raises:
            SessionHeld: when another process has taken it over.
        """
        current = self.sessions.read_key(stored.key)
        if not current.session.is_running:
            return current
        self._require_own(current.session)
        holder = current.session.holder
        left = instant(holder.expires_at) - self.clock.real() if holder is not None else timedelta()
        return current if left >= self.lease.term * _RENEWED_BELOW else self._save(current, self._held)

    def _next_step(self, session: InterrogationSession) -> transitions.NextStep:
        step = transitions.next_step(session)
        return "stop" if step != "none" and self.stop.requested else step

    def _take(
        self, step: transitions.NextStep, session: InterrogationSession
    ) -> tuple[Change, DetectiveUnreachable | None]:
        """Take a step; returns how it, or its failure, changes the session, and the error that postpones an audit."""
        if step == "stop":
            return self._stopped, None
        try:
            if step == "ask":
                return self._ask(session), None
            return (self._audit(session) if step == "audit" else self._reach_limit(session)), None
        except PartyFailed as error:
            now, notes, reason = self.clock.published(), error.notes, _reason(error)
            if step == "audit" and isinstance(error, DetectiveUnreachable) and error.temporary:
                noted = (*notes, Note("error", reason))
                return lambda latest: self._held(transitions.note(latest, noted, now)), error
            return lambda latest: transitions.fail(latest, reason, now, notes), None

    def _ask(self, session: InterrogationSession) -> Change:
        notes: list[Note] = []
        try:
            question = self.detective.next_question(session)
            notes += question.cost.notes
            answer = self.witness.answer(session, question.text)
            notes += answer.cost.notes
            analysis = self.detective.analyse(session, question.text, answer)
        except PartyFailed as error:
            error.notes = (*notes, *error.notes)
            raise
        now = self.clock.published()
        return lambda latest: self._held(transitions.add_pair(latest, question, answer, analysis, now))

    def _audit(self, session: InterrogationSession) -> Change:
        audit = self.detective.audit(session)
        now = self.clock.published()
        return lambda latest: transitions.complete(latest, audit, now)

    def _reach_limit(self, session: InterrogationSession) -> Change:
        notes: tuple[Note, ...] = ()
        audit: Audit | None = None
        try:
            audit = self.detective.audit(session)
        except PartyFailed as error:
            notes = (*error.notes, Note("error", _reason(error)))
        now = self.clock.published()
        return lambda latest: transitions.reach_limit(transitions.note(latest, notes, now), audit, now)

    def _stopped(self, session: InterrogationSession) -> InterrogationSession:
        requested = session.holder.stop_requested_by if session.holder is not None else None
        return transitions.stop(session, requested or self.stopped_by, self.clock.published())

    def _hand_back(self, session: InterrogationSession) -> InterrogationSession:
        """Let another process resume the session, unless a stop was requested."""
        return self._stopped(session) if transitions.next_step(session) == "stop" else transitions.release(session)

    def _held(self, session: InterrogationSession) -> InterrogationSession:
        return transitions.hold(session, self.lease.holder, written(self.clock.real() + self.lease.term))

    def _save(self, stored: StoredSession, change: Change) -> StoredSession:
        """Save a change; a stop that was requested meanwhile is kept, and an end by another process stays.

        Raises:
            SessionHeld: when another process has taken the session over.
        """
        for _ in range(ATTEMPTS):
            wanted = change(stored.session)
            try:
                return self.sessions.replace(stored, wanted)
            except PreconditionFailed:
                current = self.sessions.read_key(stored.key)
                # Equal if the store wrote it, but its answer was lost.
                if current.session == wanted or not current.session.is_running:
                    return current
                self._require_own(current.session)
                stored = current
        raise _held_by_another(stored.session, self.clock)

    def _release(self, stored: StoredSession) -> None:
        """After an error, let another process resume at once; else the lease has to expire first."""
        with suppress(TribalError):
            current = self.sessions.read_key(stored.key)
            if current.session.is_running and self._is_own(current.session):
                self.sessions.replace(current, self._hand_back(current.session))

    def _is_own(self, session: InterrogationSession) -> bool:
        return session.holder is not None and session.holder.name == self.lease.holder

    def _require_own(self, session: InterrogationSession) -> None:
        if not self._is_own(session):
            raise _held_by_another(session, self.clock)


def run_unsaved(
    session: InterrogationSession, detective: Detective, witness: Witness, clock: Clock
) -> InterrogationSession:
    """Run a session to its end without saving it.

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
    """Stop a session: at once, or before the next question of the process that runs it.

    Does nothing to a session that has ended. Returns the session, and whether its holder still has to stop.

    Raises:
        SessionNotFound: when it does not exist.
        SessionHeld: when it keeps changing.
    """
    for _ in range(ATTEMPTS):
        stored = sessions.read(session_id)
        session = stored.session
        if not session.is_running:
            return session, False
        held = is_held(session, clock)
        stopped = transitions.request_stop(session, by) if held else transitions.stop(session, by, clock.published())
        with suppress(PreconditionFailed):
            return sessions.replace(stored, stopped).session, held
    raise _held_by_another(session, clock)


def is_held(session: InterrogationSession, clock: Clock) -> bool:
    """Whether a process runs the session: its lease is current."""
    return session.holder is not None and instant(session.holder.expires_at) > clock.real()


def _held_by_another(session: InterrogationSession, clock: Clock) -> SessionHeld:
    text = f"another process runs session {session.id}"
    if session.holder is None:
        return SessionHeld(f"{text}; try again when it has ended")
    left = max(1, math.ceil((instant(session.holder.expires_at) - clock.real()).total_seconds()))
    return SessionHeld(f"{text}; if that was killed, the session can be resumed in {left} s")


def _reason(error: PartyFailed) -> str:
    return f"{error.code}: {error.message}"
