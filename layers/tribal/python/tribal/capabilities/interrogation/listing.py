"""List, show and remove the sessions that a caller may see."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tribal.capabilities.interrogation.errors import (
    HypothesisInvalid,
    InterrogationForbidden,
    SessionInvalid,
    SessionNotFound,
)
from tribal.capabilities.interrogation.open_gaps.merging import QuestionResult
from tribal.capabilities.interrogation.open_gaps.recording import exam_results, forget, session_result
from tribal.capabilities.interrogation.sessions.repository import (
    SessionKey,
    Sessions,
    StoredSession,
    foreign_notes,
    not_found,
)
from tribal.capabilities.interrogation.sessions.visibility import is_own, is_visible
from tribal.identity.scope import EVERYTHING
from tribal.ports import Caller
from tribal_contracts.interrogation.sessions import (
    InterrogationSession,
    QuestionAnswerPair,
    SessionListItem,
    SessionStatus,
)

READ_AT_MOST = 500
"""Maximum number of session files that are read for one page. By judgement: S3 takes a few seconds for them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRequest:
    """Which sessions to list."""

    status: SessionStatus | None = None
    limit: int = 20
    cursor: str | None = None
    """Cursor from the previous page; `None` for the first page."""


@dataclass(frozen=True, slots=True)
class SessionPage:
    """A page of sessions that the caller may see, newest first."""

    sessions: list[SessionListItem]
    total: int
    """Number of sessions on all pages."""
    is_lower_bound: bool
    """Whether `total` may be too low, because there are too many files to read."""
    next_cursor: str | None
    damaged: list[str]
    """Problems of damaged files."""
    notes: list[str]
    """Rules of this program that listed sessions break."""


def visible_session(sessions: Sessions, session_id: str, caller: Caller) -> StoredSession:
    """Return a session.

    Raises:
        SessionNotFound: when it does not exist, or the caller may not see it.
        SessionInvalid: when its file is damaged and the caller may see every session.
    """
    try:
        stored = sessions.read(session_id)
    except SessionInvalid:
        if caller.scope == EVERYTHING:
            raise
        raise not_found(session_id) from None
    if not is_visible(stored.record, caller):
        raise not_found(session_id)
    return stored


def list_sessions(sessions: Sessions, caller: Caller, request: PageRequest) -> SessionPage:
    """Return a page of the sessions that the caller may see, newest first."""
    keys = sessions.newest_first()
    counts_keys = caller.scope == EVERYTHING and request.status is None
    reader = _Reader(sessions, caller, request.status)
    counted = 0 if counts_keys else reader.count(keys)
    following = [each for each in keys if request.cursor is None or each.cursor < request.cursor]
    page, rest = reader.page(following, request.limit)
    return SessionPage(
        sessions=[_list_item(each.record) for each in page],
        total=len(keys) if counts_keys else counted,
        is_lower_bound=not counts_keys and len(keys) > READ_AT_MOST,
        next_cursor=rest,
        damaged=sorted(reader.damaged.values()) if caller.scope == EVERYTHING else [],
        notes=[note for each in page for note in foreign_notes(each.record)],
    )


def pairs_page(
    session: InterrogationSession, cursor: str | None, limit: int
) -> tuple[list[QuestionAnswerPair], str | None]:
    """Return a page of a session's questions and answers, and the cursor of the next page.

    Raises:
        HypothesisInvalid: when the cursor is invalid.
    """
    start = 0 if cursor is None else int(cursor) if cursor.isascii() and cursor.isdigit() else -1
    if start < 0 or (start and start >= len(session.qa_pairs)):
        raise HypothesisInvalid(f"{cursor!r} is not a cursor of this session; leave it out to start from the beginning")
    end = start + limit
    return session.qa_pairs[start:end], str(end) if end < len(session.qa_pairs) else None


def remove(sessions: Sessions, name: str, caller: Caller) -> None:
    """Remove one of the caller's own sessions or exams, and its questions from the open gaps.

    Use `Marks.close` to remove marks.

    Raises:
        SessionNotFound: when it does not exist, or the caller may not see it.
        InterrogationForbidden: when the caller may see it but did not start it.
    """
    for key in sessions.keys_of(name):
        own, results = _own_results(sessions, key, name, caller)
        if not own:
            raise InterrogationForbidden(f"only the owner of {name} may remove it")
        # Before the file, so that a killed process leaves no text of a session that is gone.
        forget(sessions.store, results, exam=any(each.from_exam for each in results))
        sessions.delete(key)
        return
    raise not_found(name)


def _own_results(sessions: Sessions, key: str, name: str, caller: Caller) -> tuple[bool, list[QuestionResult]]:
    """Return whether a file belongs to the caller, and what its questions found; raises as `remove` does."""
    if key.rpartition("/")[2].startswith("exam_"):
        exam = sessions.read_exam(name)
        own = exam.owner == caller.subject
        if not own and caller.scope != EVERYTHING:
            raise not_found(name)
        return own, [*exam_results(exam)]
    session = visible_session(sessions, name, caller).record
    return is_own(session, caller), [session_result(session)]


class _Reader:
    """Reads each file once, and at most `READ_AT_MOST` files for counting and as many for listing."""

    def __init__(self, sessions: Sessions, caller: Caller, status: SessionStatus | None) -> None:
        self._sessions = sessions
        self._caller = caller
        self._status = status
        self._read: dict[str, StoredSession | None] = {}
        self.damaged: dict[str, str] = {}

    def count(self, keys: Sequence[SessionKey]) -> int:
        """Count the sessions to list among the newest ones."""
        return sum(self._listed(each) is not None for each in keys[:READ_AT_MOST])

    def page(self, keys: Sequence[SessionKey], limit: int) -> tuple[list[StoredSession], str | None]:
        """Return the first sessions to list, and the cursor of the next page if there may be one."""
        found: list[StoredSession] = []
        for number, each in enumerate(keys):
            if len(found) == limit or number == READ_AT_MOST:
                return found, keys[number - 1].cursor
            stored = self._listed(each)
            if stored is not None:
                found.append(stored)
        return found, None

    def _listed(self, key: SessionKey) -> StoredSession | None:
        if key.key not in self._read:
            self._read[key.key] = self._load(key)
        stored = self._read[key.key]
        if stored is None or self._status not in (None, stored.record.status):
            return None
        return stored if is_visible(stored.record, self._caller) else None

    def _load(self, key: SessionKey) -> StoredSession | None:
        try:
            return self._sessions.read_key(key.key)
        except SessionNotFound:
            return None
        except SessionInvalid as error:
            self.damaged[key.key] = error.message
            return None


def _list_item(session: InterrogationSession) -> SessionListItem:
    return SessionListItem(
        id=session.id,
        hypothesis=session.hypothesis.text,
        start_time=session.start_time,
        status=session.status,
        consistency_score=None if session.audit_result is None else session.audit_result.consistency_score,
    )
