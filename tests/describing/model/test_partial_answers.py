"""The complete parts of answers that end early."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_case
from tests.describing.model.made import context, question
from tests.describing.model.test_questions import wide
from tribal.describing.model.partial_answers import unfinished, whole_parts

COLUMNS = st.lists(st.fixed_dictionaries({"n": st.integers(1, 99), "text": st.text(max_size=12)}), max_size=5)
ANSWERS = st.fixed_dictionaries({"title": st.just(""), "text": st.text(max_size=20), "columns": COLUMNS})


@given(ANSWERS, st.data(), st.sampled_from([None, 2]))
def test_whatever_arrived_of_an_answer_its_complete_parts_are_its_first(
    answer: dict[str, object], data: st.DataObject, indent: int | None
) -> None:
    written = json.dumps(answer, indent=indent, ensure_ascii=False)
    cut = data.draw(st.integers(0, len(written)))
    parts = whole_parts(written[:cut])
    columns = parts.pop("columns", [])
    assert parts.items() <= answer.items()
    assert columns == answer["columns"][: len(columns)]  # type: ignore[index]
    assert cut < len(written) or columns == answer["columns"]


@each_case("text", ["", "no object", "{", '{"a" 1}', "{1: 2}", "[" * 5_000, '{"columns": ' + "[" * 5_000, "{" * 5_000])
def test_what_is_no_answer_has_no_parts(text: str) -> None:
    assert whole_parts(text) in ({}, {"columns": []})


def test_what_stands_before_the_object_is_passed_over() -> None:
    assert whole_parts('```json\n{"title": "", "text": "An order.", "columns": [{"n": 1, "te') == {
        "title": "",
        "text": "An order.",
        "columns": [],
    }


def test_columns_after_the_last_complete_one_are_left_and_those_before_it_were_left_empty() -> None:
    asked = question(wide(6))
    assert sorted(asked.columns) == [1, 2, 3, 4, 5, 6]
    parts = {"title": "", "text": "", "columns": [{"n": 2, "text": "x"}, {"n": 4, "text": "y"}]}
    assert unfinished(asked, parts) == ["f5x", "f6x"]


def test_without_its_text_the_text_is_left_too() -> None:
    asked = question(wide(3))
    assert unfinished(asked, {"columns": [{"n": 3, "text": "x"}]}) == [""]
    assert unfinished(asked, {"title": "", "text": "A table."}) == ["f1x", "f2x", "f3x"]


def test_parts_that_answer_nothing_that_was_asked_are_none() -> None:
    asked = question(context())
    assert unfinished(asked, {}) is None
    assert unfinished(asked, {"title": "x", "columns": [{"n": 99, "text": "x"}, {"n": "1"}, 7]}) is None
    assert unfinished(asked, {"title": "x", "columns": 5}) is None
