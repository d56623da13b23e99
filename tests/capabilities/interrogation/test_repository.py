"""Files of sessions: their names, damage, who sees them in which order, and who removes them."""

from __future__ import annotations

import json
from pathlib import Path
from uuid import UUID

import pytest

from tests.capabilities.interrogation.states import ID, new_session
from tests.cases import each_case
from tests.fakes.memory_store import MemoryStore
from tribal.adapters.local.folder import FolderStore
from tribal.capabilities.interrogation.errors import InterrogationForbidden, SessionInvalid, SessionNotFound
from tribal.capabilities.interrogation.listing import PageRequest, list_sessions, remove, visible_session
from tribal.capabilities.interrogation.sessions import transitions
from tribal.capabilities.interrogation.sessions.repository import Sessions
from tribal.capabilities.interrogation.sessions.visibility import session_scope
from tribal.errors import PreconditionFailed
from tribal.identity.scope import EVERYTHING, Scope
from tribal.ports import Caller
from tribal_contracts.interrogation.exams import ExamResult

NOW = "2026-11-21T02:45:00Z"
ANN, BEN = Caller("ann", Scope(frozenset())), Caller("ben", Scope(frozenset({"shop"})))
ADMIN = Caller("admin")
KEY = f"sessions/session_{ID}_20261121T024500Z.json"


def uuid(number: int) -> str:
    return str(UUID(int=number, version=4))


def filled(count: int) -> Sessions:
    """Sessions of ann, one a minute; every other one reads all, the others the database shop."""
    sessions = Sessions(MemoryStore())
    for number in range(count):
        scope = Scope(frozenset({"shop"})) if number % 2 else EVERYTHING
        session = new_session(session_id=uuid(count - number)).model_copy(
            update={"start_time": f"2026-11-21T03:{number:02}:00Z", "scope": session_scope(scope)}
        )
        sessions.create(session)
    return sessions


def test_a_session_is_a_sealed_file_named_by_id_and_start_that_only_a_conditional_put_changes(tmp_path: Path) -> None:
    sessions = Sessions(FolderStore(tmp_path))
    stored = sessions.create(new_session())
    assert [*sessions.store.keys()] == [KEY]
    assert len(json.loads((tmp_path / KEY).read_bytes())["checksum"]) == 64
    assert sessions.read(ID) == stored
    changed = sessions.replace(stored, transitions.hold(stored.record, "one", NOW))
    with pytest.raises(PreconditionFailed):
        sessions.replace(stored, transitions.hold(stored.record, "two", NOW))
    with pytest.raises(PreconditionFailed):
        sessions.create(new_session())
    assert sessions.read(ID) == changed


def test_a_state_that_breaks_a_rule_or_changes_what_never_changes_is_not_written() -> None:
    sessions = Sessions(MemoryStore())
    stored = sessions.create(new_session())
    for update in ({"current_iteration": 3}, {"iteration_limit": 7}, {"owner": "ben"}, {"status": "completed"}):
        with pytest.raises(SessionInvalid):
            sessions.replace(stored, stored.record.model_copy(update=update))
    ended = sessions.replace(stored, transitions.stop(stored.record, "ann", NOW))
    with pytest.raises(SessionInvalid, match="has ended does not change"):
        sessions.replace(ended, stored.record)


def test_a_damaged_file_is_named_and_hidden_from_callers_with_a_scope() -> None:
    sessions = Sessions(MemoryStore())
    sessions.create(new_session())
    data = sessions.store.get(KEY).data
    for damaged in (data.replace(b"revenue", b"revenge"), b"", b"{}", data[:200]):
        sessions.store.put(KEY, damaged)
        with pytest.raises(SessionInvalid, match=r"sessions/session_.*damaged"):
            visible_session(sessions, ID, ADMIN)
        with pytest.raises(SessionNotFound):
            visible_session(sessions, ID, BEN)
        [named] = list_sessions(sessions, ADMIN, PageRequest()).damaged
        assert named.startswith(f"{KEY} is damaged: ")
        assert list_sessions(sessions, BEN, PageRequest()).damaged == []


@each_case("name", ["", "x", "../secret", uuid(99), uuid(99).upper(), "*"])
def test_a_hidden_session_is_reported_in_the_words_of_a_missing_one(name: str) -> None:
    sessions = filled(2)
    hidden = uuid(2)
    with pytest.raises(SessionNotFound) as for_missing:
        visible_session(sessions, name, BEN)
    with pytest.raises(SessionNotFound) as for_hidden:
        visible_session(sessions, hidden, BEN)
    assert for_hidden.value.message.replace(hidden, name) == for_missing.value.message
    assert visible_session(sessions, hidden, ANN).record.id == hidden


def test_a_list_has_pages_newest_first_of_what_the_caller_sees() -> None:
    sessions = filled(9)
    sessions.store.put("sessions/open-gaps.json", b"{}")
    sessions.store.put("sessions/session_nonsense.json", b"{}")
    for caller, total in ((ADMIN, 9), (ANN, 9), (BEN, 4), (Caller("cy", Scope(frozenset({"crm"}))), 0)):
        starts: list[str] = []
        cursor = None
        for _ in range(10):
            page = list_sessions(sessions, caller, PageRequest(limit=2, cursor=cursor))
            assert (page.total, page.is_lower_bound) == (total, False)
            starts += [each.start_time for each in page.sessions]
            cursor = page.next_cursor
            if cursor is None:
                break
        assert len(starts) == total
        assert starts == sorted({*starts}, reverse=True)
    assert list_sessions(sessions, ADMIN, PageRequest(status="failed")).total == 0
    assert list_sessions(sessions, ADMIN, PageRequest(status="running", limit=3)).total == 9


def test_only_its_owner_removes_a_session_or_an_exam() -> None:
    sessions = filled(3)
    shops = uuid(2)
    exam = ExamResult(
        id=uuid(50),
        created_at=NOW,
        manifest_hash="a" * 64,
        total=0,
        answered=0,
        not_asked=0,
        share=0.0,
        questions=[],
        gaps=[],
        owner="ann",
    )
    sessions.put_exam(exam)
    assert sessions.read_exam(exam.id) == exam
    for name, caller, error in (
        (shops, BEN, InterrogationForbidden),
        (uuid(3), BEN, SessionNotFound),
        (exam.id, BEN, SessionNotFound),
        (exam.id, ADMIN, InterrogationForbidden),
        (uuid(77), ANN, SessionNotFound),
    ):
        with pytest.raises(error):
            remove(sessions, name, caller)
    for name in (shops, exam.id):
        remove(sessions, name, ANN)
        with pytest.raises(SessionNotFound):
            remove(sessions, name, ANN)
    assert len([*sessions.store.keys()]) == 2
