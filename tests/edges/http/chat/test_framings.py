"""Both framings of an answer: valid, in order, and with one end, whatever the source of events does."""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Sequence
from functools import cache
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft7Validator

from tests.cases import each_case
from tests.edges.http.chat.answers import ANSWER, APPROVED, MANUAL, NOW, REFUSED, TABLE, parsed, source_of, types, whole
from tests.plugins.verify import examples
from tribal.capabilities.chat.errors import CollectionMismatch
from tribal.capabilities.chat.events import ChatEvent, Finished, Governed, SourcesFound, Step, TextPiece
from tribal.edges.http.chat.framings import specification_stream, ui_message_stream, whole_answer
from tribal.edges.http.chat.whole_events import GRACE_SECONDS, LAST_EVENTS, AnswerEvents
from tribal.errors import ServerBusy, TooManyRequests
from tribal.ports.stopping import StopToken
from tribal_contracts.chat.events import ChatEvent as SpecificationEvent
from tribal_contracts.chat.events import UiMessageChunk, WholeAnswer
from tribal_contracts.schemas import json_schema

HALF = TABLE.model_copy(update={"title": "\ud800"})
TEXTS = st.text(max_size=20) | st.sampled_from(["\ud800", "\x00", "\r\n\r\n", "data: [DONE]\n\n", "\u2028", "\u202e"])
REASONS = st.sampled_from(["stop", "content-filter", "length", "error"])
EVENTS = st.one_of(
    st.builds(Step, TEXTS),
    st.builds(TextPiece, TEXTS),
    st.builds(Governed, st.sampled_from([APPROVED, REFUSED])),
    st.builds(
        SourcesFound,
        st.lists(st.sampled_from([TABLE, MANUAL, HALF]), max_size=3).map(tuple),
    ),
    st.builds(Finished, REASONS, model=st.none() | TEXTS, warnings=st.lists(TEXTS, max_size=2).map(tuple)),
    st.sampled_from([ValueError("secret 4711"), CollectionMismatch("other vectors"), StopIteration()]),
    st.just(object()),
)
SOURCES = st.lists(EVENTS, max_size=12)
SPECIFIED = r"(reasoning-delta )*(text-delta )*(sources )?finish "
UI = (
    r"start start-step (source-(url|document) )*"
    r"(reasoning-start (reasoning-delta |source-(url|document) )+reasoning-end )?(source-(url|document) )*"
    r"(text-start (text-delta |source-(url|document) )+text-end )?"
    r"(source-(url|document) )*(data-governor )?(error )?finish-step finish \[DONE\] "
)


@cache
def validator(name: str) -> Draft7Validator:
    return Draft7Validator(json_schema(name))


def framed(events: Sequence[Any], framing: str = "specification") -> list[Any]:
    made = whole(events)
    if framing == "specification":
        return parsed(specification_stream(made, StopToken()))
    return parsed(ui_message_stream(made, "m-1", StopToken()))


@settings(max_examples=examples(50, 600))
@given(SOURCES)
def test_the_specifications_events_are_valid_and_in_order_whatever_the_source_does(events: list[Any]) -> None:
    seen = framed(events)
    assert re.fullmatch(SPECIFIED, "".join(f"{each} " for each in types(seen)))
    check = validator("chat-event")
    for each in seen:
        check.validate(each)
        SpecificationEvent.model_validate(each)
    assert ("error" in seen[-1]) == (seen[-1]["finish_reason"] == "error")
    assert "4711" not in json.dumps(seen)


@settings(max_examples=examples(50, 600))
@given(SOURCES)
def test_the_chunks_of_the_ai_sdk_are_valid_and_in_order_whatever_the_source_does(events: list[Any]) -> None:
    seen = framed(events, "ui")
    assert re.fullmatch(UI, "".join(f"{each} " for each in types(seen)))
    check = validator("ui-message-chunk")
    for each in seen[:-1]:
        check.validate(each)
        UiMessageChunk.model_validate(each)
    assert ("error" in types(seen)) == (seen[-2]["finishReason"] == "error")
    assert "4711" not in json.dumps(seen)


@settings(max_examples=examples(50, 300))
@given(SOURCES)
def test_both_framings_and_the_whole_answer_have_the_same_text_sources_and_end(events: list[Any]) -> None:
    specified, chunks = framed(events), framed(events, "ui")
    (body,) = whole_answer(whole(events), StopToken())
    answer = json.loads(body)
    WholeAnswer.model_validate(answer)
    validator("chat-answer").validate(answer)
    text = "".join(each["textDelta"] for each in specified if each["type"] == "text-delta")
    assert text == "".join(each["delta"] for each in chunks[:-1] if each["type"] == "text-delta") == answer["text"]
    sources: list[Any] = next((each["sources"] for each in specified if each["type"] == "sources"), [])
    assert sources == answer["sources"]
    assert len(sources) == len([each for each in chunks[:-1] if each["type"].startswith("source-")])
    assert specified[-1] == answer["finish"]


