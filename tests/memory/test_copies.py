"""What counts as saying the same."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tribal.memory.copies import distinct

NEAR = np.array([1.0, 0.0])


def said_once(*contents: str) -> bool:
    """Whether texts with the same vector, as near as can be, are shown as one."""
    return distinct(contents, [NEAR] * len(contents)) == [0]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Refunds are negative invoices", "  refunds are\nnegative invoices.  "),
        ("Ask Ada (of billing) first!", "ask ada of billing first"),
        ("Stra\u00dfe - the table of streets", "STRASSE \u2014 the table of streets"),
        ("Cafe\u0301 orders are wholesale", "Caf\u00e9 orders are wholesale"),
        ("don\u2019t join on the name", "Don't join on the name"),
        ("The export of the plant begins at 02:00", "The export of the plant starts at 02:00"),
        ("Refunds are negative invoices", "Refunds are the negative invoices"),
    ],
)
def test_case_spaces_punctuation_and_another_word_for_it_say_the_same(one: str, other: str) -> None:
    assert said_once(one, other)
    assert said_once(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a before b", "b before a"),
        ("refunds come before invoices", "invoices come before refunds"),
        ("In the shop refunds come before invoices", "refunds, in shop, invoices come before"),
        ("Revenue totals include void invoices", "Revenue totals do not include void invoices"),
        ("Revenue totals include void invoices", "Revenue totals don\u2019t include void invoices"),
        ("Revenue totals include void invoices", "Revenue totals exclude void invoices"),
        ("Totals are with taxes", "Totals are without taxes"),
        ("The export begins at 2", "The export begins at 3"),
        ("The export begins at two", "The export begins at three"),
        ("The export begins at 02:00", "The export begins at 03:00"),
        ("Balances start at -5", "Balances start at 5"),
        ("Orders of v1", "Orders of v2"),
        ("paid < due", "paid > due"),
        ("paid = due", "paid != due"),
        ("Join on id", "Never join on id"),
        ("Umsatz ist mit Storno", "Umsatz ist nicht mit Storno"),
        ("10\u00b2 is a hundred", "102 is a hundred"),
    ],
)
def test_another_order_a_negation_a_number_or_an_opposite_says_something_else(one: str, other: str) -> None:
    assert distinct([one, other], [NEAR, NEAR]) == [0, 1]
    assert distinct([other, one], [NEAR, NEAR]) == [0, 1]


def test_words_that_are_not_near_are_kept_and_a_text_without_a_vector_is_compared_by_its_words() -> None:
    far = [np.array([1.0, 0.0]), np.array([0.94, np.sqrt(1 - 0.94**2)]), None, None]
    texts = ["tea in the morning", "coffee in the morning", "Tea in the morning!", "milk in the morning"]
    assert distinct(texts, far) == [0, 1, 3]


def test_near_copies_are_found_wherever_they_stand() -> None:
    axes = np.eye(600)
    texts = [f"text {chr(0x4E00 + number)}" for number in range(600)]
    vectors = [*axes, *axes]
    assert distinct([*texts, *(f"{text} indeed" for text in texts)], vectors) == [*range(600)]


@given(st.lists(st.sampled_from(["a b", "A b.", "b a", "a not b", "c", "a b c"]), max_size=8))
def test_of_texts_that_say_the_same_the_first_stays(contents: list[str]) -> None:
    kept = distinct(contents, [None] * len(contents))
    assert kept == sorted(kept)
    assert kept[:1] == [0][: len(contents)]
    assert distinct([contents[number] for number in kept], [None] * len(kept)) == [*range(len(kept))]
