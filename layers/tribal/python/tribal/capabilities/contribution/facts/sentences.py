"""Splits documents in Markdown, reStructuredText or plain text into sentences, each with its line and its heading."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_FENCE = re.compile(r"\s*(```|~~~)")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s+(.*)")
_UNDERLINE = re.compile(r"\s*([=\-~^\"'`#*+:.])\1{2,}\s*")
_LEAD = re.compile(r"^\s*(?:>\s*)*(?:(?:[-*+\u2022]|\d{1,3}[.)])\s+)?(?:\[[ xX]?\]\s+)?")
_ITEM = re.compile(r"\s*(?:>\s*)*(?:[-*+\u2022]|\d{1,3}[.)])\s+|\s*\|")
_END = re.compile(r"(?<!e\.g\.)(?<!i\.e\.)(?<!a\.i\.)(?<!etc\.)(?<!\bvs\.)(?<=[.!?;])[)\"'*_\u201d]*\s+", re.IGNORECASE)
_MARKUP = (
    (re.compile(r"<!--|-->"), " "),
    (re.compile(r"\]\([^)]*\)"), "]"),
    (re.compile(r"https?://\S+"), " "),
    (re.compile(r"</?[a-zA-Z][^>]*>"), " "),
    (re.compile(r"[*`~\[\]|]|\b_+|_+\b"), ""),
    (re.compile("[\u2018\u2019\u02bc]"), "'"),
    (re.compile(r"\bA\.I\.(?!\w)", re.IGNORECASE), "AI"),
    (re.compile("[\u2010-\u2015]"), "-"),
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence without markup, on one line."""

    text: str
    line: int
    """Where it begins, from 1."""
    heading: str
    """Of its section."""
    paragraph: int
    """Which one it is in."""


def sentences(document: str) -> Iterator[Sentence]:
    """Yield the sentences of a document in order; headings are sentences too, blocks of code are left out."""
    heading = ""
    for number, block in enumerate(_blocks(document.replace("\r\n", "\n").split("\n"))):
        text, start, line = "\n".join(block.lines), 0, block.first
        heading = _plain(text) if block.is_heading else heading
        for end in [*(each.end() for each in _END.finditer(text)), len(text)]:
            plain = _plain(text[start:end])
            if plain:
                yield Sentence(plain, line, heading, number)
            line += text.count("\n", start, end)
            start = end


@dataclass(slots=True)
class _Block:
    """A paragraph, an item of a list, a row of a table or a heading."""

    first: int
    lines: list[str]
    is_heading: bool = False


def _blocks(lines: list[str]) -> Iterator[_Block]:
    block, fence = None, ""
    for number, line in enumerate(lines, 1):
        mark = _FENCE.match(line)
        is_code = bool(fence or mark)
        if mark is not None and fence in ("", mark[1]):
            fence = "" if fence else mark[1]
        title = None if is_code else _HEADING.fullmatch(line)
        underlined = bool(_UNDERLINE.fullmatch(line))
        is_empty = is_code or underlined or not line.strip(" \t>")
        if block is not None and (is_empty or title or _ITEM.match(line)):
            block.is_heading = underlined and len(block.lines) == 1
            yield block
            block = None
        if title is not None:
            yield _Block(number, [title[1]], is_heading=True)
        elif not is_empty:
            text = _LEAD.sub("", line, count=1)
            if block is None:
                block = _Block(number, [text])
            else:
                block.lines.append(text)
    if block is not None:
        yield block


def _plain(text: str) -> str:
    for pattern, replacement in _MARKUP:
        text = pattern.sub(replacement, text)
    return " ".join(text.split())
