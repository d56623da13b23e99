"""Answers a question from the documentation: which tables, what is said of them, how they are joined.

Nothing is generated: every statement repeats what one source says.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from tribal.answering.focus import Focus
from tribal.answering.forms.filled import Filled
from tribal.answering.statements import Statement, about_domain, remarks
from tribal.ports.tool import tokens_of
from tribal_contracts import DomainInfo, QuestionReading
from tribal_contracts.answering.answers import Answer, AnswerSource, AnswerStatement, AnswerVerdict

OFF_TOPIC = "This is not about anything that is documented here."


def answer_of(focus: Focus, filled: Filled, max_tokens: int) -> Answer:
    """Answer a question from the documentation.

    Args:
        focus: what the question is about.
        filled: the form of its intent.
        max_tokens: the size of statements and sources.
    """
    every = list(dict.fromkeys((*filled.statements, *remarks(focus, filled.tables))))
    kept = _that_fit(every, max_tokens)
    stated, sources = numbered(kept)
    unexplained = [word for word in focus.lacking(filled.tables) if word not in filled.words]
    return Answer(
        success=True,
        tokens_used=0,
        verdict=_verdict(filled, unexplained),
        statements=stated,
        sources=sources,
        unexplained=unexplained,
        main_tables=list(filled.tables) or None,
        reading=focus.context.reading,
        sql=filled.sql,
        warnings=list(focus.context.warnings) or None,
        total=len(every),
        returned=len(kept),
        truncated=True if len(kept) < len(every) else None,
    )


def inventory(domains: Sequence[DomainInfo], reading: QuestionReading | None, max_tokens: int) -> Answer:
    """Answer what is documented: every domain with a sentence."""
    every = list(map(about_domain, domains))
    kept = _that_fit(every, max_tokens)
    stated, sources = numbered(kept)
    return Answer(
        success=True,
        tokens_used=0,
        verdict="answered" if every else "not_documented",
        statements=stated,
        sources=sources,
        unexplained=[],
        reading=reading,
        total=len(every),
        returned=len(kept),
        truncated=True if len(kept) < len(every) else None,
    )


def refusal(law: Literal["scope", "integrity"], reason: str, reading: QuestionReading | None = None) -> Answer:
    """Refuse a question by a law."""
    return Answer(
        success=True,
        tokens_used=0,
        verdict="refused",
        statements=[],
        sources=[],
        unexplained=[],
        reading=reading,
        law_violated=law,
        governor_reason=reason,
        total=0,
        returned=0,
    )


def _verdict(filled: Filled, unexplained: Sequence[str]) -> AnswerVerdict:
    if not filled.is_answered:
        return "not_documented"
    return "partly" if unexplained or filled.lacks else "answered"


def _that_fit(every: Sequence[Statement], max_tokens: int) -> list[Statement]:
    """The first statements, as many as fit with their sources."""
    kept: list[Statement] = []
    sources: set[tuple[str, str]] = set()
    left = max_tokens
    for each in every:
        size = len(f'{{"text":"{each.text}","about":"{each.about}","sources":["12"]}},'.encode())
        if (each.kind, each.source) not in sources:
            size += len(f'{{"id":"12","kind":"{each.kind}","name":"{each.source}","uri":"{each.uri}"}},'.encode())
        left -= tokens_of(size)
        if left < 0:
            break
        sources.add((each.kind, each.source))
        kept.append(each)
    return kept


def numbered(found: Iterable[Statement]) -> tuple[list[AnswerStatement], list[AnswerSource]]:
    """Statements with the ids of their sources, and the sources, each once and numbered from 1."""
    sources: dict[tuple[str, str], AnswerSource] = {}
    stated = []
    for each in found:
        source = AnswerSource(id=str(len(sources) + 1), kind=each.kind, name=each.source, uri=each.uri)
        source = sources.setdefault((each.kind, each.source), source)
        stated.append(AnswerStatement(text=each.text, about=each.about, sources=[source.id]))
    return stated, list(sources.values())
