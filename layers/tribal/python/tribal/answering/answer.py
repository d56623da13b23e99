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


def answer_of(parts: Sequence[tuple[Focus, Filled]], max_tokens: int) -> Answer:
    """Answer a question from the documentation.

    Args:
        parts: what each thing that it asks is about, and the form of its intent, in order.
        max_tokens: the size of statements and sources, shared equally between the parts.
    """
    said = [list(dict.fromkeys((*filled.statements, *remarks(focus, filled.tables)))) for focus, filled in parts]
    every = list(dict.fromkeys(each for one in said for each in one))
    kept = list(dict.fromkeys(each for one in said for each in _that_fit(one, max_tokens // len(parts))))
    stated, sources = numbered(kept)
    unexplained = [[word for word in focus.lacking(each.tables) if word not in each.words] for focus, each in parts]
    verdicts = {_verdict(filled, words) for (_, filled), words in zip(parts, unexplained, strict=True)}
    contexts = [focus.context for focus, _ in parts]
    warnings = {each.message: each for context in contexts for each in context.warnings}
    return Answer(
        success=True,
        tokens_used=0,
        verdict=verdicts.pop() if len(verdicts) == 1 else "partly",
        statements=stated,
        sources=sources,
        unexplained=list(dict.fromkeys(word for words in unexplained for word in words)),
        main_tables=list(dict.fromkeys(name for _, filled in parts for name in filled.tables)) or None,
        reading=_reading([each.reading for each in contexts if each.reading is not None]),
        sql=";\n\n".join(filled.sql for _, filled in parts if filled.sql) or None,
        warnings=list(warnings.values()) or None,
        total=len(every),
        returned=len(kept),
        truncated=True if len(kept) < len(every) else None,
    )


def _reading(parts: Sequence[QuestionReading]) -> QuestionReading | None:
    """The reading of all parts, with the intent of the first one."""
    if len(parts) < 2:
        return next(iter(parts), None)
    mentions = [mention for each in parts for mention in each.mentions]
    return parts[0].model_copy(update={"mentions": mentions, "words": [word for each in parts for word in each.words]})


def inventory(focus: Focus, domains: Sequence[DomainInfo]) -> Filled:
    """Say what is documented: every domain with a sentence."""
    words = frozenset(word.text for word in focus.asked)
    return Filled(list(map(about_domain, domains)), (), is_answered=bool(domains), words=words)


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
