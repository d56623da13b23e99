"""Start, run, stop, show and remove sessions for a caller."""

from __future__ import annotations

import logging
import secrets
import threading
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta

from tribal.answering.documentation import Documentation
from tribal.capabilities.interrogation.errors import (
    DetectiveUnreachable,
    SessionEnded,
    SessionHeld,
    SessionInvalid,
    SessionNotFound,
    SessionsBusy,
)
from tribal.capabilities.interrogation.listing import visible_session
from tribal.capabilities.interrogation.open_gaps.merging import QuestionResult
from tribal.capabilities.interrogation.open_gaps.recording import record, session_result
from tribal.capabilities.interrogation.parties import Detective, Witness
from tribal.capabilities.interrogation.parts import InterrogationParts
from tribal.capabilities.interrogation.rules.detective import RulesDetective
from tribal.capabilities.interrogation.rules.reading import SessionReader
from tribal.capabilities.interrogation.rules.witness import DocumentationWitness
from tribal.capabilities.interrogation.sessions.hypotheses import require_hypothesis, require_limit
from tribal.capabilities.interrogation.sessions.loop import Interrogation, is_held, stop_session
from tribal.capabilities.interrogation.sessions.repository import Sessions, start_in_names
from tribal.capabilities.interrogation.sessions.transitions import NewSession, create
from tribal.capabilities.interrogation.sessions.visibility import scope_of, session_scope
from tribal.errors import TribalError
from tribal.jobs.lease import this_process
from tribal.ports.application import Application
from tribal.ports.caller import Caller
from tribal.ports.remembering.identity import Identity
from tribal.ports.stopping import StopToken
from tribal_contracts.interrogation import InterrogationSettings
from tribal_contracts.interrogation.sessions import InterrogationSession

_LOG = logging.getLogger(__name__)
MOST_RUNNING = 4
"""Maximum number of running sessions with models per store. Source: docs/contracts.md, Interrogation."""
_COUNTED = 50
"""Number of the newest sessions that are read to count the running ones. By judgement."""
_MOST_EXPIRED = 100
"""Maximum number of expired sessions that one start removes."""
_RULES_SECONDS = 60.0
"""Maximum time of a step without a model. By judgement."""
_LEASE_FACTOR = 2.5
"""Length of a lease as a multiple of the time of a step."""


@dataclass(frozen=True, slots=True)
class Parties:
    """The detective and the witness of a session."""

    detective: Detective
    witness: Witness
    step_seconds: float


