"""The files of sessions, exams and marks in the object store.

Every change of a session is a conditional put of its whole sealed file, so that two processes never both change it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from tribal.capabilities.interrogation.errors import SessionInvalid, SessionNotFound
from tribal.capabilities.interrogation.sessions.parsing import Record, parse_file
from tribal.errors import ObjectDamaged, ObjectNotFound
from tribal.identity.locations import SESSIONS
from tribal.ports import ObjectStore
from tribal.store import Stored, sealed
from tribal_contracts.interrogation.exams import ExamResult
from tribal_contracts.interrogation.marks import Mark
from tribal_contracts.interrogation.rules import broken_by_change, broken_rules
from tribal_contracts.interrogation.sessions import InterrogationSession
from tribal_contracts.interrogation.times import instant

_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_SESSION_KEY = re.compile(rf"{SESSIONS}session_(?P<id>{_ID.pattern})_(?P<start>[^/]+)\.json")


StoredSession = Stored[InterrogationSession]


@dataclass(frozen=True, slots=True)
class SessionKey:
    """What the name of a session's file says."""

    start: str
    id: str
    key: str

    @property
    def cursor(self) -> str:
        """Orders sessions by their start; where a list continues after this one."""
        return f"{self.start}_{self.id}"


def key_of(kind: str, name: str, start: str) -> str:
    """The key of a `session`, an `exam` or a `mark` that started at a time."""
    return f"{SESSIONS}{kind}_{name}_{start_in_names(instant(start))}.json"


def start_in_names(time: datetime) -> str:
    """A time in UTC as names of files have it; later times sort after earlier ones."""
    return f"{time:%Y%m%dT%H%M%SZ}"


