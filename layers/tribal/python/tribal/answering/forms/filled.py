"""What a form of answer is filled with, and from what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from tribal.answering.statements import Statement
from tribal_contracts import GetJoinPathOutput, TableDocument
from tribal_contracts.answering.open_gaps import GapCategory


class Library(Protocol):
    """The documents and tools that forms use, as one caller sees them."""

    def table(self, name: str) -> TableDocument | None:
        """Return the document of a table by its qualified name; `None` for one that the caller may not see."""

    def has_area(self, word: str) -> bool:
        """Return whether a word is in the name of a database, a schema or a domain that the caller may see."""

    def join(self, tables: Sequence[str], question: str) -> GetJoinPathOutput:
        """Join two or more tables by the keys that a question means."""

    def fits(self, sql: str, database: str) -> bool:
        """Return whether a query fits the tables and the policies."""


@dataclass(frozen=True, slots=True)
class Lack:
    """Something that an answer needs, and that is not documented."""

    target: str
    """The table or column that should say it, by qualified name."""
    category: GapCategory
    text: str
    """What nothing says, as a sentence without capital and full stop."""
    blocks: bool = False
    """Whether there is no answer without it."""


@dataclass(frozen=True, slots=True)
class Filled:
    """A form as far as the documentation fills it."""

    statements: Sequence[Statement]
    """The answer, the most important first."""
    tables: Sequence[str]
    """The tables that it is about, by qualified name."""
    lacks: Sequence[Lack] = ()
    """What it needs and is not documented."""
    sql: str | None = None
    is_answered: bool = True
    """Whether what was asked is documented; if not, the statements say what is nearest."""
    words: frozenset[str] = field(default_factory=frozenset)
    """Words of the question that it explains, other than those in its tables."""
