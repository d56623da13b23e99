"""Pages are cut into overlapping passages, and nothing is lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_case
from tribal.capabilities.chat.uploads.cutting import LARGEST_CHARS, OVERLAP_CHARS, cut

SENTENCE = "The quick brown fox jumps over the lazy dog near the bank. "
PIECES = st.sampled_from(["word ", "x" * 700, "\n\n", "\n", " " * 500, "End. ", "\u3002", "!)", "\t"])


def numbered(page: str) -> str:
    """The page with a different character in place of each letter, so that every passage occurs once."""
    return "".join(chr(0x4E00 + place) if char.isalpha() else char for place, char in enumerate(page))


@given(st.lists(PIECES, max_size=40).map("".join).map(numbered))
def test_every_character_but_white_space_is_in_a_passage(page: str) -> None:
    start, end = -1, 0
    for passage in cut(page):
        assert passage.strip() == passage
        assert 0 < len(passage) <= LARGEST_CHARS
        start = page.index(passage, max(start + 1, end - OVERLAP_CHARS))
        assert not page[end:start].strip()
        end = start + len(passage)
    assert not page[end:].strip()


def test_a_page_without_text_has_no_passage() -> None:
    assert cut("") == cut(" \n\t\u00a0") == []


def test_a_short_page_is_one_passage() -> None:
    assert cut("  " + "x" * LARGEST_CHARS + "\n") == ["x" * LARGEST_CHARS]


def test_passages_end_with_sentences_and_overlap_by_about_200_characters() -> None:
    passages = cut(SENTENCE * 100)
    assert all(passage.endswith(".") for passage in passages)
    assert all(passage.startswith("The ") for passage in passages)
    assert {len(passage) for passage in passages[:-1]} == {16 * len(SENTENCE) - 1}
    assert len(passages) == 8


@each_case(("separator", "end"), [("\n\n", "."), ("\n", "word"), (" ", "word"), ("\u3002", "\u3002")])
def test_passages_end_at_the_best_break_that_there_is(separator: str, end: str) -> None:
    line = "word" * 12
    text = (line + separator) * 30 if end != "." else (SENTENCE * 14).strip() + separator + SENTENCE * 14
    first, second = cut(text)[:2]
    assert first.endswith(end)
    assert 600 <= len(first) <= 1_000
    assert second.startswith(("word", "The"))


def test_a_paragraph_break_is_preferred_to_a_later_sentence() -> None:
    assert cut(SENTENCE * 12 + "\n\n" + SENTENCE * 20)[0] == (SENTENCE * 12).strip()


@pytest.mark.timeout(60)
@each_case(
    ("piece", "passages"),
    [("x", 2_500), (" ", 0), ("\n", 0), (".", 2_500), ("\u3002", 2_497)],
)
def test_a_page_of_millions_of_equal_characters_is_cut(piece: str, passages: int) -> None:
    assert len(cut(piece * (2_000_000 // len(piece)))) == passages


@pytest.mark.verify
def test_a_word_of_60_mb_is_cut() -> None:
    passages = cut("x" * 60_000_000)
    assert {len(passage) for passage in passages[:-1]} == {1_000}
    assert len(passages) == 75_000
