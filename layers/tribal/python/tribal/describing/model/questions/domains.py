"""Questions about domains."""

from __future__ import annotations

from typing import Any

from tribal.describing.model.questions.asking import Asking
from tribal.describing.model.questions.escaping import data_json
from tribal.describing.model.questions.question import Handle, Question, Shown
from tribal.describing.rules.phrases import clean_comment
from tribal.identity.table_names import TableIdentity, format_name
from tribal.ports import DomainContext

# Limits by judgement: the most central tables tell what a domain is about.
MAX_TABLES = 40
MAX_DESCRIPTION_CHARS = 200
MAX_SCHEMA_COMMENTS = 5


def domain_question(context: DomainContext, asking: Asking) -> Question:
    """The question for title and text of a domain, which shows its most central tables."""
    tables = context.tables[:MAX_TABLES]
    places = [TableIdentity.parse(name) for name, _ in tables]
    terms = [part for term in sorted(asking.settings.terms.items()) for part in term]
    return Question(
        subject=context.domain,
        kind="domain",
        request_prefix=asking.prefix,
        request_part=asking.prompts.fill("domain.md", domain=data_json(_data(context))),
        max_tokens=asking.max_tokens(0),
        handles={f"t{n}": Handle("table", (place.schema, place.table)) for n, place in enumerate(places, 1)},
        columns={},
        asks_text=True,
        shown=Shown(
            others=tuple(place.table for place in places),
            told=tuple(terms),
            texts=(*(text for _, text in tables if text), *context.schema_comments),
        ),
        prompts=asking.prompts,
        language=asking.settings.language,
    )


def domain_key(context: DomainContext, asking: Asking) -> str:
    """SHA-256 over all that the question shows, and prompts, model, language and terms; not over the domain's name."""
    return asking.key(_data(context))


def _data(context: DomainContext) -> dict[str, Any]:
    tables = {}
    for number, (name, text) in enumerate(context.tables[:MAX_TABLES], 1):
        place = TableIdentity.parse(name)
        said = clean_comment(text, MAX_DESCRIPTION_CHARS)
        tables[f"t{number}"] = [format_name((place.schema, place.table)), *([said] if said else [])]
    comments = [clean_comment(text, MAX_DESCRIPTION_CHARS) for text in context.schema_comments[:MAX_SCHEMA_COMMENTS]]
    return {"ask": {"title": True, "text": True}, "domain": tables} | ({"said": comments} if any(comments) else {})
