"""Marks: wrong answers that become open gaps, who may make, see and close them, and what ends them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.capabilities.interrogation.test_open_gaps import ADMIN, BEN, CUSTOMER, EMAIL, Shop, exam, question
from tests.cases import each_case
from tests.fakes import FixedClock, application_over
from tribal.adapters.local.folder import FolderStore
from tribal.capabilities.interrogation import marks
from tribal.capabilities.interrogation.errors import (
    HypothesisInvalid,
    SessionNotFound,
    SessionsBusy,
)
from tribal.capabilities.interrogation.marks import Marks
from tribal.capabilities.interrogation.open_gaps.reading import visible_gaps
from tribal.capabilities.interrogation.open_gaps.recording import exam_results
from tribal.errors import PreconditionFailed, TableNotFound
from tribal.identity.locations import OPEN_GAPS_FILE
from tribal.ports import Application, Caller
from tribal.store import require_seal
from tribal.tools.call import call_tool
from tribal_contracts.answering.open_gaps import MAX_TEXTS, GapQuestion

ASKED, WHY = "who has no email?", "It counts blank addresses."
EVE = replace(BEN, subject="eve")
READER = Caller("reader", rights=frozenset({"documentation:read", "interrogation:read"}))
HIDDEN = "shop.hr.employee"


@pytest.fixture(name="shop")
def shop_fixture(tmp_path: Path) -> Iterator[Shop]:
    shop = Shop(tmp_path, FolderStore(tmp_path / "store"))
    yield shop
    shop.index.close()


def marks_of(shop: Shop, caller: Caller, **changed: Any) -> Marks:
    app: Application = replace(application_over(shop.index, store=shop.store), **changed)
    return Marks(app, caller)


def shown(shop: Shop, caller: Caller) -> list[GapQuestion]:
    """The marks that a caller may read."""
    return [each for gap in visible_gaps(shop.store, caller) for each in gap.questions if each.mark is not None]


def test_a_mark_is_a_sealed_file_and_an_open_gap_of_each_table(shop: Shop) -> None:
    mark = marks_of(shop, BEN).create(f" {ASKED} ", WHY, ["customer", CUSTOMER, "shop.crm.region"])
    assert mark.tables == [CUSTOMER, "shop.crm.region"]
    (key,) = shop.sessions.mark_keys()
    assert key == f"sessions/mark_{mark.id}_20261121T024500Z.json"
    require_seal(key, shop.store.get(key).data)
    assert shop.sessions.read_mark(mark.id) == mark
    assert (mark.owner, mark.manifest_hash) == ("ben", shop.manifest_hash)
    gaps = visible_gaps(shop.store, BEN)
    assert [(gap.target, gap.category) for gap in gaps] == [(table, "inconsistency") for table in mark.tables]
    (found,) = gaps[0].questions
    assert (found.text, found.description, found.severity) == (ASKED, WHY, "high")
    assert (found.mark, found.owner, found.marked_at, found.from_exam) == (mark.id, "ben", mark.created_at, False)
    assert shop.current(CUSTOMER) == [CUSTOMER]


def test_the_same_question_of_an_exam_or_a_session_and_a_mark_do_not_remove_each_other(shop: Shop) -> None:
    taken = exam(1, shop.manifest_hash, {ASKED: [CUSTOMER]})
    shop.record(*exam_results(taken))
    service = marks_of(shop, ADMIN)
    first, second = (service.create(ASKED, WHY, [CUSTOMER]) for _ in range(2))
    assert sum(len(gap.blocked) for gap in visible_gaps(shop.store, ADMIN)) == 3
    shop.record(question(ASKED))
    assert {each.mark for each in shown(shop, ADMIN)} == {first.id, second.id}
    shop.record(*exam_results(taken))
    service.close(first.id)
    assert {each.mark for each in shown(shop, ADMIN)} == {second.id}
    service.close(second.id)
    (left,) = visible_gaps(shop.store, ADMIN)
    assert (left.category, [each.text for each in left.questions]) == ("missing_information", [ASKED])


def test_it_ends_when_the_document_of_the_table_says_something_else(shop: Shop) -> None:
    mark = marks_of(shop, ADMIN).create(ASKED, WHY, [CUSTOMER, "shop.crm.region"])
    shop.describe(CUSTOMER, "email", "Blank for customers who never gave one.")
    assert shop.current(CUSTOMER) == []
    shop.record(question("how?", EMAIL))
    assert {gap.target for gap in visible_gaps(shop.store, ADMIN)} == {"shop.crm.region", EMAIL}
    marks_of(shop, ADMIN).close(mark.id)
    assert (shop.sessions.mark_keys(), shop.blocked()) == ([], {EMAIL: 1})


def test_who_sees_all_that_its_owner_saw_may_close_it_and_for_others_it_does_not_exist(shop: Shop) -> None:
    of_admin = marks_of(shop, ADMIN).create("which covert plan?", "It is covert.", [CUSTOMER])
    of_ben = marks_of(shop, BEN).create(ASKED, WHY, [CUSTOMER])
    (gap,) = visible_gaps(shop.store, BEN)
    assert ([each.mark for each in gap.questions], len(gap.blocked)) == ([of_ben.id], 2)
    assert "covert" not in gap.to_json().decode()
    missing = of_admin.id[:-1] + ("0" if of_admin.id[-1] != "0" else "1")

    def refusal(mark_id: str) -> bytes:
        answer = call_tool("close_mark", {"mark": mark_id}, BEN, marks_of(shop, BEN).app)
        return answer.to_compact_json().replace(mark_id.encode(), b"ID")

    assert refusal(of_admin.id) == refusal(missing)
    assert b"INT_SESSION_NOT_FOUND" in refusal(missing)
    with pytest.raises(SessionNotFound):
        marks_of(shop, BEN).close("../../etc/passwd")
    assert len(shown(shop, ADMIN)) == 2
    marks_of(shop, EVE).close(of_ben.id)
    marks_of(shop, replace(ADMIN, subject="other")).close(of_admin.id)
    assert (shop.blocked(ADMIN), shop.sessions.mark_keys()) == ({}, [])
    assert b"covert" not in shop.store.get(OPEN_GAPS_FILE).data


def test_without_the_right_nothing_is_marked_or_closed(shop: Shop) -> None:
    mark = marks_of(shop, ADMIN).create(ASKED, WHY, [CUSTOMER])
    for tool, arguments in (
        ("mark_answer", {"question": ASKED, "why": WHY, "tables": [CUSTOMER]}),
        ("close_mark", {"mark": mark.id}),
    ):
        answer: Any = call_tool(tool, arguments, READER, marks_of(shop, READER).app)
        assert answer.error.code == "INT_ACCESS_DENIED"
    assert [each.mark for each in shown(shop, READER)] == [mark.id], "reading needs another right"


def test_a_hidden_table_is_as_unknown_as_any_and_nothing_is_written(shop: Shop) -> None:
    def refusal(table: str) -> str:
        with pytest.raises(TableNotFound) as refused:
            marks_of(shop, BEN).create(ASKED, WHY, [CUSTOMER, table])
        return refused.value.message.replace(table, "X")

    assert refusal(HIDDEN) == refusal("shop.hr.employer")
    assert list(shop.store.keys("sessions/")) == []


def test_a_static_site_never_shows_a_mark(shop: Shop) -> None:
    marks_of(shop, ADMIN).create(ASKED, WHY, [CUSTOMER])
    (gap,) = visible_gaps(shop.store, Caller("site"), exams_only=True)
    assert (gap.questions, len(gap.blocked)) == ([], 1)


@each_case(
    ("changed", "message"),
    [
        ({"question": " "}, "the question is blank"),
        ({"question": "x" * 2_001}, "the question has 2001 characters; at most 2000 are allowed"),
        ({"question": "why password=hunter2-4711-xyz"}, "the question contains what looks like a secret"),
        ({"question": "\ud800"}, "the question is not valid Unicode"),
        ({"why": "\n"}, "the reason is blank"),
        ({"why": "x" * 501}, "the reason has 501 characters; at most 500 are allowed"),
        ({"why": "password=hunter2-4711-xyz"}, "the reason contains what looks like a secret"),
        ({"tables": []}, "a mark needs the tables that the answer cited"),
        ({"tables": [CUSTOMER] * 11}, "the mark names 11 tables; at most 10 are allowed"),
    ],
)
def test_what_cannot_be_marked_is_refused_by_name(shop: Shop, changed: dict[str, Any], message: str) -> None:
    given = {"question": ASKED, "why": WHY, "tables": [CUSTOMER], **changed}
    with pytest.raises(HypothesisInvalid, match=message):
        marks_of(shop, ADMIN).create(**given)
    assert list(shop.store.keys("sessions/")) == []


def test_open_gaps_that_are_made_again_have_the_marks_of_the_current_documentation(shop: Shop) -> None:
    marks_of(shop, ADMIN).create(ASKED, WHY, [CUSTOMER])
    whole = shop.store.get(OPEN_GAPS_FILE).data
    shop.store.put(OPEN_GAPS_FILE, whole[:100])
    shop.record()
    assert shop.store.get(OPEN_GAPS_FILE).data == whole
    shop.store.put(shop.sessions.mark_keys()[0], b"{}")
    shop.store.delete(OPEN_GAPS_FILE)
    shop.record()
    assert shown(shop, ADMIN) == []


def test_marks_that_are_made_and_closed_at_the_same_time_are_all_kept_or_gone(shop: Shop) -> None:
    service = marks_of(shop, ADMIN)
    with ThreadPoolExecutor(4) as threads:
        made = [*threads.map(lambda number: service.create(f"{number}?", WHY, [CUSTOMER]), range(8))]
    assert {each.mark for each in shown(shop, ADMIN)} == {each.id for each in made}
    with ThreadPoolExecutor(4) as threads:
        [*threads.map(lambda mark: service.close(mark.id), made[:6])]
    assert {each.mark for each in shown(shop, ADMIN)} == {each.id for each in made[6:]}
    assert len(shop.sessions.mark_keys()) == 2


def test_one_that_cannot_become_a_gap_leaves_no_file(shop: Shop) -> None:
    class Contested(FolderStore):
        """Other processes always change the open gaps first."""

        def put(self, key: str, data: bytes, *, if_match: str | None = None, if_absent: bool = False) -> str:
            if key == OPEN_GAPS_FILE:
                raise PreconditionFailed(key)
            return super().put(key, data, if_match=if_match, if_absent=if_absent)

    assert isinstance(shop.store, FolderStore)
    shop.store = Contested(Path(shop.store.location))
    with pytest.raises(SessionsBusy):
        marks_of(shop, ADMIN).create(ASKED, WHY, [CUSTOMER])
    assert shop.sessions.mark_keys() == []


def test_what_is_left_of_a_mark_without_its_file_is_closed_by_the_same_rule(shop: Shop) -> None:
    mark = marks_of(shop, ADMIN).create(ASKED, WHY, [CUSTOMER])
    shop.store.put(shop.sessions.mark_keys()[0], b"{")
    with pytest.raises(SessionNotFound):
        marks_of(shop, BEN).close(mark.id)
    marks_of(shop, ADMIN).close(mark.id)
    assert (shop.sessions.mark_keys(), shown(shop, ADMIN)) == ([], [])
    shop.store.put(OPEN_GAPS_FILE, b"{")
    with pytest.raises(SessionNotFound):
        marks_of(shop, ADMIN).close(mark.id)


def test_a_mark_is_shown_however_many_questions_its_table_blocks(shop: Shop) -> None:
    inconsistent = {"category": "inconsistency", "severity": "high"}
    gaps = [each.model_copy(update=inconsistent) for each in question("x", CUSTOMER).gaps]
    asked = [replace(question(f"{number:02d}?", CUSTOMER), gaps=gaps) for number in range(MAX_TEXTS)]
    shop.record(*asked)
    mark = marks_of(shop, ADMIN).create("z?", WHY, [CUSTOMER])
    (gap,) = visible_gaps(shop.store, ADMIN)
    assert (gap.questions[0].mark, len(gap.questions), len(gap.blocked)) == (mark.id, MAX_TEXTS, MAX_TEXTS + 1)


def test_hostile_text_stays_text(shop: Shop) -> None:
    hostile = "</script><img src=x onerror=alert(1)> \u202e\x1b[31m | `x` {{7*7}}"
    mark = marks_of(shop, ADMIN).create(hostile, hostile, [CUSTOMER])
    (found,) = shown(shop, ADMIN)
    assert (found.text, found.description) == (hostile, hostile)
    assert json.loads(shop.store.get(shop.sessions.mark_keys()[0]).data)["why"] == mark.why == hostile


def test_old_marks_make_room_and_too_many_are_refused(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(marks, "MOST_MARKS", 2)
    service = marks_of(shop, ADMIN)
    old = [service.create(f"{number}?", WHY, [CUSTOMER]) for number in range(2)]
    with pytest.raises(SessionsBusy, match="there are already 2 marks"):
        service.create(ASKED, WHY, [CUSTOMER])
    later = marks_of(shop, ADMIN, clock=FixedClock(datetime(2027, 12, 1, tzinfo=UTC)))
    new = later.create(ASKED, WHY, [CUSTOMER])
    assert [new.id in key for key in shop.sessions.mark_keys()] == [True]
    for mark in (*old, new):
        later.close(mark.id)
    assert shown(shop, ADMIN) == []
