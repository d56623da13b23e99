"""Marks in the parts `todo` and `questions`: shown to who may read them, counted for others, never in a site."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.fakes import MemoryStore
from tests.fakes.interrogation import gap
from tests.page_data.test_first_view import page_of
from tests.page_data.test_parts import SALES, Page
from tests.sample_shop.indexed import shop_tables
from tribal.capabilities.interrogation.marks import Marks
from tribal.capabilities.interrogation.open_gaps.merging import QuestionResult
from tribal.capabilities.interrogation.open_gaps.reading import visible_gaps
from tribal.capabilities.interrogation.open_gaps.recording import record
from tribal.capabilities.interrogation.sessions.repository import Sessions
from tribal.page_data.home import Reports
from tribal.page_data.parts import every_part
from tribal.page_data.survey import page_toolbox
from tribal.ports import Caller

TABLE = "shop.sales.order_header"
ASKED, WHY = "Which orders are late?", "</script><b>It</b> counts cancelled ones."
DAY = "2026-11-21"


@pytest.fixture(name="page")
def page_fixture(tmp_path: Path) -> Page:
    page = page_of(shop_tables(), tmp_path, MemoryStore())
    page.app = replace(page.app, gaps=visible_gaps)
    lacks = QuestionResult(text="Who ordered?", gaps=[gap(TABLE, "high")], from_exam=True)
    record(Sessions(page.app.store()), page.app.index(), [lacks])
    return page


def mark(page: Page, caller: Caller, why: str = WHY) -> str:
    return Marks(page.app, caller).create(ASKED, why, [TABLE]).id


def test_a_mark_is_listed_next_to_what_its_table_lacks(page: Page) -> None:
    mark_id = mark(page, Caller("ann"))
    shown = [1, ["Who ordered?"], [f"nothing says what {TABLE} is"], [[mark_id, ASKED, WHY, "ann", DAY]]]
    found = page.part("questions", name=TABLE)
    assert [[row[0], row[1], sorted(row[2], reverse=True), *row[3:]] for row in found] == [[0, *shown]]
    first = page.part("todo")["items"][0]
    assert (first[:2], first[3], first[5:]) == ([TABLE, 0], 1, shown[2:])
    Marks(page.app, Caller("ann")).close(mark_id)
    assert page.part("questions", name=TABLE) == [[0, 1, ["Who ordered?"], [f"nothing says what {TABLE} is"]]]


def test_a_mark_hides_no_question_of_an_exam_with_the_same_text(page: Page) -> None:
    asked = QuestionResult(text=ASKED, gaps=[gap(TABLE, "high")], from_exam=True)
    record(Sessions(page.app.store()), page.app.index(), [asked])
    mark_id = mark(page, Caller("ann"))
    (row,) = page.part("questions", name=TABLE)
    assert (row[1], sorted(row[2]), [each[0] for each in row[4]]) == (2, [ASKED, "Who ordered?"], [mark_id])
    first = page.part("todo")["items"][0]
    assert (first[3], sorted(first[4]), [each[0] for each in first[6]]) == (2, [ASKED, "Who ordered?"], [mark_id])


def test_all_marks_of_a_table_are_listed(page: Page) -> None:
    marks = {mark(page, Caller("ann"), f"{number} is wrong.") for number in range(8)}
    assert {row[0] for row in page.part("todo")["items"][0][6]} == marks
    assert {row[0] for row in page.part("questions", name=TABLE)[0][4]} == marks


def test_marks_that_a_caller_may_not_read_are_only_counted(page: Page) -> None:
    mark(page, Caller("ann"))
    own = mark(page, Caller("ben", SALES), "It is late itself.")

    def seen(caller: Caller) -> tuple[int, Any]:
        (row,) = page.asked("questions", caller, name=TABLE)[1]
        return row[1], [each[0] for each in row[4]] if len(row) > 4 else []

    assert seen(Caller("reader", SALES)) == (2, [own])
    without_right = Caller("reader", SALES, rights=frozenset({"documentation:read"}))
    assert seen(without_right) == (3, [])
    for part in ("todo", "questions"):
        assert "cancelled" not in json.dumps(page.asked(part, Caller("reader", SALES), name=TABLE))
        assert "late" not in json.dumps(page.asked(part, without_right, name=TABLE))


def test_a_site_has_no_marks(page: Page) -> None:
    mark(page, Caller("ann"))
    gaps = page.app.open_gaps(Caller("site"), exams_only=True)
    with page.app.index().reading():
        parts = dict(every_part(page_toolbox(Caller("site"), page.app), page.app.store(), Reports(gaps)))
    assert "Who ordered?" in json.dumps(parts)
    assert ASKED not in json.dumps(parts)
    assert "cancelled" not in json.dumps(parts)
    assert parts["exam"] == {"exams": []}
