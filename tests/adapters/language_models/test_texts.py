"""Texts of models: thoughts, objects in words, and phrases without end."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_case
from tribal.adapters.language_models.answers import ThoughtFilter, find_object, without_thoughts
from tribal.adapters.language_models.limits import repeats_itself

GOOD = '{"text": "An order."}'


def shown(pieces: list[str]) -> str:
    """What a stream of these pieces shows."""
    hides = ThoughtFilter()
    return "".join(hides.shown(piece) for piece in pieces)


@given(st.text(max_size=30), st.data())
def test_a_stream_shows_what_the_whole_text_says_without_its_thoughts(said: str, data: st.DataObject) -> None:
    said = said.replace("<", "").strip()
    thoughts = data.draw(st.sampled_from(["", "<think>The user wants { 1 }.</think>\n", "  <think></think>"]))
    whole = thoughts + said
    at = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=4)))
    pieces = [whole[start:end] for start, end in zip([0, *at], [*at, len(whole)], strict=True)]
    assert without_thoughts(whole).strip() == said
    assert shown(pieces).strip() == said


def test_thoughts_without_a_beginning_or_an_end_are_left_out() -> None:
    assert without_thoughts(f"The user wants {{1}}.</think>{GOOD}") == GOOD
    assert without_thoughts(f"a</think>b</think>{GOOD}") == GOOD
    assert without_thoughts("<think>and on") == ""


@each_case("text", [f"{GOOD}\nAs {{asked}}.", f"```json\n{GOOD}\n``` {{}}", f"Here:\n{GOOD}\n}}}}", GOOD])
def test_an_object_is_found_next_to_words_with_braces(text: str) -> None:
    assert find_object(text) == json.loads(GOOD)


@each_case("text", [f"{GOOD} or {GOOD}", f"[{GOOD}]", f"{GOOD}, {GOOD}", GOOD[:-2], "{" * 3_000])
def test_two_objects_a_list_and_a_cut_one_are_no_answer(text: str) -> None:
    try:
        found = find_object(text)
    except ValueError:
        return
    assert not isinstance(found, dict)


@given(st.text(min_size=1, max_size=150))
def test_a_phrase_without_end_is_found(phrase: str) -> None:
    assert repeats_itself("An order. " + phrase * (1_500 // len(phrase) + 1))


@pytest.mark.parametrize("number", [1, 5, 40, 400])
def test_columns_that_are_described_alike_are_no_phrase_without_end(number: int) -> None:
    columns = [{"n": n, "text": "When the order was changed."} for n in range(1, number + 1)]
    assert not repeats_itself(json.dumps({"columns": columns}))
    assert not repeats_itself("An order of a customer. " * 10)
