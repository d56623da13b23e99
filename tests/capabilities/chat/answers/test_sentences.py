"""Sentences of sources are told apart from headings, and none is said twice."""

from __future__ import annotations

from tests.cases import each_case
from tribal.capabilities.chat.answers.extractive import _best_sentences
from tribal.capabilities.chat.answers.passages import RankedPassage
from tribal.capabilities.chat.answers.sentences import is_repeated, read_sentences
from tribal.ports.passages import PassageMatch
from tribal_contracts.chat.collections import Passage

QUESTION = "How many vacation days do employees get?"
FACT = "Employees get 30 days."


@each_case(
    "text",
    [
        f"# Vacation days\n\n{FACT}",
        f"# Vacation days\n{FACT}",
        f"Vacation days\n=====\n{FACT}",
        f"Vacation days\n---\n\n{FACT}",
        f"**Vacation days**\n{FACT}",
        f"Vacation days\n\n{FACT}",
        f"Intro is here.\n\n## Vacation days ##\n{FACT}",
    ],
)
def test_a_heading_is_no_part_of_a_sentence(text: str) -> None:
    found = list(read_sentences(text))
    assert found[-1].text == FACT
    assert "Vacation" in found[-1].heading
    assert found[-2].is_heading


@each_case("text", ["Tea 2.50\n\nCoffee 3.00", "Tea\n\nCoffee\n\nWater", "Item\tPrice\n\nAll prices are net."])
def test_lines_of_lists_and_tables_are_no_headings(text: str) -> None:
    assert not next(read_sentences(text)).is_heading


def _quoted(text: str, said: list[str]) -> list[str]:
    passage = Passage(number=0, text=text, source_filename="a.md", page_number=1, course_id="a")
    return _best_sentences(QUESTION, RankedPassage(PassageMatch("0" * 64, passage), 1.0, frozenset()), said)


def test_a_question_is_answered_by_the_sentence_below_a_heading_and_never_twice() -> None:
    text = "# Vacation days of employees\n\nEveryone gets 30 each year.\n\n# Travel\n\nThe office books it."
    assert _quoted(text, []) == ["Everyone gets 30 each year."]
    assert _quoted(text, ["everyone gets 30 each year"]) == []
    assert _quoted(f"{FACT} {FACT}", []) == [FACT]


def test_a_part_of_a_sentence_repeats_it_unless_it_is_short() -> None:
    said = ["They ask their manager two weeks before."]
    assert is_repeated("manager two weeks before.", said)
    assert not is_repeated("Before.", said)
