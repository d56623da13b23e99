"""Mark answers as wrong. Each mark is a file, and is listed as an open gap of the tables that the answer cited."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta

from tribal.answering.documentation import Documentation
from tribal.capabilities.interrogation.errors import (
    HypothesisInvalid,
    SessionInvalid,
    SessionNotFound,
    SessionsBusy,
)
from tribal.capabilities.interrogation.open_gaps.merging import QuestionResult
from tribal.capabilities.interrogation.open_gaps.reading import load_gaps
from tribal.capabilities.interrogation.open_gaps.recording import forget, mark_result, record
from tribal.capabilities.interrogation.sessions.hypotheses import require_text
from tribal.capabilities.interrogation.sessions.repository import Sessions, start_in_names
from tribal.capabilities.interrogation.sessions.visibility import is_visible, session_scope
from tribal.errors import TribalError
from tribal.ports.application import Application
from tribal.ports.caller import Caller
from tribal_contracts.answering.open_gaps import MAX_MARKED_TABLES, GapQuestion
from tribal_contracts.interrogation import InterrogationSettings
from tribal_contracts.interrogation.marks import MAX_WHY_CHARS, Mark
from tribal_contracts.interrogation.sessions import MAX_HYPOTHESIS_CHARS

MOST_MARKS = 1_000
"""Maximum number of marks per store, because damaged open gaps are rebuilt from all of them. By judgement."""
_SHOWN_CHARS = 100


@dataclass(frozen=True, slots=True)
class Marks:
    """Marks that one caller makes and closes."""

    app: Application
    caller: Caller

    @property
    def _sessions(self) -> Sessions:
        return Sessions(self.app.store())

    def create(self, question: str, why: str, tables: Sequence[str]) -> Mark:
        """Mark the answer to a question as wrong. The mark is listed as an open gap of each table until it is closed.

        Raises:
            HypothesisInvalid: when a text or the number of tables is invalid.
            TableNotFound: when the caller may not see a table.
            SessionsBusy: when there are too many marks, or other processes keep changing the open gaps.
            IndexNotReady: when there is no finished index.
        """
        asked = require_text(question, "the question", MAX_HYPOTHESIS_CHARS, "send the question that was answered")
        said = require_text(why, "the reason", MAX_WHY_CHARS, "write a sentence that says what is wrong")
        _require_some(tables)
        names, manifest_hash = Documentation(self.caller, self.app).tables(tables)
        self._make_room()
        mark = Mark(
            id=str(uuid.uuid4()),
            question=asked,
            why=said,
            tables=names,
            owner=self.caller.subject,
            scope=session_scope(self.caller.scope),
            created_at=self.app.clock.published(),
            manifest_hash=manifest_hash,
        )
        key = self._sessions.put_mark(mark)
        try:
            # Of the current documentation, whatever was indexed since its tables were read.
            record(self._sessions, self.app.index(), [replace(mark_result(mark), manifest_hash=None)])
        except TribalError:
            self._sessions.delete(key)
            raise
        return mark

    def close(self, mark_id: str) -> None:
        """Remove a mark and its gaps.

        Raises:
            SessionNotFound: when the mark does not exist, or its scope exceeds the caller's.
            SessionsBusy: when other processes keep changing the open gaps.
        """
        found = self._find(mark_id)
        if found is None or not is_visible(found, self.caller):
            raise SessionNotFound(f"there is no mark {mark_id[:_SHOWN_CHARS]!r}; `tribal todo` lists the open marks")
        # Before the file, as when a session is removed.
        forget(self.app.store(), [QuestionResult(text="", gaps=(), mark=mark_id)])
        for key in self._sessions.keys_of(mark_id):
            self._sessions.delete(key)

    def _find(self, mark_id: str) -> Mark | GapQuestion | None:
        """Return the mark, or what the open gaps know about it if its file is missing or damaged."""
        with suppress(SessionNotFound, SessionInvalid):
            return self._sessions.read_mark(mark_id)
        with suppress(SessionInvalid):
            stored = load_gaps(self.app.store())
            questions = (each for gap in stored.record.gaps for each in gap.questions) if stored is not None else ()
            return next((each for each in questions if each.mark == mark_id), None)
        return None

    def _make_room(self) -> None:
        """Remove expired marks; raise `SessionsBusy` if too many others are left."""
        settings = self.app.setting(InterrogationSettings) or InterrogationSettings()
        oldest = start_in_names(self.app.clock.real() - timedelta(days=settings.sessions_days))
        keys = self._sessions.mark_keys()
        expired = [key for key in keys if key.rpartition("_")[2] < oldest]
        for key in expired:
            self._sessions.delete(key)
        if len(keys) - len(expired) >= MOST_MARKS:
            raise SessionsBusy(
                f"there are already {MOST_MARKS:,} marks, which is the maximum; close the marks that are resolved"
            )


def _require_some(tables: Sequence[str]) -> None:
    if not tables:
        raise HypothesisInvalid(
            "a mark needs the tables that the answer cited; answers that cite no table cannot be marked"
        )
    if len(tables) > MAX_MARKED_TABLES:
        raise HypothesisInvalid(f"the mark names {len(tables)} tables; at most {MAX_MARKED_TABLES} are allowed")
