"""Complete answers from a collection, for callers that do not stream. Source: docs/contracts.md, Chat."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tribal.answering.answer import refusal
from tribal.capabilities.chat.asking.chat import Chat
from tribal.capabilities.chat.errors import ChatFailed
from tribal.capabilities.chat.events import Finished, SourcesFound, TextPiece
from tribal.capabilities.chat.laws.integrity import order_to_change
from tribal.ports import Application, Caller, StopToken
from tribal_contracts import AgentError, agent_error
from tribal_contracts.answering.answers import Answer, AnswerSource, AnswerStatement
from tribal_contracts.chat.events import ChatSource
from tribal_contracts.chat.requests import ChatMessage, ChatRequest

_BLOCK = re.compile(r"^(?P<fence>`{3,})(?:sql)?\n(?P<text>.*?)^(?P=fence)$\n?", re.MULTILINE | re.DOTALL)
_MARKS = re.compile(r"(?:\[\d+\])+")
_MARK = re.compile(r"\[(\d+)\]")


def whole_answer(question: str, collection: str, caller: Caller, app: Application) -> Answer:
    """Ask a collection one question and wait for the answer. Raises the same errors as `Chat.open`.

    Raises:
        ChatFailed: when answering fails after the laws approved the question.
    """
    request = ChatRequest(messages=[ChatMessage(role="user", content=question)], collection=collection)
    text, finished = "", None
    sources: Sequence[ChatSource] = ()
    for event in Chat(caller, app).open(request).events(StopToken()):
        if isinstance(event, TextPiece):
            text += event.text
        elif isinstance(event, SourcesFound):
            sources = event.sources
        elif isinstance(event, Finished):
            finished = event
    assert finished is not None, "every answer ends"
    if finished.error is not None:
        raise ChatFailed(finished.error.message, code=finished.error.code)
    return _answer(text, sources, finished, app.clock.published())


def refusal_of_order(question: str) -> Answer | None:
    """Return a refusal if the question is an order to change data, otherwise `None`. Needs no collection."""
    verdict = order_to_change(question)
    return None if verdict.approved else refusal("integrity", verdict.reason or "")


def _answer(text: str, sources: Sequence[ChatSource], finished: Finished, now: str) -> Answer:
    verdict = finished.governor
    approved = verdict is None or verdict.approved
    block = _BLOCK.search(text)
    statements = list(_statements(_BLOCK.sub("", text), sources)) if approved else []
    return Answer(
        success=True,
        tokens_used=0,
        verdict=finished.verdict,
        statements=statements,
        sources=[_source(each) for each in sources],
        unexplained=list(finished.unexplained),
        main_tables=list(finished.main_tables) or None,
        reading=finished.reading,
        sql=block["text"].strip() if block else None,
        law_violated=None if verdict is None else verdict.law_violated,
        governor_reason=None if verdict is None else verdict.reason,
        warnings=[_warning(each, now) for each in finished.warnings] or None,
        total=len(statements) + finished.left_out,
        returned=len(statements),
        truncated=True if finished.left_out else None,
    )


def _statements(text: str, sources: Sequence[ChatSource]) -> Iterator[AnswerStatement]:
    """Yield the sentences of an answer that cite something, each with its sources."""
    titles = {each.source_id: each.title for each in sources}
    start = 0
    for found in _MARKS.finditer(text):
        numbers = [each for each in _MARK.findall(found.group()) if each in titles]
        said = " ".join(text[start : found.start()].split()).removeprefix("- ").strip()
        start = found.end()
        if numbers and said:
            yield AnswerStatement(text=said, about=titles[numbers[0]], sources=numbers)


def _source(source: ChatSource) -> AnswerSource:
    if source.url is not None:
        kind = "domain" if "/domains/" in source.url else "table"
        return AnswerSource(id=source.source_id, kind=kind, name=source.title, uri=source.url)
    return AnswerSource(
        id=source.source_id,
        kind="passage",
        name=source.title,
        uri=f"{source.source_path or source.source_filename}#page={source.page_number}",
        source_filename=source.source_filename,
        source_path=source.source_path,
        page_number=source.page_number,
        course_id=source.course_id,
        distance=source.distance,
    )


def _warning(text: str, now: str) -> AgentError:
    code, _, message = text.partition(": ")
    known = code if code.startswith("CHAT_") else "RET_ANSWER_PARTIAL"
    error = agent_error(known, message if known == code else text, timestamp=now)
    return error.model_copy(update={"severity": "warning"})
