"""Answers a question from the documentation: which tables, what is said of them, how they are joined.

Nothing is generated: every statement repeats what one source says.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from tribal.answering.focus import Focus
from tribal.answering.statements import Statement, about_domain, statements
from tribal.capabilities.retrieval.join_path import get_join_path
from tribal.capabilities.retrieval.toolbox import Toolbox
from tribal.ports.tool import tokens_of
from tribal_contracts import DomainInfo, GetJoinPathInput, QuestionReading
from tribal_contracts.answering.answers import Answer, AnswerSource, AnswerStatement, AnswerVerdict

OFF_TOPIC = "This is not about anything that is documented here."


def answer_of(focus: Focus, domains: Sequence[DomainInfo], toolbox: Toolbox, max_tokens: int) -> Answer:
    """Answer a question from the documentation.

    Args:
        focus: what the question is about.
        domains: every domain, if the question asks what is documented.
        toolbox: has the keys.
        max_tokens: the size of statements and sources.
    """
    every = list(map(about_domain, domains)) or list(statements(focus))
    kept = _that_fit(every, max_tokens)
    stated, sources = numbered(kept)
    return Answer(
        success=True,
        tokens_used=0,
        verdict="answered" if domains else _verdict(focus),
        statements=stated,
        sources=sources,
        unexplained=[] if domains else list(focus.uncovered),
        reading=focus.context.reading,
        sql=None if domains else sql_of(focus, toolbox),
        warnings=list(focus.context.warnings) or None,
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


def sql_of(focus: Focus, toolbox: Toolbox) -> str | None:
    """A verified query that is still right, or SQL that joins the main tables; `None` for a single table."""
    current = next((query.sql for query in focus.context.defined.queries if query.status == "current"), None)
    if current is not None or len(focus.main) < 2:
        return current
    first, second, *also = focus.main
    wanted = GetJoinPathInput(source_table=first, target_table=second, also=also or None, question=focus.question)
    return get_join_path(wanted, toolbox).sql_snippet


def _verdict(focus: Focus) -> AnswerVerdict:
    defined = focus.context.defined
    if not (focus.is_named or defined.metrics or defined.terms or defined.queries):
        return "not_documented"
    return "partly" if focus.uncovered else "answered"


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
