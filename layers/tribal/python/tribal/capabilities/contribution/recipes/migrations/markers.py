"""What migration tools read in a file besides SQL: lines that mark its parts, and signs that they act on.

Statements are on one line, so a text cannot begin a line and be taken for a marker.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

_MARKER = re.compile(
    r"^[ \t]*--[ \t]*(?P<tool>\+goose[ \t]+|\+migrate[ \t]+|migrate:)(?P<part>up|down)\b.*$",
    re.IGNORECASE | re.MULTILINE,
)
_NOT_A_LINE_BREAK = re.compile(r"[^\n]")


@dataclass(frozen=True, slots=True)
class Markers:
    """The lines that begin the parts of a file, and what else the tool must not see."""

    tool: str
    up: str
    down: str
    marks: tuple[str, ...] = ()


_TOOLS = {
    # They look for the semicolon that ends a line before the first `--`, also within a literal.
    "+goose": Markers("goose", "-- +goose Up", "-- +goose Down", ("--",)),
    "+migrate": Markers("sql-migrate", "-- +migrate Up", "-- +migrate Down", ("--",)),
    "migrate:": Markers("dbmate", "-- migrate:up", "-- migrate:down"),
}
PAIR_MARKS = (";",)
"""golang-migrate splits at every semicolon, also within literals, if it runs several statements."""


class MarkedText(NamedTuple):
    """A migration, of which only what runs forward is left; lines stay where they are."""

    text: str
    markers: Markers | None
    has_down: bool


def read_parts(text: str) -> MarkedText:
    """Find the markers in a file, and blank the parts that run backward."""
    pieces, position, is_down = [], 0, False
    markers, has_down = None, False
    for found in [*_MARKER.finditer(text), None]:
        end = found.start() if found else len(text)
        pieces.append(_NOT_A_LINE_BREAK.sub("", text[position:end]) if is_down else text[position:end])
        position = end
        if found:
            markers = _TOOLS[found["tool"].lower().strip()]
            is_down = found["part"].lower() == "down"
            has_down = has_down or is_down
    return MarkedText("".join(pieces), markers, has_down)


def write_parts(up: Sequence[str], down: Sequence[str], markers: Markers | None) -> str:
    """Write the text of a migration; `down` needs markers."""
    if markers is None:
        return "\n".join(up)
    lines = [markers.up, *up, *(["", markers.down, *down] if down else [])]
    return "\n".join(lines)
