"""Describe domains."""

from __future__ import annotations

from tribal.describing.rules.phrases import SCHEMA_COMMENT_CHARS, clean_comment, sentence
from tribal.describing.rules.statements import commented, declared, description
from tribal.identity.table_names import TableIdentity
from tribal.ports import DomainContext
from tribal.rendering.words import listing
from tribal_contracts import Description

_CENTRAL_TABLES = 5
"""The most tables named in a domain's description; a judgement."""
# PostgreSQL's own comment on the schema public.
_EMPTY_COMMENTS = frozenset({"standard public schema"})


def describe_domain(context: DomainContext) -> Description:
    """Describe a domain by the comments of its schemas and its central tables."""
    comments = [clean_comment(comment, SCHEMA_COMMENT_CHARS) for comment in context.schema_comments]
    comment = " ".join(sentence(each) for each in dict.fromkeys(comments) if each and each not in _EMPTY_COMMENTS)
    summary = _summary(context)
    if comment:
        return commented(f"{comment} {summary}".strip())
    return description([declared(summary, "plan")])


def _summary(context: DomainContext) -> str:
    names = list(dict.fromkeys(_table(name) for name, _ in context.tables))
    return f"Holds {listing(names, limit=_CENTRAL_TABLES)}." if names else "No table is documented here."


def _table(name: str) -> str:
    try:
        return TableIdentity.parse(name).table
    except ValueError:
        return name
