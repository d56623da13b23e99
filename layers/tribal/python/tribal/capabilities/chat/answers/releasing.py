"""Split the text of a model into sentences and code blocks while it arrives."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tribal.capabilities.chat.answers.grounding import CITATION
from tribal.text_checks import ends_in_abbreviation

MOST_PENDING_CHARS = 4_000
"""Longer unfinished sentences and code blocks are discarded. By judgement: ten times what may be shown."""
_FENCE = "```"
_END = re.compile(
    rf"[.!?\u2026][\"'\u201d\u2019)*_]*(?:{CITATION.pattern})*(?=\s+[^\s\[])|[\u3002\uff01\uff1f](?:{CITATION.pattern})*(?=[^\s\[])"
)
_MARKER = re.compile(r"\s*(?:[-*\u2022+]|\d{1,2}[.)])\s+")
_MAY_BE_MARKER = re.compile(r"\s*(?:`{0,2}|[-*\u2022+]|\d{1,2}[.)]?)\s*\Z")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A complete sentence with its citations."""

    text: str
    starts_line: bool
    is_item: bool
    """Whether the sentence begins a list item."""


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """A complete fenced code block."""

    language: str
    text: str


class Releaser:
    """Collects pieces of text and releases each sentence and code block once it is complete."""

    def __init__(self) -> None:
        self._line = ""
        self._starts_line = True
        self._block: list[str] | None = None
        self._language = ""

    def feed(self, piece: str) -> Iterator[Sentence | CodeBlock]:
        """Add a piece of text and yield the parts that it completes."""
        first, *further = piece.split("\n")
        self._line += first
        for following in further:
            yield from self._end_line()
            self._line = following
        if self._block is None and not self._may_be_fence():
            yield from self._complete_sentences()
        if len(self._line) > MOST_PENDING_CHARS:
            # A sentence of this length is never shown, and its end cites nothing for its beginning.
            self._line = ""

    def finish(self) -> Iterator[Sentence | CodeBlock]:
        """Yield the rest of the text. An unclosed code block is dropped."""
        yield from self._end_line()

    def _end_line(self) -> Iterator[Sentence | CodeBlock]:
        line, stripped = self._line, self._line.strip()
        if self._block is not None:
            if stripped == _FENCE:
                yield CodeBlock(self._language, "\n".join(self._block))
                self._block = None
            elif sum(map(len, self._block)) <= MOST_PENDING_CHARS:
                self._block.append(line)
        elif self._starts_line and stripped.startswith(_FENCE):
            self._block, self._language = [], stripped.strip("`").strip().lower()
        else:
            yield from self._complete_sentences()
            yield from self._sentence(self._line)
        self._line, self._starts_line = "", True

    def _may_be_fence(self) -> bool:
        return self._starts_line and (
            self._line.lstrip().startswith(_FENCE) or _MAY_BE_MARKER.match(self._line) is not None
        )

    def _complete_sentences(self) -> Iterator[Sentence]:
        start, marker = 0, _MARKER.match(self._line) if self._starts_line else None
        for found in _END.finditer(self._line, marker.end() if marker else 0):
            if not ends_in_abbreviation(self._line[start : found.start() + 1]):
                yield from self._sentence(self._line[start : found.end()])
                start = found.end()
        self._line = self._line[start:]

    def _sentence(self, text: str) -> Iterator[Sentence]:
        marker = _MARKER.match(text) if self._starts_line else None
        body = " ".join((text[marker.end() :] if marker else text).split())
        if body:
            yield Sentence(body, self._starts_line, marker is not None)
            self._starts_line = False
