"""Patterns of values, whatever the alphabet."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tribal.masking.value_shapes import pattern_of


@given(st.text(st.characters(max_codepoint=127), max_size=80))
def test_a_mark_that_no_pattern_shows_changes_no_pattern(text: str) -> None:
    assert pattern_of(f"{text}\N{COMBINING ACUTE ACCENT}") == pattern_of(text)


def test_runs_are_counted_and_spaces_are_folded() -> None:
    assert pattern_of("AB12345  \t c-----") == "AA9{5} a-{5}"
