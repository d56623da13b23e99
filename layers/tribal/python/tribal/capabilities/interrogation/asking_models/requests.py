"""Requests to models about a session, of limited size, and the schemas of their answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tribal.capabilities.interrogation.parties import WitnessAnswer
from tribal.rendering.words import bounded
from tribal_contracts.answering.answers import AnswerSource
from tribal_contracts.answering.open_gaps import GAP_CATEGORIES
from tribal_contracts.interrogation.sessions import (
    MAX_ANSWER_CHARS,
    MAX_GAPS,
    MAX_QUESTION_CHARS,
    Gap,
    InterrogationSession,
)

EARLIER_CHARS, AUDITED_CHARS, GAP_CHARS = 1_200, 3_000, 400
"""Maximum characters of an earlier answer, of an audited one, and of a gap. By judgement: at most 20,000 tokens."""
CONTEXT_CHARS = 24_000
"""Maximum characters of the documentation for a witness. By judgement: about 8,000 tokens."""
_MOST_SOURCES, _MOST_NAME_CHARS = 60, 200
SEVERITIES = ("high", "medium", "low")


def _object(**properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": [*properties],
        "additionalProperties": False,
    }


def _list(items: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


_TEXT, _NUMBER = {"type": "string"}, {"type": "integer"}
QUESTION_SCHEMA = _object(question=_TEXT)
ANALYSIS_SCHEMA = _object(
    closed=_list(_NUMBER),
    gaps=_list(
        _object(
            category={"type": "string", "enum": [*GAP_CATEGORIES]},
            severity={"type": "string", "enum": [*SEVERITIES]},
            target=_TEXT,
            description=_TEXT,
        )
    ),
    ask_again={"type": "boolean"},
)
AUDIT_SCHEMA = _object(
    contradictions=_list(_object(first=_NUMBER, second=_NUMBER, description=_TEXT)),
    summary=_TEXT,
)
ANSWER_SCHEMA = _object(answer=_TEXT, sources=_list(_NUMBER))


def question_data(session: InterrogationSession) -> dict[str, Any]:
    """Return the request for the next question."""
    left = session.iteration_limit - session.current_iteration
    return {**_session_data(session, EARLIER_CHARS), "open_gaps": _gaps(session.open_gaps), "questions_left": left}


def analysis_data(session: InterrogationSession, question: str, answer: WitnessAnswer) -> dict[str, Any]:
    """Return the request to analyse an answer."""
    return {
        **_session_data(session, EARLIER_CHARS),
        "open_gaps": _gaps(session.open_gaps),
        "question": bounded(question, MAX_QUESTION_CHARS),
        "answer": bounded(answer.text, MAX_ANSWER_CHARS),
    }


def audit_data(session: InterrogationSession) -> dict[str, Any]:
    """Return the request to audit a session."""
    return {**_session_data(session, AUDITED_CHARS), "open_gaps": _gaps(session.open_gaps)}


def answer_data(question: str, documentation: str, sources: Sequence[AnswerSource]) -> dict[str, Any]:
    """Return the request to a witness."""
    shown = sources[:_MOST_SOURCES]
    return {
        "question": bounded(question, MAX_QUESTION_CHARS),
        "documentation": bounded(documentation, CONTEXT_CHARS),
        "sources": [
            {"n": n, "kind": each.kind, "name": each.name[:_MOST_NAME_CHARS]} for n, each in enumerate(shown, 1)
        ],
    }


def texts_of(data: object) -> Iterator[str]:
    """Yield all texts in a request."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, Mapping):
        for value in data.values():
            yield from texts_of(value)
    elif isinstance(data, Sequence):
        for value in data:
            yield from texts_of(value)


def _session_data(session: InterrogationSession, answer_chars: int) -> dict[str, Any]:
    asked = [
        {"n": pair.sequence, "question": pair.question, "answer": bounded(pair.answer, answer_chars)}
        for pair in session.qa_pairs
    ]
    return {"hypothesis": session.hypothesis.text, "asked": asked}


def _gaps(gaps: Sequence[Gap]) -> list[dict[str, Any]]:
    return [
        {
            "n": number,
            "category": gap.category,
            "severity": gap.severity,
            "target": gap.target or "",
            "description": bounded(gap.description, GAP_CHARS),
        }
        for number, gap in enumerate(gaps[:MAX_GAPS], 1)
    ]
