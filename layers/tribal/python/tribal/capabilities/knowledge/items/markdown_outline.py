"""The outline of a Markdown file: headings, the plain text below them, and fenced blocks, each with its line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from markdown_it import MarkdownIt
from markdown_it.token import Token

_SPACE = re.compile(r"\s+")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_NUMBERED_TITLE = re.compile(r"^(?P<number>\d+)\. (?=.*\n=+[ \t]*$)", re.MULTILINE)
_NOT_A_LINE_BREAK = re.compile(r"[^\n]")


@dataclass(frozen=True, slots=True)
class Line:
    """A heading, a paragraph, an item of a list or a cell as plain text.

    Attributes:
        text: without marks, on one line.
        number: where it begins, from 1.
        targets: of its links.
        is_cell: whether it is in a table.
    """

    text: str
    number: int
    targets: tuple[str, ...] = ()
    is_cell: bool = False


@dataclass(slots=True)
class Section:
    """A heading and the lines below it, up to the next heading of any level; before the first heading, only lines."""

    heading: Line | None
    lines: list[Line] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced block."""

    language: str
    text: str
    number: int


@dataclass(frozen=True, slots=True)
class Outline:
    """A file's sections and blocks, in order."""

    sections: Sequence[Section]
    fences: Sequence[Fence]


def outline(text: str, first_line: int = 1) -> Outline:
    """The outline of a text that begins at a line of its file, without comments."""
    shown = _COMMENT.sub(lambda found: _NOT_A_LINE_BREAK.sub(" ", found[0]), text)
    # A title that is underlined and begins with a number would be an item of a list.
    shown = _NUMBERED_TITLE.sub(r"\g<number>\\. ", shown)
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(shown)
    sections = [Section(None)]
    fences: list[Fence] = []
    in_heading = in_cell = False
    for token in tokens:
        number = first_line + (token.map[0] if token.map else 0)
        if token.type in ("heading_open", "heading_close"):
            in_heading = token.type == "heading_open"
        elif token.type in ("td_open", "th_open", "td_close", "th_close"):
            in_cell = token.type.endswith("_open")
        elif token.type == "fence":
            fences.append(Fence(token.info.split()[0].casefold() if token.info.split() else "", token.content, number))
        elif token.type == "inline" and in_heading:
            sections.append(Section(next(iter(_lines(token, number)), Line("", number))))
        elif token.type == "inline":
            sections[-1].lines += [replace(each, is_cell=in_cell) for each in _lines(token, number)]
    return Outline(sections, fences)


def _lines(token: Token, number: int) -> Iterator[Line]:
    """The lines of a paragraph, without struck-through text. Neighbouring lines are often unrelated."""
    parts: list[str] = []
    targets: list[str] = []
    is_struck = False
    for child in token.children or ():
        if child.type in ("s_open", "s_close"):
            is_struck = child.type == "s_open"
        elif is_struck:
            continue
        elif child.type in ("softbreak", "hardbreak"):
            yield from _line(parts, targets, number)
            parts, targets, number = [], [], number + 1
        elif child.type == "link_open":
            targets.append(str(child.attrGet("href") or ""))
        elif child.type in ("text", "code_inline", "text_special") or child.type == "image":
            parts.append(child.content)
    yield from _line(parts, targets, number)


def _line(parts: Sequence[str], targets: Sequence[str], number: int) -> Iterator[Line]:
    text = _SPACE.sub(" ", "".join(parts)).strip()
    if text:
        yield Line(text, number, tuple(targets))
