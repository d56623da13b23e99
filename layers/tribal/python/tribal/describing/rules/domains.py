"""Describes domains."""

from __future__ import annotations

from tribal.catalog.identity import TableIdentity
from tribal.describing.rules.phrases import (
    FROM_COMMENT,
    LIKELY,
    SCHEMA_COMMENT_CHARS,
    clean_comment,
    derived,
    sentence,
)
from tribal.ports import DomainContext
from tribal.rendering.words import listing, plural_noun, row_noun
from tribal_contracts import Description

_CENTRAL_TABLES = 5
"""Tables that a domain's description names; by judgement, not measured."""
# The comment that PostgreSQL itself puts on the schema that every database has.
_EMPTY_COMMENTS = frozenset({"standard public schema"})


def describe_domain(context: DomainContext) -> Description:
    """Describe a domain by the comments of its schemas and its central tables."""
    comments = [clean_comment(comment, SCHEMA_COMMENT_CHARS) for comment in context.schema_comments]
    told = " ".join(
        sentence(comment) for comment in dict.fromkeys(comments) if comment and comment not in _EMPTY_COMMENTS
    )
    summary = _summary(context)
    if told:
        return Description(text=f"{told} {summary}".strip(), source="comment", confidence=FROM_COMMENT)
    return derived(summary, LIKELY)


def _summary(context: DomainContext) -> str:
    nouns = dict.fromkeys(plural_noun(row_noun(_table(name))) for name, _ in context.tables)
    if not nouns:
        return "No table is documented here."
    central = list(nouns)[:_CENTRAL_TABLES]
    left = len(nouns) - len(central)
    more = f" and {left} more" if left > 0 else ""
    listed = f"{', '.join(central)}{more}" if more else listing(central)
    return f"Holds {listed}."


def _table(name: str) -> str:
    try:
        return TableIdentity.parse(name).table
    except ValueError:
        return name