def test_an_answer_in_the_specifications_framing() -> None:
    assert framed(ANSWER) == [
        {"type": "reasoning-delta", "reasoningDelta": "scope: approved\n"},
        {"type": "reasoning-delta", "reasoningDelta": "found 2 sources\n"},
        {"type": "text-delta", "textDelta": "Customers are people [1]. "},
        {"type": "text-delta", "textDelta": "They return things [2]."},
        {
            "type": "sources",
            "sources": [
                {
                    "source_filename": "docs/shop/crm/customer.md",
                    "page_number": 1,
                    "course_id": "catalog",
                    "source_id": "1",
                    "title": "shop.crm.customer",
                    "url": "tribal://table/shop.crm.customer",
                },
                {
                    "source_filename": "manual.pdf",
                    "page_number": 7,
                    "course_id": "COMP 237",
                    "source_id": "2",
                    "title": "manual.pdf, page 7",
                    "distance": 0.8,
                },
            ],
        },
        {
            "type": "finish",
            "finish_reason": "stop",
            "governor": {"approved": True, "not_enforced": ["mastery"]},
            "intent": "fast",
            "model_selected": "gemini-2.0-flash",
            "dropped_sentences": 1,
            "verdict": "partly",
            "main_tables": ["shop.crm.customer"],
            "unexplained": ["zeppelin"],
            "reading": {"intent": "meaning", "mentions": [], "words": []},
            "warnings": ["old"],
        },
    ]


def test_an_answer_in_the_framing_of_the_ai_sdk() -> None:
    seen = framed(ANSWER, "ui")
    assert seen[:3] == [
        {"type": "start", "messageId": "m-1"},
        {"type": "start-step"},
        {"type": "reasoning-start", "id": "reasoning-0"},
    ]
    assert seen[5:8] == [
        {"type": "reasoning-end", "id": "reasoning-0"},
        {"type": "text-start", "id": "text-0"},
        {"type": "text-delta", "id": "text-0", "delta": "Customers are people [1]. "},
    ]
    assert seen[9:] == [
        {
            "type": "source-url",
            "sourceId": "1",
            "url": "tribal://table/shop.crm.customer",
            "title": "shop.crm.customer",
        },
        {
            "type": "source-document",
            "sourceId": "2",
            "mediaType": "application/pdf",
            "title": "manual.pdf, page 7",
            "filename": "manual.pdf",
            "providerMetadata": {"tribal": {"page_number": 7, "course_id": "COMP 237", "distance": 0.8}},
        },
        {"type": "text-end", "id": "text-0"},
        {"type": "data-governor", "data": {"approved": True, "not_enforced": ["mastery"]}},
        {"type": "finish-step"},
        {
            "type": "finish",
            "finishReason": "stop",
            "messageMetadata": {
                "intent": "fast",
                "model": "gemini-2.0-flash",
                "droppedSentences": 1,
                "verdict": "partly",
                "mainTables": ["shop.crm.customer"],
                "unexplained": ["zeppelin"],
                "reading": {"intent": "meaning", "mentions": [], "words": []},
                "warnings": ["old"],
            },
        },
        "[DONE]",
    ]


def test_a_refusal_has_the_reason_as_text_and_no_error() -> None:
    events = [Governed(REFUSED), TextPiece("It asks for a solution."), Finished("content-filter", governor=REFUSED)]
    assert types(framed(events)) == ["text-delta", "finish"]
    assert framed(events)[-1]["governor"]["law_violated"] == "integrity"
    chunks = framed(events, "ui")
    assert (chunks[-2]["finishReason"], "error" in types(chunks)) == ("content-filter", False)


@each_case(
    ("failure", "code"),
    [(CollectionMismatch("other vectors"), "CHAT_COLLECTION_MISMATCH"), (ZeroDivisionError("4711"), "CHAT_INTERNAL")],
)
def test_a_failure_is_the_end_of_the_answer_and_what_came_before_stays(failure: Exception, code: str) -> None:
    events = [Governed(APPROVED), TextPiece("Half of "), failure]
    *before, finish = framed(events)
    assert types(before) == ["text-delta"]
    assert (finish["finish_reason"], finish["error"]["code"], finish["error"]["timestamp"]) == ("error", code, NOW)
    assert finish["governor"]["approved"]
    chunks = framed(events, "ui")
    assert types(chunks)[-7:] == ["text-delta", "text-end", "data-governor", "error", "finish-step", "finish", "[DONE]"]
    assert chunks[-4]["errorText"] == finish["error"]["message"]


