"""Files of sessions, exams and marks in the object store.

Every change of a session replaces its whole file by a conditional put, so that no process overwrites another process's
change.
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
    """The parts of a session's file name."""

    start: str
    id: str
    key: str

    @property
    def cursor(self) -> str:
        """Orders sessions by start time, and says where the next page of a list continues."""
        return f"{self.start}_{self.id}"


def key_of(kind: str, name: str, start: str) -> str:
    """Return the key of a `session`, an `exam` or a `mark` with this ID and start time."""
    return f"{SESSIONS}{kind}_{name}_{start_in_names(instant(start))}.json"


def start_in_names(time: datetime) -> str:
    """Return a UTC time in the format of file names. Later times sort after earlier ones."""
    return f"{time:%Y%m%dT%H%M%SZ}"


@dataclass(frozen=True, slots=True)
class Sessions:
    """Reads and writes sessions, exams and marks."""

    store: ObjectStore

    def create(self, session: InterrogationSession) -> StoredSession:
        """Write a new session.

        Raises:
            SessionInvalid: when it breaks a rule.
            PreconditionFailed: when a session with this ID and start time exists.
        """
        _require(session.id, broken_rules(session))
        key = key_of("session", session.id, session.start_time)
        return Stored(key, session, self.store.put(key, _file_of(key, session), if_absent=True))

    def replace(self, stored: StoredSession, session: InterrogationSession) -> StoredSession:
        """Write the next state of a session.

        Raises:
            SessionInvalid: when it breaks a rule, or the session has ended.
            PreconditionFailed: when another process changed or removed it.
        """
        if session == stored.record:
            return stored
        _require(session.id, [*broken_by_change(stored.record, session), *broken_rules(session)])
        data = _file_of(stored.key, session)
        return Stored(stored.key, session, self.store.put(stored.key, data, if_match=stored.etag))

    def read(self, session_id: str) -> StoredSession:
        """Return a session by ID.

        Raises:
            SessionNotFound: when it does not exist.
            SessionInvalid: when its file is damaged.
        """
        return self.read_key(self.key(session_id))

    def key(self, session_id: str) -> str:
        """Return the key of a session's file.

        Raises:
            SessionNotFound: when the session does not exist.
        """
        return self._key("session", session_id)

    def read_key(self, key: str) -> StoredSession:
        """Return the session in a file.

        Raises:
            SessionNotFound: when it was removed.
            SessionInvalid: when it is damaged.
        """
        session, etag = self._load(key, InterrogationSession)
        return Stored(key, session, etag)

    def newest_first(self) -> list[SessionKey]:
        """Return the keys of all sessions from their file names, newest first."""
        found = filter(None, map(_SESSION_KEY.fullmatch, self.store.keys(f"{SESSIONS}session_")))
        keys = [SessionKey(each["start"], each["id"], each[0]) for each in found]
        return sorted(keys, key=lambda key: key.cursor, reverse=True)

    def readable(self) -> Iterator[InterrogationSession]:
        """Yield all sessions, newest first, without damaged files."""
        for each in self.newest_first():
            with suppress(SessionNotFound, SessionInvalid):
                yield self.read_key(each.key).record

    def readable_exams(self) -> Iterator[ExamResult]:
        """Return the results of all exams, without damaged files."""
        return self._readable(self.store.keys(f"{SESSIONS}exam_"), ExamResult)

    def newest_exams(self) -> Iterator[ExamResult]:
        """Return the results of all exams, newest first, without damaged files."""
        return self._readable(sorted(self.store.keys(f"{SESSIONS}exam_"), key=_start_of, reverse=True), ExamResult)

    def latest_exam(self) -> ExamResult | None:
        """Return the result of the newest readable exam; `None` if there is no exam."""
        return next(self.newest_exams(), None)

    def mark_keys(self) -> list[str]:
        """Return the keys of all marks, oldest first."""
        return sorted(self.store.keys(f"{SESSIONS}mark_"), key=_start_of)

    def readable_marks(self) -> Iterator[Mark]:
        """Return all marks, oldest first, without damaged files."""
        return self._readable(self.mark_keys(), Mark)

    def _readable(self, keys: Iterable[str], kind: type[Record]) -> Iterator[Record]:
        for key in keys:
            with suppress(SessionNotFound, SessionInvalid):
                yield self._load(key, kind)[0]

    def put_exam(self, exam: ExamResult) -> str:
        """Write the result of an exam; return its key."""
        return self._put("exam", exam)

    def read_exam(self, exam_id: str) -> ExamResult:
        """Return the result of an exam.

        Raises:
            SessionNotFound: when the exam does not exist.
            SessionInvalid: when its file is damaged.
        """
        return self._load(self._key("exam", exam_id), ExamResult)[0]

    def put_mark(self, mark: Mark) -> str:
        """Write a mark; return its key."""
        return self._put("mark", mark)

    def read_mark(self, mark_id: str) -> Mark:
        """Return a mark.

        Raises:
            SessionNotFound: when the mark does not exist.
            SessionInvalid: when its file is damaged.
        """
        return self._load(self._key("mark", mark_id), Mark)[0]

    def _put(self, kind: str, record: ExamResult | Mark) -> str:
        key = key_of(kind, record.id, record.created_at)
        self.store.put(key, sealed(key, record.to_json()), if_absent=True)
        return key

    def _load(self, key: str, kind: type[Record]) -> tuple[Record, str]:
        """Return the record at a key and its etag; raises as `read_key` does."""
        try:
            found = self.store.get(key)
            return parse_file(key, found.data, kind), found.etag
        except ObjectNotFound as error:
            named = _ID.search(key)
            raise not_found(named[0] if named else key) from error
        except ObjectDamaged as error:
            raise SessionInvalid(f"{key} is damaged: {error}; restore it from a backup, or remove it") from error

    def keys_of(self, name: str) -> Iterator[str]:
        """Yield the keys of the session, exam or mark with this ID; there is at most one."""
        return (key for kind in ("session", "exam", "mark") if (key := self._find(kind, name)) is not None)

    def delete(self, key: str) -> None:
        """Delete a file. Does nothing if it does not exist."""
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
    """Return the rules that a session of another program breaks. It can be read, but not changed."""
    return [f"session {session.id} was not written by this program: {each}" for each in broken_rules(session)]


def not_found(name: str) -> SessionNotFound:
    """Return the error for a missing or hidden session. The text is the same for both."""
    return SessionNotFound(f"there is no session {name!r}; `tribal interrogations` lists the sessions that you may see")


def _file_of(key: str, session: InterrogationSession) -> bytes:
    return sealed(key, session.to_json())


def _require(session_id: str, problems: list[str]) -> None:
    if problems:
        raise SessionInvalid(f"session {session_id} cannot be saved: {'; '.join(problems)}")
