"""Files of sessions that people or other programs wrote: refused by the field, or read with a note."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cases import each_case
from tests.contracts.test_interrogation import GAP, SWITCH, session
from tests.fakes.memory_store import MemoryStore
from tribal.capabilities.interrogation.errors import SessionInvalid
from tribal.capabilities.interrogation.listing import PageRequest, list_sessions
from tribal.capabilities.interrogation.sessions.repository import Sessions, foreign_notes
from tribal.ports import Caller
from tribal.store import sealed

ID = session()["id"]
KEY = f"sessions/session_{ID}_20251005T143022Z.json"
PAIR = session()["qaPairs"][0]
BEFORE, AFTER = "2025-10-05T14:00:00Z", "2025-10-05T15:00:00Z"


def sessions_with(data: bytes) -> Sessions:
    sessions = Sessions(MemoryStore())
    sessions.store.put(KEY, data)
    return sessions


def refusal_of(data: bytes) -> str:
    sessions = sessions_with(data)
    with pytest.raises(SessionInvalid) as refused:
        sessions.read(ID)
    assert list_sessions(sessions, Caller("admin"), PageRequest()).damaged == [refused.value.message]
    return refused.value.message


@each_case(
    "field, changes",
    [
        ("id:", {"id": 7}),
        ("id must", {"id": "7f3c1f52-6f0e-1b3a-9d53-0f5f3b1f9a11"}),
        ("id does not match", {"id": "8f3c1f52-6f0e-4b3a-9d53-0f5f3b1f9a11"}),
        ("hypothesis.text", {"hypothesis__text": ""}),
        ("hypothesis.createdAt", {"hypothesis__createdAt": "5 October"}),
        ("startTime", {"startTime": "2025-02-30T14:30:22Z"}),
        ("startTime", {"startTime": 1_759_674_622}),
        ("endTime must not be before", {"endTime": BEFORE, "qaPairs": [], "currentIteration": 0}),
        ("endTime must be absent", {"status": "running", "auditResult": None}),
        ("status", {"status": "stopped"}),
        ("iterationLimit", {"iterationLimit": 21}),
        ("iterationLimit", {"iterationLimit": "5"}),
        ("currentIteration", {"currentIteration": -1}),
        ("currentIteration", {"currentIteration": 6}),
        ("currentIteration", {"currentIteration": True}),
        ("currentIteration", {"currentIteration": 1.5}),
        ("auditResult", {"auditResult": None}),
        ("auditResult", {"status": "failed"}),
        ("auditTrail", {"auditTrail": None}),
        ("auditTrail[0].event", {"auditTrail": [{**SWITCH, "event": "restart"}]}),
        ("auditTrail[0].reason", {"auditTrail": [{"timestamp": AFTER, "event": "error"}]}),
        ("qaPairs[0].sequence", {"qaPairs__0__sequence": 2}),
        ("qaPairs[1].sequence", {"qaPairs": [PAIR, PAIR], "currentIteration": 2}),
        ("qaPairs[0].question", {"qaPairs__0__question": ""}),
        ("qaPairs[0].answer", {"qaPairs__0__answer": None}),
        ("qaPairs[0].timestamp", {"qaPairs__0__timestamp": BEFORE}),
        ("qaPairs[0].providerUsed", {"qaPairs__0__providerUsed": "gpt-4o"}),
        ("qaPairs[0].gapAnalysis", {"qaPairs__0__gapAnalysis": None}),
        ("qaPairs[0].gapAnalysis.gaps[0].category", {"qaPairs__0__gapAnalysis__gaps": [{**GAP, "category": "x"}]}),
        ("qaPairs[0].gapAnalysis.gaps[0].severity", {"qaPairs__0__gapAnalysis__gaps": [{**GAP, "severity": "x"}]}),
        ("qaPairs[0].gapAnalysis.gaps[0].description", {"qaPairs__0__gapAnalysis__gaps": [{**GAP, "description": ""}]}),
        ("qaPairs[0].gapAnalysis.completenessScore", {"qaPairs__0__gapAnalysis__completenessScore": 101}),
        ("qaPairs[0].gapAnalysis.requiresFollowUp", {"qaPairs__0__gapAnalysis__requiresFollowUp": "false"}),
        ("auditResult.consistencyScore", {"auditResult__consistencyScore": -1}),
        ("auditResult.contradictions[0].qaPairIndexes", {"auditResult__contradictions__0__qaPairIndexes": [0, 1]}),
        ("auditResult.contradictions[0].qaPairIndexes", {"auditResult__contradictions__0__qaPairIndexes": [0]}),
        ("auditResult.contradictions[0].description", {"auditResult__contradictions__0__description": ""}),
        ("auditResult.summary", {"auditResult__summary": ""}),
        ("checksum", {"checksum": ""}),
        ("checksum", {"checksum": "0" * 64}),
    ],
)
def test_what_breaks_the_specification_is_refused_by_its_field(field: str, changes: dict[str, Any]) -> None:
    assert f"{KEY} is damaged: {field}" in refusal_of(json.dumps(session(**changes)).encode())


def test_a_field_that_may_be_absent_must_not_be_null() -> None:
    for name in ("endTime", "auditResult", "owner"):
        values = {**session(), name: None}
        assert f"damaged: {'endTime' if name == 'endTime' else name} must" in refusal_of(json.dumps(values).encode())


@each_case("data", [b"", b"{", b"[]", b"null", b"\xff{}", b"[" * 100_000, b"\0" * 100])
def test_what_is_not_a_session_at_all_is_refused(data: bytes) -> None:
    assert "is damaged" in refusal_of(data)


def test_a_wrong_checksum_is_damage() -> None:
    whole = sealed(KEY, json.dumps(session(), indent=2).encode() + b"\n")
    assert foreign_notes(sessions_with(whole).read(ID).record) == []
    for damaged in (whole.replace(b"16mg", b"61mg"), sealed("sessions/other.json", json.dumps(session()).encode())):
        assert "checksum" in refusal_of(damaged)


@each_case(
    "note, changes",
    [
        ("currentIteration must be the number", {"currentIteration": 2}),
        ("endTime must be there", {"endTime": None}),
        ("hypothesis.text must", {"hypothesis__text": " "}),
        ("times must be in UTC", {"startTime": "2025-10-05T16:30:22+02:00"}),
        ("times of qaPairs", {"qaPairs__0__timestamp": AFTER}),
        ("question must", {"qaPairs__0__question": "x" * 501}),
        ("providerUsed and witnessUsed", {"qaPairs__0__providerUsed": "OpenAI:gpt-4o"}),
        ("remainingGaps must", {"auditResult__remainingGaps": []}),
        ("consistencyScore must follow", {"auditResult__consistencyScore": 90}),
        ("limit-reached needs", {"status": "limit-reached", "auditResult": None}),
    ],
)
def test_what_only_our_rules_forbid_is_read_with_a_note(note: str, changes: dict[str, Any]) -> None:
    sessions = sessions_with(json.dumps(session(**changes)).encode())
    notes = foreign_notes(sessions.read(ID).record)
    assert any(note in each for each in notes)
    page = list_sessions(sessions, Caller("admin"), PageRequest())
    assert (page.notes, page.damaged, len(page.sessions)) == (notes, [], 1)


def test_whole_numbers_with_a_point_are_integers() -> None:
    assert sessions_with(json.dumps(session(currentIteration=1.0)).encode()).read(ID).record.current_iteration == 1
