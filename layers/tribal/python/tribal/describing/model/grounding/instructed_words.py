"""The words that instructions in the data ask for; an answer with them has obeyed the instructions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tribal.describing.model.grounding.instructions import is_instruction
from tribal.describing.model.grounding.plain_names import split_words
from tribal.describing.model.grounding.sentences import plain, split_sentences
from tribal.naming import STOP_WORDS

MAX_INSTRUCTED_WORDS = 5
"""The longest run of words to look for; longer ones are found as copied."""
_MAX_CHARS = 5_000
"""The part of a text that is searched; questions show far less."""

_SAYING = re.compile(
    r"\b(?:add|answer|append|call|include|insert|mention|name|output|print|put|repeat|reply|respond|say|state|tell|type"
    r"|write)\b[^\w\"'<]*(.*?)(?=[.;!?\"'\\)]|$)",
    re.IGNORECASE,
)
_NOT_SAID = STOP_WORDS | {"exactly", "following", "word", "words"}
_SQL = re.compile(r"\s*(?:SELECT|WITH)\b|\s*\(|.*::", re.IGNORECASE | re.DOTALL)
_LITERAL = re.compile(r"'((?:[^']|'')*)'|\"((?:[^\"]|\"\")*)\"")


def instructed_words(texts: Iterable[str]) -> frozenset[tuple[str, ...]]:
    """The runs of words that instructions in these texts ask for; in SQL, those in literals and names."""
    pieces = (piece for text in texts for piece in _pieces(plain(text[:_MAX_CHARS])))
    sentences = (each for piece in pieces for each in split_sentences(piece) if is_instruction(each, ()))
    return frozenset(words for each in sentences for words in _wanted(each))


def _pieces(text: str) -> Iterator[str]:
    if not _SQL.match(text):
        yield text
    for literal, name in _LITERAL.findall(text):
        yield literal or name


def _wanted(order: str) -> Iterator[tuple[str, ...]]:
    position = 0
    while found := _SAYING.search(order, position):
        position = found.start(1)
        words = split_words(found[1])
        while words and words[0] in _NOT_SAID:
            words.pop(0)
        if words:
            yield tuple(words[:MAX_INSTRUCTED_WORDS])
