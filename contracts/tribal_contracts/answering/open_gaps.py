"""The gaps that questions found and no one has closed: a projection of sessions, exams and marks.

Extension contracts.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from tribal_contracts.core.camel import CamelContract
from tribal_contracts.core.shape import ContentHash, ISOTimestamp, Text, Unset, optional

GapCategory = Literal["missing_information", "ambiguity", "inconsistency", "vagueness"]
GapSeverity = Literal["low", "medium", "high"]
GAP_CATEGORIES: tuple[GapCategory, ...] = ("missing_information", "ambiguity", "inconsistency", "vagueness")

MAX_TARGETS = 10_000
MAX_TEXTS = 20
"""Questions of a gap whose text is kept; of the others only a key."""
MAX_OTHERS = 5_000
"""As many as an exam has questions; more are not counted."""
MAX_MARKED_TABLES = 10
"""Tables of an answer that is marked as wrong: as many as an answer uses."""
BLOCKING: frozenset[GapSeverity] = frozenset(("high", "medium"))
"""A question with such a gap is not answered."""


class SchemaOfDatabase(CamelContract):
    """One schema of one database."""

    database: Text
    schema_name: Text


class SessionScope(CamelContract):
    """Extension: what the session may read; without either field, everything."""

    databases: list[Text] | Unset = optional("Whole databases.")
    schemas: list[SchemaOfDatabase] | Unset = optional("Single schemas, in addition.")


class GapQuestion(CamelContract):
    """A question that found a gap. Callers who may not see it only learn that it exists."""

    key: str
    """Identifies the question within its scope."""
    text: Text
    """Cut if it is long."""
    severity: GapSeverity
    description: Text
    """What the question found missing; it may quote the question."""
    from_exam: bool
    """Exam questions are shown in static sites, hypotheses of sessions never."""
    owner: str | Unset = optional("Who asked it.")
    scope: SessionScope | Unset = optional("What it may read; without it, everything.")
    mark: str | Unset = optional("Of a question whose answer was marked wrong: the id of the mark.")
    marked_at: ISOTimestamp | Unset = optional("When it was marked, by `owner`.")


class OpenGap(CamelContract):
    """What is missing about one target, of one category, and the questions that it concerns."""

    target: Text
    """A table `database.schema.table`, a column `database.schema.table.column`, or `word:` and a word."""
    category: GapCategory
    target_hash: ContentHash | Unset = optional(
        "Hash of what the target's document said; a gap whose target says something else now is closed. Not of words."
    )
    questions: Annotated[list[GapQuestion], Field(max_length=MAX_TEXTS)]
    """The most severe first."""
    others: Annotated[dict[str, GapSeverity], Field(max_length=MAX_OTHERS)]
    """More questions: the severity by key. For a caller, also those that are hidden."""

    @property
    def blocked(self) -> set[str]:
        """The keys of the questions that are not answered because of it."""
        shown = {each.key: each.severity for each in self.questions}
        return {key for key, severity in (self.others | shown).items() if severity in BLOCKING}


class OpenGaps(CamelContract):
    """Every open gap, those that block most questions first. File: `sessions/open-gaps.json`."""

    schema_version: Literal["1.0"]
    manifest_hash: ContentHash | Unset = optional("The documentation with which the hashes were compared last.")
    gaps: Annotated[list[OpenGap], Field(max_length=MAX_TARGETS)]
