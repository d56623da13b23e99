"""Questions about domains."""

from __future__ import annotations

from typing import Any

from tribal.describing.model.questions.prompting import Prompting
from tribal.describing.model.questions.question import Question
from tribal.describing.rules.phrases import clean_comment
from tribal.identity.table_names import TableIdentity, format_name
from tribal.ports import DomainContext
from tribal.rendering.prompt_data import data_json
from tribal.text_checks import Handle, ShownText

# Limits are a judgement: the most central tables show what a domain is about.
MAX_TABLES = 40
MAX_DESCRIPTION_CHARS = 200
MAX_SCHEMA_COMMENTS = 5


def domain_question(context: DomainContext, prompting: Prompting) -> Question:
    """The question for a domain's title and text; it shows the most central tables."""
    tables = context.tables[:MAX_TABLES]
    places = [TableIdentity.parse(name) for name, _ in tables]
    terms = [part for term in sorted(prompting.settings.terms.items()) for part in term]
    return Question(
        subject=context.domain,
        kind="domain",
        request_prefix=prompting.prefix,
        request_part=prompting.prompts.fill("domain.md", domain=data_json(_data(context))),
        max_tokens=prompting.max_tokens(0),
        handles={f"t{n}": Handle("table", (place.schema, place.table)) for n, place in enumerate(places, 1)},
        columns={},
        asks_text=True,
        shown=ShownText(
            others=tuple(place.table for place in places),
            human_text=tuple(terms),
            texts=(*(text for _, text in tables if text), *context.schema_comments),
        ),
        prompts=prompting.prompts,
        language=prompting.settings.language,
        is_strict=prompting.is_strict,
    )


def domain_key(context: DomainContext, prompting: Prompting) -> str:
    """SHA-256 over the question's data, prompts, model, language and terms, without the domain's name."""
    return prompting.key(_data(context))


def _data(context: DomainContext) -> dict[str, Any]:
    tables = {}
    for number, (name, text) in enumerate(context.tables[:MAX_TABLES], 1):
        place = TableIdentity.parse(name)
        said = clean_comment(text, MAX_DESCRIPTION_CHARS)
        tables[f"t{number}"] = [format_name((place.schema, place.table)), *([said] if said else [])]
    comments = [clean_comment(text, MAX_DESCRIPTION_CHARS) for text in context.schema_comments[:MAX_SCHEMA_COMMENTS]]
    return {"ask": {"title": True, "text": True}, "domain": tables} | ({"said": comments} if any(comments) else {})
