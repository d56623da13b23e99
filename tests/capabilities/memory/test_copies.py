"""Which memories say the same."""

from __future__ import annotations

import pytest

from tribal.capabilities.memory.search import distinct


@pytest.mark.parametrize(
    "again",
    [
        "revenue leaves void invoices out",
        "The revenue leaves the void invoices out!",
        "  Revenue   leaves void\ninvoice out. ",
        "\uff32evenue leaves \u201cvoid\u201d invoices out\u2026",
    ],
)
def test_case_space_endings_punctuation_and_articles_make_no_difference(again: str) -> None:
    assert distinct(["Revenue leaves void invoices out.", again]) == [0]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ada is paid before Bob", "Bob is paid before Ada"),
        ("Reports include void invoices", "Reports do not include void invoices"),
        ("Reports include void invoices", "Reports exclude void invoices"),
        ("The limit is 10 orders", "The limit is 100 orders"),
        ("The rate is 1.5", "The rate is 15"),
        ("A carcinogenic label is '+'", "A carcinogenic label is '-'"),
        ("status = 1 means open", "status != 1 means open"),
        ("\U0001f600", "\U0001f622"),
        ("?", "!"),
    ],
)
def test_what_says_something_else_is_kept(one: str, other: str) -> None:
    assert distinct([one, other, one]) == [0, 1]


def test_nothing_says_nothing() -> None:
    assert distinct([]) == []