def test_a_source_that_continues_after_its_end_is_closed() -> None:
    closed: list[bool] = []
    source = source_of([Finished("stop"), TextPiece("more"), Finished("error")], closed)
    seen = parsed(specification_stream(AnswerEvents(source, lambda: NOW), StopToken()))
    assert (types(seen), seen[0]["finish_reason"], closed) == (["finish"], "stop", [True])


def test_an_answer_that_fails_while_it_is_closed_has_one_end() -> None:
    def source(_: StopToken) -> Generator[ChatEvent, None, None]:
        try:
            yield Finished("stop")
        finally:
            raise ValueError("late")

    assert types(parsed(specification_stream(AnswerEvents(source, lambda: NOW), StopToken()))) == ["finish"]


@each_case("framing", ["specification", "ui", "whole"])
def test_closing_a_stream_closes_the_source(framing: str) -> None:
    closed: list[bool] = []
    events = AnswerEvents(source_of(ANSWER, closed), lambda: NOW)
    made = {
        "specification": specification_stream(events, StopToken()),
        "ui": ui_message_stream(events, "m", StopToken()),
        "whole": whole_answer(events, StopToken()),
    }[framing]
    for _ in range(1 if framing == "whole" else 4):
        next(made)
    made.close()
    assert closed == [True]


def pieces_until_stopped(stop: StopToken, source: Any, after: int) -> list[Any]:
    made = specification_stream(AnswerEvents(source, lambda: NOW), stop)
    pieces = [next(made) for _ in range(after)]
    stop.request(ServerBusy("the server is stopping; try again in a moment"))
    return parsed([*pieces, *made])


def test_a_source_that_ignores_a_stop_is_ended_with_its_cause() -> None:
    taken: list[int] = []

    def source(_: StopToken) -> Generator[ChatEvent, None, None]:
        while True:
            taken.append(1)
            yield TextPiece("x")

    seen = pieces_until_stopped(StopToken(), source, 3)
    assert types(seen) == ["text-delta"] * 3 + ["finish"]
    assert (seen[-1]["error"]["code"], seen[-1]["error"]["recoverable"]) == ("HTTP_BUSY", True)
    assert len(taken) < LAST_EVENTS + 10


def test_a_source_that_is_stopped_may_say_how_it_ended() -> None:
    def source(stop: StopToken) -> Generator[ChatEvent, None, None]:
        while not stop.requested:
            yield TextPiece("x")
        yield TextPiece("never shown")
        yield Finished("length", model="m")

    seen = pieces_until_stopped(StopToken(), source, 2)
    assert types(seen) == ["text-delta"] * 2 + ["finish"]
    assert (seen[-1]["finish_reason"], seen[-1]["model_selected"]) == ("length", "m")


def test_a_source_that_raises_because_it_was_stopped_names_the_cause() -> None:
    def source(stop: StopToken) -> Generator[ChatEvent, None, None]:
        while True:
            yield TextPiece("x")
            if stop.requested:
                raise ConnectionError("the connection was closed")

    assert pieces_until_stopped(StopToken(), source, 2)[-1]["error"]["code"] == "HTTP_BUSY"


def test_an_answer_that_outlasts_its_deadline_is_ended() -> None:
    left = [10.0]

    def source(_: StopToken) -> Generator[ChatEvent, None, None]:
        while True:
            left[0] -= 4
            yield TextPiece("x")

    seen = parsed(specification_stream(AnswerEvents(source, lambda: NOW), StopToken(lambda: left[0])))
    assert len(seen) == 1 + (10 + GRACE_SECONDS) // 4
    assert "chat.answer_seconds" in seen[-1]["error"]["message"]


def test_errors_of_the_server_keep_their_code() -> None:
    assert framed([TooManyRequests("too many")])[-1]["error"]["code"] == "HTTP_TOO_MANY_REQUESTS"


@each_case(
    ("name", "kind"),
    [
        ("a.PDF", "application/pdf"),
        ("a.md", "text/markdown"),
        ("a", "application/octet-stream"),
        ("pdf.", "application/octet-stream"),
    ],
)
def test_uploads_have_the_media_type_of_their_names(name: str, kind: str) -> None:
    source = MANUAL.model_copy(update={"source_filename": name})
    chunks = framed([SourcesFound((source,)), Finished("stop")], "ui")
    assert next(each["mediaType"] for each in chunks if each["type"] == "source-document") == kind
