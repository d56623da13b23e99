"""Describe boolean columns."""

from __future__ import annotations

from collections.abc import Iterator

from tribal.describing.rules.column_facts import ColumnFacts
from tribal.describing.rules.statements import Statement, declared, read
from tribal.describing.rules.verbs import INTRANSITIVE, is_participle

# Pairs of opposites that almost anything can have.
_STATES = frozenset(
    """
    active inactive public private internal external optional mandatory valid invalid open final temporary permanent
    automatic manual anonymous official unofficial
    """.split()
)
_CAN_BE = ("able", "ible")
# Nouns with these endings.
_NOUNS = frozenset(
    """
    bible cable collectible constable consumable convertible crucible deductible deliverable disable enable fable gable
    intangible parable receivable stable syllable table tangible timetable turntable valuable variable vegetable
    """.split()
)
_DEFAULTS = {"true": "True", "false": "False"}


def describe_flag(facts: ColumnFacts) -> Iterator[Statement]:
    """What a flag's name means, and its default."""
    if facts.family != "boolean":
        return
    named = _named(facts.own_tokens)
    if named:
        yield read(f"Whether it {named}.")
    default = _DEFAULTS.get((facts.column.default_value or "").lower())
    if default is not None:
        yield declared(f"{default} unless set otherwise.", "default")


def _named(words: list[str]) -> str:
    if words[:1] == ["is"]:
        words = words[1:]
    if words[1:] and words[-1] in ("flag", "indicator"):
        words = words[:-1]
    if words == ["default"]:
        return "is the default"
    if len(words) != 1:
        return ""
    (word,) = words
    if word in INTRANSITIVE:
        return f"has {word}"
    return f"is {word}" if word in _STATES or _is_capability(word) or is_participle(word) else ""


def _is_capability(word: str) -> bool:
    """Whether a word names a capability: `reversible`."""
    return len(word) > 5 and word.endswith(_CAN_BE) and word not in _NOUNS
