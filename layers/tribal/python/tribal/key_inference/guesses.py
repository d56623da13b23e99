"""What one look at a catalog suggests: a pair of columns, how sure it is, and what it rests on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from tribal.identity.table_names import format_name, parse_name
from tribal.key_inference.overlap import KeyPair
from tribal_contracts import InferredKey, KeyEvidence, KeyEvidenceKind

LIKELY = 0.8
"""Keys of at least this confidence are published; others are guesses that only a question for a join is told."""
UNLIKELY = 0.6
"""Confidence of a key that would be likely, had its column not another that is as likely or likelier."""
_MOST = 0.98


@dataclass(frozen=True, slots=True)
class Guess:
    """A key that something suggests."""

    pair: KeyPair
    confidence: float
    evidence: tuple[KeyEvidence, ...]

    @property
    def is_likely(self) -> bool:
        """Whether it is sure enough to be published."""
        return self.confidence >= LIKELY


def guess(pair: KeyPair, confidence: float, kind: KeyEvidenceKind, of: str) -> Guess:
    """A guess that rests on one thing."""
    return Guess(pair, confidence, (KeyEvidence(kind=kind, of=of),))


def column_name(table: str, column: str) -> str:
    """A column's fully qualified name."""
    return format_name((*parse_name(table), column))


def merged(guesses: Iterable[Guess]) -> list[Guess]:
    """Each pair once, surer the more kinds of evidence it has."""
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
    """A guess as it is handed over."""
    pair = each.pair
    return InferredKey(
        from_table=pair.from_table,
        from_columns=list(pair.from_columns),
        to_table=pair.to_table,
        to_columns=list(pair.to_columns),
        confidence=each.confidence,
        evidence=list(each.evidence),
    )
