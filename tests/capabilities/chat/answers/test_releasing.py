"""Text of a model is cut into sentences and blocks, however it arrives."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cases import each_case
from tests.plugins.verify import examples
from tribal.capabilities.chat.answers.releasing import MOST_PENDING_CHARS, CodeBlock, Releaser, Sentence

TEXT = """An order has lines [1]. Its status is open, e.g. new [2]. See also:

- The first item [1]. It goes on [2].
1. A numbered item [3].

```sql
SELECT 1;
-- two. lines
```
Done. [4]
"""
PARTS: list[Sentence | CodeBlock] = [
    Sentence("An order has lines [1].", True, False),
    Sentence("Its status is open, e.g. new [2].", False, False),
    Sentence("See also:", False, False),
    Sentence("The first item [1].", True, True),
    Sentence("It goes on [2].", False, False),
    Sentence("A numbered item [3].", True, True),
    CodeBlock("sql", "SELECT 1;\n-- two. lines"),
    Sentence("Done. [4]", True, False),
]


def released(pieces: list[str]) -> list[Sentence | CodeBlock]:
    releaser = Releaser()
    return [part for piece in pieces for part in releaser.feed(piece)] + list(releaser.finish())


@settings(max_examples=examples(60, 600), deadline=None)
@given(st.lists(st.integers(0, len(TEXT)), max_size=40))
def test_the_parts_are_the_same_wherever_the_text_is_cut(cuts: list[int]) -> None:
    edges = [0, *sorted(cuts), len(TEXT)]
    assert released([TEXT[start:end] for start, end in pairwise(edges)]) == PARTS


def test_a_sentence_is_released_once_the_next_one_begins() -> None:
    releaser = Releaser()
    assert list(releaser.feed("An order has lines [1].")) == []
    assert list(releaser.feed(" I")) == [Sentence("An order has lines [1].", True, False)]


@each_case("text", ["```sql\nSELECT 1", "```", "``", "x" * (MOST_PENDING_CHARS + 1)])
def test_what_is_never_closed_or_too_long_is_not_released_as_code(text: str) -> None:
    assert not any(isinstance(part, CodeBlock) for part in released(list(text)))


@settings(max_examples=examples(60, 600), deadline=None)
@given(st.text(alphabet="ab .!?\n`[]1,-*", max_size=120))
def test_any_text_ends_and_loses_no_letter_outside_of_blocks(text: str) -> None:
    parts = released(list(text))
    if "```" not in text:
        letters = "".join(part.text for part in parts if isinstance(part, Sentence))
        assert sum(letters.count(each) for each in "ab") == sum(text.count(each) for each in "ab")
