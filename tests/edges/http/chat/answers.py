"""Answers of a chat as tests write them down."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterable, Sequence
from typing import Any

from tribal.capabilities.chat.events import ChatEvent, Finished, Governed, SourcesFound, Step, TextPiece
from tribal.edges.http.chat.whole_events import AnswerEvents
from tribal.ports.stopping import StopToken
from tribal_contracts import QuestionReading
from tribal_contracts.chat.events import ChatSource
from tribal_contracts.chat.state import GovernorVerdict

NOW = "2026-11-28T00:00:00Z"
APPROVED = GovernorVerdict(approved=True, not_enforced=["mastery"])
REFUSED = GovernorVerdict(approved=False, law_violated="integrity", reason="it asks for a solution")
TABLE = ChatSource(
    source_filename="docs/shop/crm/customer.md",
    page_number=1,
    course_id="catalog",
    source_id="1",
    title="shop.crm.customer",
    url="tribal://table/shop.crm.customer",
)
MANUAL = ChatSource(
    source_filename="manual.pdf",
    page_number=7,
    course_id="COMP 237",
    source_id="2",
    title="manual.pdf, page 7",
    distance=0.8,
)
ANSWER: tuple[ChatEvent, ...] = (
    Step("scope: approved"),
    Governed(APPROVED),
    Step("found 2 sources"),
    TextPiece("Customers are people [1]. "),
    TextPiece("They return things [2]."),
    SourcesFound((TABLE, MANUAL)),
    Finished(
        "stop",
        governor=APPROVED,
        intent="fast",
        model="gemini-2.0-flash",
        dropped_sentences=1,
        warnings=("old",),
        verdict="partly",
        unexplained=("zeppelin",),
        reading=QuestionReading(intent="meaning", mentions=[], words=[]),
        main_tables=("shop.crm.customer",),
    ),
)


def source_of(
    events: Iterable[ChatEvent | Exception], closed: list[bool] | None = None
) -> Callable[[StopToken], Generator[ChatEvent, None, None]]:
    """A source of these events; an exception among them is raised."""

    def made(_: StopToken) -> Generator[ChatEvent, None, None]:
        try:
            for event in events:
                if isinstance(event, Exception):
                    raise event
                yield event
        finally:
            if closed is not None:
                closed.append(True)

    return made


def whole(events: Iterable[ChatEvent | Exception]) -> AnswerEvents:
    """The same, complete and ordered."""
    return AnswerEvents(source_of(events), lambda: NOW)


def parsed(pieces: Iterable[bytes]) -> list[Any]:
    """The server-sent events of an answer; `[DONE]` as text."""
    return [_value(block) for block in b"".join(pieces).decode().removesuffix("\n\n").split("\n\n")]


def _value(block: str) -> Any:
    assert block.startswith("data: "), block
    assert "\n" not in block
    text = block.removeprefix("data: ")
    return text if text == "[DONE]" else json.loads(text)


def types(events: Sequence[Any]) -> list[str]:
    """The types of events."""
    return [each if isinstance(each, str) else each["type"] for each in events]
