"""Parts of an SQL text: which names and literals belong together, and literals replaced."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from tribal.sql.scanner import Token, TokenType


class Name(NamedTuple):
    """A column as an expression mentions it."""

    text: str
    qualifier: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a literal occurs: the type it is cast to, and the call and argument (from 0) that it is in."""

    cast: str = ""
    call: str = ""
    argument: int = 0


class Literal(NamedTuple):
    """A string or a number, and where it occurs."""

    token: Token
    place: Place


@dataclass(slots=True, eq=False)
class Segment:
    """Names and literals that belong together: operands of a comparison, arguments of a call, one selected value."""

    above: Segment | None = None
    linked: bool = True
    """Whether names here count for literals in the segment above, and names there for literals here."""
    names: list[Name] = field(default_factory=list)
    literals: list[Literal] = field(default_factory=list)
    is_column: bool = False
    """Whether it is a column of a SELECT or of VALUES; its names are then those that the result has."""

    def cut(self) -> None:
        """Make the segment a condition, whose operands are unrelated to the value that the condition decides."""
        self.linked = False


@dataclass(slots=True)
class Structure:
    """All segments of an SQL text; each comes after the one above it."""

    segments: list[Segment] = field(default_factory=list)
    tables: dict[str, str] = field(default_factory=dict)
    """Tables by their names and aliases."""
    broken: bool = False
    """Whether the text is over a limit or malformed, so that it is uncertain which names a literal belongs to."""

    def new(self, above: Segment | None = None, *, linked: bool = True) -> Segment:
        """Add an empty segment."""
        segment = Segment(above, linked=linked and above is not None)
        self.segments.append(segment)
        return segment


def replace_literals(sql: str, chosen: Iterable[tuple[Literal, str]]) -> str:
    """Replace literals, each by a word: a string by `'[word]'`, a number by `[word]`."""
    parts: list[str] = []
    position = 0
    for (token, _), word in sorted(chosen, key=lambda each: each[0].token.start):
        parts += (sql[position : token.start], f"'[{word}]'" if token.type is TokenType.STRING else f"[{word}]")
        position = token.end
    return "".join([*parts, sql[position:]])