@dataclass(frozen=True, slots=True)
class Interrogations:
    """The sessions of one caller."""

    app: Application
    caller: Caller
    asks_models: bool = True
    """Whether to ask the configured models."""

    @property
    def sessions(self) -> Sessions:
        """Session files in the store."""
        return Sessions(self.app.store())

    @property
    def settings(self) -> InterrogationSettings:
        """Settings of the section `interrogation`, or the defaults."""
        return self.app.setting(InterrogationSettings) or InterrogationSettings()

    @property
    def models(self) -> InterrogationParts | None:
        """Models that ask or answer; `None` if there are no models."""
        return self.app.part(InterrogationParts) if self.asks_models else None

    def new(
        self, hypothesis: str, iterations: int | None = None, database: str | None = None, domain: str | None = None
    ) -> InterrogationSession:
        """Create a session without saving it.

        Raises:
            HypothesisInvalid: when the hypothesis or the limit is invalid.
            DatabaseNotFound, DomainNotFound: when a filter names something that is not documented.
            IndexNotReady: when there is no finished index.
        """
        text = require_hypothesis(hypothesis)
        limit = require_limit(self.settings.iterations if iterations is None else iterations)
        limits = Documentation(self.caller, self.app).limits(database, domain)
        return create(
            NewSession(
                id=str(uuid.uuid4()),
                hypothesis=text,
                iteration_limit=limit,
                now=self.app.clock.published(),
                owner=self.caller.subject,
                scope=session_scope(limits.scope),
                domain=limits.domain,
                manifest_hash=limits.manifest_hash,
            )
        )

    def start(self, session: InterrogationSession) -> InterrogationSession:
        """Save a new session and run it: without models until it ends, otherwise in the background.

        Raises:
            SessionsBusy: when too many sessions are running.
            ConfigurationInvalid: when a model, its key, price or package is missing.
        """
        models = self.models
        if models is None:
            return self.examine(session)
        self._require_free()
        # A model without its key fails now, and not in the background.
        with self.parties(session, _account(session)):
            stored = self.sessions.create(session)
        self._remove_expired()
        try:
            self._launch(session.id, models)
        except TribalError:
            self.sessions.delete(stored.key)
            raise
        return session

    def _launch(self, session_id: str, models: InterrogationParts) -> None:
        if models.launch is not None:
            models.launch(session_id)
            return
        run_in_thread(self.app, session_id, self.caller.identity)

    def examine(
        self,
        session: InterrogationSession,
        *,
        report: Callable[[InterrogationSession], None] = lambda _: None,
    ) -> InterrogationSession:
        """Save a new session and run it in this process until it ends. Raises the same errors as `run`.

        Args:
            session: a session that is not saved yet.
            report: called with the session once it is saved, and after each step.

        Raises:
            ConfigurationInvalid: when a model, its key, price or package is missing. The session is then not saved.
        """
        with self.parties(session, _account(session)) as parties:
            self.sessions.create(session)
            self._remove_expired()
            report(session)
            return self._run(session.id, parties, None, report)

    def run(
        self,
        session_id: str,
        *,
        stop: StopToken | None = None,
        report: Callable[[InterrogationSession], None] = lambda _: None,
    ) -> InterrogationSession:
        """Run a saved session until it ends, or until too little time is left for a step.

        Raises:
            SessionNotFound: when the session does not exist, or the caller may not see it.
            SessionEnded: when it has ended.
            SessionHeld: when another process runs it.
            DetectiveUnreachable: when its audit fails temporarily; the next call retries.
        """
        session = visible_session(self.sessions, session_id, self.caller).record
        with self.parties(session, _account(session)) as parties:
            return self._run(session_id, parties, stop, report)

    def _run(
        self,
        session_id: str,
        parties: Parties,
        stop: StopToken | None,
        report: Callable[[InterrogationSession], None],
    ) -> InterrogationSession:
        session = Interrogation(
            sessions=self.sessions,
            detective=parties.detective,
            witness=parties.witness,
            clock=self.app.clock,
            holder=_holder(),
            term=timedelta(seconds=_LEASE_FACTOR * parties.step_seconds),
            stop=stop or StopToken(),
            step_seconds=parties.step_seconds,
            report=report,
        ).run(session_id)
        if not session.is_running:
            self.record([session_result(session)])
        return session

    def record(self, results: Iterable[QuestionResult]) -> None:
        """Add the gaps of questions to the open gaps. Failures are only logged."""
        try:
            record(self.sessions, self.app.index(), results)
        except TribalError as error:
            _LOG.warning("the open gaps were not updated: %s", error.message)

    @contextmanager
    def parties(self, session: InterrogationSession, account: str) -> Iterator[Parties]:
        """Return the detective and the witness of a session, limited to its own scope."""
        documentation = Documentation(self.caller, self.app).within(scope_of(session))
        models = self.models
        if models is None:
            yield _by_rules(documentation)
            return
        by_model = models.parties(account, documentation)
        # What the rules say reaches the model of the other party.
        rules = _by_rules(documentation.within(by_model.scope))
        try:
            yield Parties(
                by_model.detective or rules.detective, by_model.witness or rules.witness, by_model.step_seconds
            )
        finally:
            by_model.close()

    def stop(self, session_id: str) -> tuple[InterrogationSession, bool]:
        """Stop a session now or before its next question; return it, and whether it is still stopping."""
        visible_session(self.sessions, session_id, self.caller)
        session, stopping = stop_session(self.sessions, session_id, self.caller.subject, self.app.clock)
        if not stopping:
            self.record([session_result(session)])
        return session, stopping

    def _require_free(self) -> None:
        running = 0
        for each in self.sessions.newest_first()[:_COUNTED]:
            with suppress(SessionInvalid, SessionNotFound):
                running += is_held(self.sessions.read_key(each.key).record, self.app.clock)
        if running >= MOST_RUNNING:
            raise SessionsBusy(
                f"{running} sessions are already running, which is the maximum; wait for one to end, or stop one"
            )

    def _remove_expired(self) -> None:
        oldest = self.app.clock.real() - timedelta(days=self.settings.sessions_days)
        expired = [each for each in self.sessions.newest_first() if each.start < start_in_names(oldest)]
        for each in expired[-_MOST_EXPIRED:]:
            self.sessions.delete(each.key)


def run_for_owner(
    app: Application, session_id: str, stop: StopToken, identity: Identity
) -> InterrogationSession | None:
    """Run a session on behalf of its owner until it ends or too little time is left for a step.

    Args:
        app: the application.
        session_id: ID of a saved session.
        stop: stop token with the deadline.
        identity: whose memories and decisions to read. The owner's private ones are left out, because others may see
            the session.

    Returns:
        The session. It is still running if another process holds it or its audit failed temporarily. `None` if the
        session was removed.
    """
    sessions = Sessions(app.store())
    try:
        session = sessions.read(session_id).record
        owner = Caller(session.owner or "unknown", scope_of(session), identity=identity)
        with suppress(SessionEnded, SessionHeld, DetectiveUnreachable):
            return Interrogations(app, owner).run(session_id, stop=stop)
        return sessions.read(session_id).record
    except SessionNotFound:
        return None


def run_in_thread(app: Application, session_id: str, identity: Identity) -> None:
    """Run a session on behalf of its owner in a thread. If this process ends, another one may resume it."""

    def run() -> None:
        try:
            run_for_owner(app, session_id, StopToken(), identity)
        except TribalError as error:
            _LOG.warning("session %s: %s", session_id, error.message)

    threading.Thread(target=run, name=f"session {session_id}", daemon=True).start()


def resume_abandoned(app: Application, identity: Identity) -> None:
    """Resume the newest sessions that no process runs. Does nothing without models, or if a launcher is set."""
    models = app.part(InterrogationParts)
    if models is None or models.launch is not None:
        return
    sessions = Sessions(app.store())
    for key in sessions.newest_first()[:_COUNTED]:
        with suppress(SessionInvalid, SessionNotFound):
            session = sessions.read_key(key.key).record
            if session.is_running and not is_held(session, app.clock):
                run_in_thread(app, session.id, identity)


def _by_rules(documentation: Documentation) -> Parties:
    """Return the parties that ask no model."""
    reader = SessionReader(documentation)
    return Parties(RulesDetective(reader), DocumentationWitness(reader), _RULES_SECONDS)


def _account(session: InterrogationSession) -> str:
    """Return the account that the session's calls are charged to."""
    return f"session:{session.id}"


def _holder() -> str:
    return f"{this_process()}/{secrets.token_hex(4)}"
