"""Whether a question of words that no table has means anything; if nothing does, what is near to it is so by chance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from tribal.errors import EmbeddingFailed
from tribal.naming import STOP_WORDS, is_word, tokenize_text
from tribal.ports import Candidates, Embedder
from tribal.ranking.distinct import distinct

if TYPE_CHECKING:
    from numpy.typing import NDArray

NEAR = 0.3
"""Cosine similarity from which a table is near to words that only look as if somebody used them.

Chosen on the sample company: of 20,000 made-up questions 59 come so far, the nearest of their tables at .28; words that
mean one of its tables, such as "paycheck" and "stockroom", are at .38 and more.
"""

Meaning = Literal["some", "doubtful", "none"]


def meaning_of(question: str, words: Sequence[str], embedder: Embedder | None) -> Meaning:
    """Whether a question means anything, none of whose words any table has.

    Words of the language mean something. Others that look as if somebody used them do within a sentence, and are
    doubtful by themselves if they are at least half of the words; else nothing is meant.

    Args:
        question: as it was asked.
        words: its content words.
        embedder: what tells which words look used; without one, a question means something.
    """
    if embedder is None or any(map(is_word, words)):
        return "some"
    try:
        used = sum(embedder.knows(words))
    except EmbeddingFailed:
        return "some"
    if used and not STOP_WORDS.isdisjoint(tokenize_text(question)):
        return "some"
    # The more words somebody makes up, the likelier one of them looks like a word.
    return "doubtful" if used and 2 * used >= len(words) else "none"


def near_tables(whole: Candidates, name: Candidates) -> NDArray[Any]:
    """Ids of the tables that are near to doubtful words, as a whole or by their names."""
    return distinct(whole.ids[whole.scores >= NEAR], name.ids[name.scores >= NEAR])
