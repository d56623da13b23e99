"""Texts that list values with what they mean are read; others give nothing."""

from __future__ import annotations

from tests.cases import each_case
from tribal.documenting.units.value_texts import meanings_in


@each_case(
    ("text", "expected"),
    [
        ("1 = open, 2 = closed", "1 open, 2 closed"),
        ("0: draft, 1: sent", "0 draft, 1 sent"),
        ("0 - draft; 1 - sent", "0 draft, 1 sent"),
        ("D = domestic, O = overseas", "D domestic, O overseas"),
        ("How far it is (0=draft, 1=sent).", "0 draft, 1 sent"),
        ("State: 0=draft 1=sent", "0 draft, 1 sent"),
        ("'D' = domestic or 'O' = overseas.", "D domestic, O overseas"),
        ("Where it stands. 1 = Pending; 2 = Approved. See the manual.", "1 Pending, 2 Approved"),
        ("0 = here, 1 = there, see docs", "0 here, 1 there"),
        ("N: new\nP: paid\n", "N new, P paid"),
        ("Step 1: open the file. Step 2: close it.", ""),
        ("1-5 = low, 6-9 = high", ""),
        ("> 100 = large, < 5 = small", ""),
        ("total: A = B + C, D = E", ""),
        ("From 12:30 to 13:45.", ""),
        ("NB: internal; TODO: drop it", ""),
        ("1 = open", ""),
        ("1 = open, 1 = closed", ""),
    ],
)
def test_values_and_their_meanings(text: str, expected: str) -> None:
    assert ", ".join(f"{value} {meaning}" for value, meaning in meanings_in(text).items()) == expected


def test_values_that_are_known_may_be_words() -> None:
    assert meanings_in("new: just written, paid: settled", ["new", "paid"]) == {
        "new": "just written",
        "paid": "settled",
    }
