"""One suggested key: a pair of columns, a confidence, and the evidence for it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from tribal.identity.table_names import format_name, parse_name
from tribal.key_inference.overlap import KeyPair
from tribal_contracts import InferredKey, KeyEvidence, KeyEvidenceKind

LIKELY = 0.8
"""Keys of at least this confidence are published; weaker guesses are used only to answer a question about a join."""
UNLIKELY = 0.6
"""Confidence of a key that would be likely if its column had no equally likely or likelier one."""
_MOST = 0.98


@dataclass(frozen=True, slots=True)
class Guess:
    """A suggested key."""

    pair: KeyPair
    confidence: float
    evidence: tuple[KeyEvidence, ...]

    @property
    def is_likely(self) -> bool:
        """Whether the confidence is high enough to publish it."""
        return self.confidence >= LIKELY


def guess(pair: KeyPair, confidence: float, kind: KeyEvidenceKind, of: str) -> Guess:
    """A guess with one piece of evidence."""
    return Guess(pair, confidence, (KeyEvidence(kind=kind, of=of),))


def column_name(table: str, column: str) -> str:
    """A column's fully qualified name."""
    return format_name((*parse_name(table), column))


def merged(guesses: Iterable[Guess]) -> list[Guess]:
    """Each pair once, with more confidence for more kinds of evidence."""
    by_pair: defaultdict[KeyPair, list[Guess]] = defaultdict(list)
    for each in guesses:
        by_pair[each.pair].append(each)
    return [_merged(some) for some in by_pair.values()]


def _merged(some: list[Guess]) -> Guess:
    if len(some) == 1:
        return some[0]
    best: dict[str, Guess] = {}
    certain = [each for each in some if each.is_likely] or [max(some, key=lambda each: each.confidence)]
    for each in sorted(certain, key=lambda each: (-each.confidence, each.evidence[0].of)):
        best.setdefault(each.evidence[0].kind, each)
    doubt = 1.0
    for each in best.values():
        doubt *= 1 - each.confidence
    evidence = tuple(one for each in best.values() for one in each.evidence)
    return Guess(some[0].pair, round(min(_MOST, 1 - doubt), 2), evidence)


def inferred_key(each: Guess) -> InferredKey:
    """Convert a guess to the contract."""
    pair = each.pair
    return InferredKey(
        from_table=pair.from_table,
        from_columns=list(pair.from_columns),
        to_table=pair.to_table,
        to_columns=list(pair.to_columns),
        confidence=each.confidence,
        evidence=list(each.evidence),
    )
