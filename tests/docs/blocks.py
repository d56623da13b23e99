"""The fenced blocks of a page, and the commands in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
"""The pages whose blocks are checked."""
_BLOCK = re.compile(r"^(?P<fence>`{3,})(?P<info>[^\n`]*)\n(?P<text>.*?)^(?P=fence)$", re.MULTILINE | re.DOTALL)
_PROMPT = re.compile(r"^\$ ", re.MULTILINE)


@dataclass(frozen=True)
class Command:
    """A command of a page.

    Attributes:
        text: as the page writes it, with its line breaks.
        shown: what the page shows of the output; `None` in a block without output.
    """

    text: str
    shown: str | None


@dataclass(frozen=True)
class Block:
    """A fenced block.

    Attributes:
        page: the name of its file.
        line: its first one.
        language: the first word after the fence.
        file: the second word: where the text belongs.
    """

    page: str
    line: int
    language: str
    file: str
    text: str

    @property
    def place(self) -> str:
        """Page and line, for messages."""
        return f"{self.page}:{self.line}"

    @property
    def commands(self) -> Iterator[Command]:
        """The commands of a block `console`, each with its output, or of a block `sh`."""
        if self.language == "console":
            before, *parts = _PROMPT.split(self.text)
            assert not before, f"{self.place}: the block does not start with a command"
            for part in parts:
                text, shown = _first_command(part)
                yield Command(text, shown)
        elif self.language == "sh":
            rest = self.text
            while rest:
                text, rest = _first_command(rest)
                if text and not text.startswith("#"):
                    yield Command(text, None)


def _first_command(text: str) -> tuple[str, str]:
    """Split a text after its first line; a line that ends with a backslash continues on the next one."""
    found = re.match(r"(?:[^\n]*\\\n)*[^\n]*", text)
    assert found is not None
    return found[0].strip(), text[found.end() + 1 :]


def blocks_of(text: str, page: str) -> list[Block]:
    """Return the blocks of a page, or of a part of it."""
    return [_block(found, page) for found in _BLOCK.finditer(text)]


def _block(found: re.Match[str], page: str) -> Block:
    line = found.string.count("\n", 0, found.start()) + 1
    language, _, file = found["info"].strip().partition(" ")
    return Block(page, line, language, file, found["text"])


def blocks_of_page(page: Path) -> list[Block]:
    """Return the blocks of a page."""
    return blocks_of(page.read_text(encoding="utf-8"), page.name)
