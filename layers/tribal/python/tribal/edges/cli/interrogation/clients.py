"""Interrogations as commands use them: on this machine, or in the environment of `--profile`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import typer

from tribal.edges.cli.options import client_of, opened_folder

if TYPE_CHECKING:
    from tribal.capabilities.interrogation.interrogations import Interrogations
    from tribal.edges.cli.profile.client import Client
    from tribal_contracts.interrogation.sessions import InterrogationSession
    from tribal_contracts.interrogation.tools import StartInterrogationInput

    Report = Callable[[InterrogationSession], None]
    Run = Callable[[Report], InterrogationSession]


class SessionsClient(Protocol):
    """The sessions of one caller."""

    def start(self, request: StartInterrogationInput) -> tuple[str, Run]:
        """Return the id of a new session, and what returns the session once it has ended, reporting its progress."""
        ...

    def session(self, session_id: str) -> tuple[InterrogationSession, Sequence[str]]:
        """A session, and what to know about it."""
        ...

    def stop(self, session_id: str) -> tuple[InterrogationSession, bool]:
        """Stop a session; returns whether it still runs, until its next question."""
        ...


@contextmanager
def opened_sessions(context: typer.Context, project: Path) -> Iterator[SessionsClient]:
    """The sessions of a command's caller."""
    if context.obj is not None:
        yield DeployedSessions(client_of(context))
        return
    with opened_interrogations(project) as service:
        yield LocalSessions(service)


@contextmanager
def opened_interrogations(project: Path, *, asks_models: bool = True) -> Iterator[Interrogations]:
    """The sessions of a folder."""
    from tribal.capabilities.interrogation.interrogations import Interrogations

    with opened_folder(project) as (app, caller):
        yield Interrogations(app, caller, asks_models=asks_models)


@dataclass(frozen=True, slots=True)
class LocalSessions:
    """Sessions that run in this process."""

    service: Interrogations

    def start(self, request: StartInterrogationInput) -> tuple[str, Run]:
        """Make a new session; it is saved when it runs."""
        session = self.service.new(request.hypothesis, request.iteration_limit, request.database, request.domain)
        return session.id, lambda report: self.service.examine(session, report=report)

    def session(self, session_id: str) -> tuple[InterrogationSession, Sequence[str]]:
        """A saved session."""
        from tribal.capabilities.interrogation.listing import visible_session
        from tribal.capabilities.interrogation.sessions.repository import foreign_notes

        session = visible_session(self.service.sessions, session_id, self.service.caller).record
        return session, foreign_notes(session)

    def stop(self, session_id: str) -> tuple[InterrogationSession, bool]:
        """Stop a session that this or another process runs."""
        return self.service.stop(session_id)


@dataclass(frozen=True, slots=True)
class DeployedSessions:
    """Sessions that an environment runs."""

    client: Client

    def start(self, request: StartInterrogationInput) -> tuple[str, Run]:
        """Start a session in the environment."""
        started = self.client.ask("start_interrogation", request.model_dump(by_alias=True, exclude_none=True))
        return started.session_id, lambda report: self._watched(started.session_id, report)

    def session(self, session_id: str) -> tuple[InterrogationSession, Sequence[str]]:
        """A session with all pages of its questions."""
        from tribal_contracts.interrogation.sessions import InterrogationSession

        found = self.client.ask("get_interrogation", {"sessionId": session_id})
        pairs, page = list(found.qa_pairs), found
        while page.next_cursor is not None:
            page = self.client.ask("get_interrogation", {"sessionId": session_id, "cursor": page.next_cursor})
            pairs += page.qa_pairs
        session = InterrogationSession(**{**dict(found.session), "qa_pairs": pairs})
        return session, [each.message for each in found.warnings or ()]

    def stop(self, session_id: str) -> tuple[InterrogationSession, bool]:
        """Stop a session of the environment."""
        stopped = self.client.ask("stop_interrogation", {"sessionId": session_id})
        return self.session(session_id)[0], stopped.stopping

    def _watched(self, session_id: str, report: Report) -> InterrogationSession:
        from tribal.edges.cli.profile.client import POLL_SECONDS

        while True:
            session, _ = self.session(session_id)
            if not session.is_running:
                return session
            report(session)
            time.sleep(POLL_SECONDS)
