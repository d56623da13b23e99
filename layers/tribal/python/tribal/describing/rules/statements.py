"""Statements of the rules, each with what it rests on, and descriptions made of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from tribal_contracts import Description, Evidence, EvidenceKind

FROM_COMMENT = 0.95
"""A person wrote it, though perhaps long ago."""
_CONFIDENCES: dict[EvidenceKind, float] = {"declared": 0.9, "seen": 0.7, "read": 0.55}
"""By judgement: labels for readers, of which only the order means something."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence, and what it rests on."""

    text: str
    kind: EvidenceKind
    of: str


def declared(text: str, of: str) -> Statement:
    """What the catalog declares, by a key, a type, a check, a default or a definition."""
    return Statement(text, "declared", of)


def seen(text: str) -> Statement:
    """What samples show."""
    return Statement(text, "seen", "samples")


def read(text: str, of: str = "name") -> Statement:
    """What a name tells of which no other reading is likely."""
    return Statement(text, "read", of)


def description(statements: Iterable[Statement]) -> Description:
    """A description of these statements: without any, the text is blank and the confidence 0."""
    said = list(statements)
    if not said:
        return Description(text="", source="derived", confidence=0.0)
    return Description(
        text=" ".join(each.text for each in said),
        source="derived",
        confidence=min(_CONFIDENCES[each.kind] for each in said),
        evidence=[_evidence(each.kind, each.of) for each in said],
    )


@cache
def _evidence(kind: EvidenceKind, of: str) -> Evidence:
    return Evidence(kind=kind, of=of)


def commented(text: str) -> Description:
    """A description taken from the database's own comment."""
    told = [_evidence("told", "comment")]
    return Description(text=text, source="comment", confidence=FROM_COMMENT, evidence=told)
