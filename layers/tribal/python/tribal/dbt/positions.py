"""Positions in the text of a YAML document at which lines and values can be added."""

from __future__ import annotations

import re

from tribal.dbt.yaml_nodes import Node

_BREAKS = "\r\n\x85\u2028\u2029"
"""What YAML 1.1 takes as a line break."""
_BLANKS = " \t" + _BREAKS
_REST_OF_LINE = re.compile(rf"[ \t]*(?:#[^{_BREAKS}]*)?(?=[{_BREAKS}]|\Z)")
_BLOCK_HEADER = re.compile(r"[|>][-+0-9]*")
_LINE = re.compile(rf"(?:\r\n|[{_BREAKS}])([^{_BREAKS}]*)")
_LINE_BREAK = re.compile(r"\r\n|\n|\r")
_COLON = re.compile(r"[ \t]*:")


class CannotSplice(Exception):
    """A text cannot be added; the message says why, as a sentence fragment about the file."""


class Positions:
    """The text of a document, without a byte order mark."""

    def __init__(self, text: str) -> None:
        self.text = text

    def line_break(self, at: int = 0) -> str:
        """Return the next line break after a position, else the first of the file."""
        found = _LINE_BREAK.search(self.text, at) or _LINE_BREAK.search(self.text)
        return found[0] if found else "\n"

    def line_of(self, at: int) -> int:
        """Return the line of a position, from 1, as an editor counts."""
        return len(_LINE_BREAK.findall(self.text, 0, at)) + 1

    def line_end(self, at: int) -> int:
        """Return the end of a line that has nothing but a comment after a position.

        Raises:
            CannotSplice: when something else follows.
        """
        if found := _REST_OF_LINE.match(self.text, at):
            return found.end()
        raise CannotSplice(f"line {self.line_of(at)} has more than one value")

    def after_colon(self, key: Node) -> int | None:
        """Return the position after the colon of a key; `None` if there is no colon on its line."""
        found = _COLON.match(self.text, key.end)
        return found.end() if found else None

    def scalar_end(self, node: Node) -> int:
        """Return the end of a scalar; for a block scalar, the end of its header."""
        header = _BLOCK_HEADER.match(self.text, node.start) if node.style in ("|", ">") else None
        return header.end() if header else node.end

    def content_end(self, node: Node) -> int:
        """Return the end of the last character that belongs to a node.

        Raises:
            CannotSplice: when a line that follows would change the node.
        """
        while node.kind in ("sequence", "mapping") and not node.flow:
            node = node.items[-1]
        if node.kind != "scalar":
            return node.end
        if node.style not in ("|", ">"):
            return node.end if node.style or node.value else node.start
        header = self.text[node.start : self.scalar_end(node)]
        end, ends_in_break = node.end, self.text.endswith(tuple(_BREAKS), 0, node.end)
        if end == len(self.text) and not ends_in_break and "-" not in header:
            raise CannotSplice("its last line belongs to a block of text; end the file with a line break first")
        if "+" in header and ends_in_break:
            return end - (2 if self.text.endswith("\r\n", 0, end) else 1)
        while self.text[end - 1] in _BLANKS:
            end -= 1
        return end

    def block_end(self, node: Node, column: int) -> int:
        """Return the end of a block's last line, including comments below that are indented more than a column."""
        end = self.line_end(self.content_end(node))
        comment = re.compile(rf"(?:\r\n|[{_BREAKS}]) {{{column + 1},}}#[^{_BREAKS}]*")
        while found := comment.match(self.text, end):
            end = found.end()
        return end

    def literal_fits(self, at: int, indent: int) -> bool:
        """Tell whether a literal block of that indent would leave out the lines that follow it."""
        for found in _LINE.finditer(self.text, self.line_end(at)):
            spaces = len(found[1]) - len(found[1].lstrip(" "))
            if spaces >= indent and (spaces > indent or spaces < len(found[1])):
                return False
            if found[1].strip():
                return True
        return True

    def separates_items(self, sequence: Node) -> bool:
        """Tell whether a blank line precedes the last value of a block sequence."""
        if len(sequence.items) < 2:
            return False
        between = self.text[self.content_end(sequence.items[-2]) : sequence.items[-1].start]
        return any(not line.strip() for line in between.splitlines()[1:-1])

    def gap(self, sequence: Node) -> str:
        """Return the spaces between the dash of a block sequence and its values."""
        last = sequence.items[-1]
        found = re.search(r"-( +)\Z", self.text[last.start - last.column : last.start])
        return found[1] if found else " "
