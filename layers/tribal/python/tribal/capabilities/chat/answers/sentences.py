"""Split sources into sentences, and distinguish headings from text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from tribal.text_checks import plain, split_sentences

_UNDERLINED = re.compile(r"^[ \t]{0,3}(?=\S)(.+)\n[ \t]{0,3}(?:={2,}|-{2,})[ \t]*$", re.MULTILINE)
_MARKED = re.compile(r"^[ \t]{0,3}(?:#{1,6}(?:[ \t].*)?|(\*\*|__)(?:(?!\1).)+\1:?)[ \t]*$", re.MULTILINE)
"""A Markdown heading, or a line in bold."""
_PARAGRAPH_END = re.compile(r"\n\s*\n")
_WRAPPED = re.compile(r"(?<=[^\n])\n(?=[^\n*\->|\d\u2022])")
"""A line break within a paragraph."""
_LONGEST_HEADING_CHARS = 100
_NO_HEADING = re.compile(
    r"[\n\t]|^\s*(?:[*>|\u2022-]|\d+[.)]\s)|[.!?:;,\u2026\u3002\uff01\uff1f][\"')\]\u00bb\u201d\u2019]*\s*$"
)
"""Signs that a line without markup is not a heading: line breaks, table cells, bullets, final punctuation."""
_LEAST_SHARED_CHARS = 20


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence or a heading of a source."""

    text: str
    heading: str = ""
    """The nearest heading above the sentence."""
    is_heading: bool = False


def read_sentences(text: str) -> Iterator[Sentence]:
    """Yield the headings and sentences of a source in order. A sentence may span several lines."""
    marked = _MARKED.sub(r"\n\n\g<0>\n\n", _UNDERLINED.sub(r"# \1", text))
    paragraphs = [each for each in _PARAGRAPH_END.split(marked) if each.strip()]
    heading = ""
    for paragraph, following in pairwise([*paragraphs, ""]):
        if _is_heading(paragraph, following):
            heading = paragraph.strip()
            yield Sentence(heading, is_heading=True)
        else:
            for each in split_sentences(_WRAPPED.sub(" ", paragraph)):
                yield Sentence(each, heading)


def is_repeated(sentence: str, said: Iterable[str]) -> bool:
    """Return whether the sentence repeats, contains, or is part of an earlier sentence."""
    letters = _letters(sentence)
    return any(
        letters == each
        or (min(len(letters), len(each)) >= _LEAST_SHARED_CHARS and (letters in each or each in letters))
        for each in map(_letters, said)
    )


def _letters(sentence: str) -> str:
    return "".join(filter(str.isalnum, plain(sentence).casefold()))


def _is_heading(paragraph: str, following: str) -> bool:
    if _MARKED.fullmatch(paragraph.strip("\n")):
        return True
    # Lines of a list follow each other; a heading is followed by text.
    return _may_be_heading(paragraph) and bool(following) and not _may_be_heading(following)


def _may_be_heading(paragraph: str) -> bool:
    return len(paragraph) <= _LONGEST_HEADING_CHARS and _NO_HEADING.search(paragraph.strip("\n")) is None
