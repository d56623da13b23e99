"""Nouns of the same and of a broader meaning."""

from __future__ import annotations

from tests.cases import each_case
from tribal.naming import broader, synonyms
from tribal.naming.thesaurus.lookup import sorted_lines


@each_case("word", ["road", "roads"])
def test_a_noun_in_either_number_is_called_otherwise(word: str) -> None:
    assert synonyms(word) == ("route",)
    assert broader(word) == ("way",)


@each_case("word", ["", "zzzz", "road\t", "days", "müll", "a", "~~~~", "road way"])
def test_what_is_no_noun_of_the_list_is_called_nothing_else(word: str) -> None:
    assert synonyms(word) == broader(word) == ()


def test_each_line_is_found_by_its_word() -> None:
    lines = sorted_lines()
    starts = [f"{line.partition(chr(9))[0]}\t" for line in lines]
    assert starts == sorted(set(starts))
    for line in lines:
        word, same, wider = line.split("\t")
        others = [*same.split(), *wider.split()]
        assert others
        assert word not in others
        assert len(others) == len(set(others))