@dataclass(frozen=True, slots=True)
class Sessions:
    """Reads and writes sessions, exams and marks."""

    store: ObjectStore

    def create(self, session: InterrogationSession) -> StoredSession:
        """Write a new session.

        Raises:
            SessionInvalid: when it breaks a rule.
            PreconditionFailed: when one of that id and start exists.
        """
        _require(session.id, broken_rules(session))
        key = key_of("session", session.id, session.start_time)
        return Stored(key, session, self.store.put(key, _file_of(key, session), if_absent=True))

    def replace(self, stored: StoredSession, session: InterrogationSession) -> StoredSession:
        """Write the next state of a session.

        Raises:
            SessionInvalid: when it breaks a rule, or a session that has ended would change.
            PreconditionFailed: when another process changed or removed it.
        """
        if session == stored.record:
            return stored
        _require(session.id, [*broken_by_change(stored.record, session), *broken_rules(session)])
        data = _file_of(stored.key, session)
        return Stored(stored.key, session, self.store.put(stored.key, data, if_match=stored.etag))

    def read(self, session_id: str) -> StoredSession:
        """The session of an id.

        Raises:
            SessionNotFound: when there is no such session.
            SessionInvalid: when its file is damaged.
        """
        return self.read_key(self.key(session_id))

    def key(self, session_id: str) -> str:
        """The key of a session's file.

        Raises:
            SessionNotFound: when there is no such session.
        """
        return self._key("session", session_id)

    def read_key(self, key: str) -> StoredSession:
        """The session in a file.

        Raises:
            SessionNotFound: when it was removed.
            SessionInvalid: when it is damaged.
        """
        session, etag = self._load(key, InterrogationSession)
        return Stored(key, session, etag)

    def newest_first(self) -> list[SessionKey]:
        """The files of all sessions, read from their names alone."""
        found = filter(None, map(_SESSION_KEY.fullmatch, self.store.keys(f"{SESSIONS}session_")))
        keys = [SessionKey(each["start"], each["id"], each[0]) for each in found]
        return sorted(keys, key=lambda key: key.cursor, reverse=True)

    def readable(self) -> Iterator[InterrogationSession]:
        """Every session, newest first; damaged files are left out."""
        for each in self.newest_first():
            with suppress(SessionNotFound, SessionInvalid):
                yield self.read_key(each.key).record

    def readable_exams(self) -> Iterator[ExamResult]:
        """The result of every exam; damaged files are left out."""
        return self._readable(self.store.keys(f"{SESSIONS}exam_"), ExamResult)

    def newest_exams(self) -> Iterator[ExamResult]:
        """The result of every exam, the one that began last first; damaged files are left out."""
        return self._readable(sorted(self.store.keys(f"{SESSIONS}exam_"), key=_start_of, reverse=True), ExamResult)

    def latest_exam(self) -> ExamResult | None:
        """The result of the exam that began last and can be read; `None` if no exam was taken."""
        return next(self.newest_exams(), None)

    def mark_keys(self) -> list[str]:
        """The files of all marks, the oldest first."""
        return sorted(self.store.keys(f"{SESSIONS}mark_"), key=_start_of)

    def readable_marks(self) -> Iterator[Mark]:
        """Every mark, the oldest first; damaged files are left out."""
        return self._readable(self.mark_keys(), Mark)

    def _readable(self, keys: Iterable[str], kind: type[Record]) -> Iterator[Record]:
        for key in keys:
            with suppress(SessionNotFound, SessionInvalid):
                yield self._load(key, kind)[0]

    def put_exam(self, exam: ExamResult) -> str:
        """Write the result of an exam; returns its key."""
        return self._put("exam", exam)

    def read_exam(self, exam_id: str) -> ExamResult:
        """The result of an exam.

        Raises:
            SessionNotFound: when there is no such exam.
            SessionInvalid: when its file is damaged.
        """
        return self._load(self._key("exam", exam_id), ExamResult)[0]

    def put_mark(self, mark: Mark) -> str:
        """Write a mark; returns its key."""
        return self._put("mark", mark)

    def read_mark(self, mark_id: str) -> Mark:
        """Return a mark.

        Raises:
            SessionNotFound: when there is no such mark.
            SessionInvalid: when its file is damaged.
        """
        return self._load(self._key("mark", mark_id), Mark)[0]

    def _put(self, kind: str, record: ExamResult | Mark) -> str:
        key = key_of(kind, record.id, record.created_at)
        self.store.put(key, sealed(key, record.to_json()), if_absent=True)
        return key

    def _load(self, key: str, kind: type[Record]) -> tuple[Record, str]:
        """The record at a key, and its etag; raises as `read_key` does."""
        try:
            found = self.store.get(key)
            return parse_file(key, found.data, kind), found.etag
        except ObjectNotFound as error:
            named = _ID.search(key)
            raise not_found(named[0] if named else key) from error
        except ObjectDamaged as error:
            raise SessionInvalid(f"{key} is damaged: {error}; restore it from a backup, or remove it") from error

    def keys_of(self, name: str) -> Iterator[str]:
        """The files of the session, exam or mark of an id; there is at most one."""
        return (key for kind in ("session", "exam", "mark") if (key := self._find(kind, name)) is not None)

    def delete(self, key: str) -> None:
        """Remove a file; does nothing if it does not exist."""
        self.store.delete(key)

    def _key(self, kind: str, name: str) -> str:
        key = self._find(kind, name)
        if key is None:
            raise not_found(name)
        return key

    def _find(self, kind: str, name: str) -> str | None:
        if not _ID.fullmatch(name):
            return None
        return next((key for key in self.store.keys(f"{SESSIONS}{kind}_{name}_") if key.endswith(".json")), None)


def _start_of(key: str) -> str:
    return key.rpartition("_")[2]


def foreign_notes(session: InterrogationSession) -> list[str]:
    """The rules of this program that a session of another one breaks; it can be read, but not changed."""
    return [f"session {session.id} was not written by this program: {each}" for each in broken_rules(session)]


def not_found(name: str) -> SessionNotFound:
    """The error for a session that is missing or hidden: the same words for both."""
    return SessionNotFound(f"there is no session {name!r}; `tribal interrogations` lists those that you may see")


def _file_of(key: str, session: InterrogationSession) -> bytes:
    return sealed(key, session.to_json())


def _require(session_id: str, problems: list[str]) -> None:
    if problems:
        raise SessionInvalid(f"session {session_id} cannot be saved: {'; '.join(problems)}")
