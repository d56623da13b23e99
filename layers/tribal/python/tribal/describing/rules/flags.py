"""Describes flags: columns of the type boolean."""

from __future__ import annotations

from collections.abc import Iterator

from tribal.describing.rules.column_facts import ColumnFacts
from tribal.describing.rules.statements import Statement, declared, read
from tribal.describing.rules.verbs import INTRANSITIVE, is_participle

_ADJECTIVES = frozenset(
    """
    active inactive visible invisible public private internal external optional mandatory compulsory valid invalid open
    final temporary permanent automatic manual anonymous obsolete recurring recursive pending available unavailable
    exclusive inclusive confidential official unofficial reversible irreversible readable writable editable searchable
    billable taxable refundable returnable removable renewable reusable deductible negotiable payable
    """.split()
)
_DEFAULTS = {"true": "True", "false": "False"}


def describe_flag(facts: ColumnFacts) -> Iterator[Statement]:
    """What a flag says by its name, and what it is unless set."""
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
    return f"is {word}" if word in _ADJECTIVES or is_participle(word) else ""
