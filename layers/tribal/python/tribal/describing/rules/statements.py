"""Statements with their evidence, and descriptions made of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from tribal_contracts import Description, Evidence, EvidenceKind

FROM_COMMENT = 0.95
"""A person wrote it, though perhaps long ago."""
_CONFIDENCES: dict[EvidenceKind, float] = {"declared": 0.9, "seen": 0.7, "read": 0.55}
"""A judgement: labels for readers; only their order matters."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence with its evidence."""

    text: str
    kind: EvidenceKind
    of: str


def declared(text: str, of: str) -> Statement:
    """A fact from the catalog: a key, a type, a check, a default or a definition."""
    return Statement(text, "declared", of)


def seen(text: str) -> Statement:
    """A fact from samples."""
    return Statement(text, "seen", "samples")


def read(text: str, of: str = "name") -> Statement:
    """A fact read from a name that has only one likely meaning."""
    return Statement(text, "read", of)


def description(statements: Iterable[Statement]) -> Description:
    """A description made of statements; without any, the text is blank and the confidence 0."""
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
    evidence = [_evidence("told", "comment")]
    return Description(text=text, source="comment", confidence=FROM_COMMENT, evidence=evidence)
