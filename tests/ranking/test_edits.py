"""Words a letter or two away: counted as anyone would count, found among many."""

from __future__ import annotations

from functools import cache

from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_case
from tribal.ranking.named import Spellings, edit_distance, edits_allowed

letters = st.text(alphabet="abé本", max_size=7)
words = st.text(alphabet="abcdeé本", min_size=1, max_size=12)


def edits(one: str, other: str) -> int:
    """Optimal string alignment as it is defined."""

    @cache
    def between(left: int, right: int) -> int:
        if not left or not right:
            return left + right
        changed = one[left - 1] != other[right - 1]
        least = min(between(left - 1, right) + 1, between(left, right - 1) + 1, between(left - 1, right - 1) + changed)
        swapped = left > 1 and right > 1 and one[left - 2 : left] == other[right - 2 : right][::-1]
        return min(least, between(left - 2, right - 2) + 1) if swapped else least

    return between(len(one), len(other))


@given(letters, letters, st.integers(0, 4))
def test_edits_are_those_of_the_definition_and_beyond_the_most_one_more(one: str, other: str, most: int) -> None:
    assert edit_distance(one, other, most) == min(edits(one, other), most + 1)


@given(words, st.lists(words, max_size=12, unique=True))
def test_the_nearest_words_within_what_is_allowed_are_found_and_no_others(word: str, among: list[str]) -> None:
    near = {place: edits(word, other) for place, other in enumerate(among)}
    least = min(near.values(), default=0)
    wanted = [
        (away, place)
        for place, away in near.items()
        if away == least <= min(edits_allowed(word), edits_allowed(among[place]))
    ]
    assert Spellings(among).near(word) == (wanted if edits_allowed(word) else [])


@each_case(
    ("word", "meant", "away"),
    [
        ("oders", "orders", 1),
        ("ordesr", "orders", 1),
        ("orderrs", "orders", 1),
        ("arders", "orders", 1),
        ("shipmants", "shipments", 1),
        ("shpmants", "shipments", None),
        ("warehuoses", "warehouse", 2),
        ("warehose", "warehouse", 1),
        ("addresssses", "addresses", 2),
        ("städtee", "städte", 1),
        ("ordre", "order", 1),
        ("oder", "order", None),
        ("item", "items", None),
    ],
)
def test_five_letters_may_have_one_edit_and_nine_two(word: str, meant: str, away: int | None) -> None:
    assert Spellings([meant]).near(word) == ([] if away is None else [(away, 0)])


def test_letters_that_are_counted_alike_are_told_apart() -> None:
    assert Spellings(["order", "ordeĲ"]).near("order") == [(0, 0)]
    assert ord("r") % 64 == ord("Ĳ") % 64


def test_without_words_none_is_near() -> None:
    assert Spellings([]).near("orders") == []
    assert Spellings([""]).near("orders") == []
