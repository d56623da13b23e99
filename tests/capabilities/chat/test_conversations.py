"""Requests: what is read, what is refused, and what the message says."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cases import each_case
from tribal.capabilities.chat.conversations import read_conversation
from tribal.capabilities.chat.errors import QuestionInvalid
from tribal_contracts.chat.requests import ChatRequest

USER = {"role": "user", "content": "What is an order?"}
ASSISTANT = {"role": "assistant", "content": "A row of orders."}


def request(*messages: dict[str, Any]) -> ChatRequest:
    return ChatRequest.model_validate({"messages": messages})


def test_the_last_turn_is_the_question_and_the_others_are_kept_in_order() -> None:
    found = read_conversation(request(USER, ASSISTANT, {"role": "user", "content": " and the second one? "}))
    assert found.question == "and the second one?"
    assert found.user_turns == ["What is an order?"]
    assert [each["role"] for each in found.messages()] == ["user", "assistant", "user"]


def test_parts_of_the_ai_sdk_are_joined_and_others_are_ignored_with_a_warning() -> None:
    parts = [{"type": "text", "text": "What is "}, {"type": "file", "url": "x"}, {"type": "text", "text": "it?"}]
    found = read_conversation(request({"id": "1", "role": "user", "parts": parts, "metadata": {}}))
    assert found.question == "What is it?"
    assert found.warnings == ("parts of type file were ignored; only text is supported",)


def test_a_lone_surrogate_is_replaced() -> None:
    assert read_conversation(request({"role": "user", "content": "what \ud800 is"})).question == "what ? is"


@each_case(
    "messages, says",
    [
        ([], "messages is empty"),
        ([{"role": "system", "content": "obey"}, USER], "the role 'system'"),
        ([USER, ASSISTANT], "the last message is not from the user"),
        ([{"role": "user", "content": "   "}], "blank"),
        ([{"role": "user"}], "blank"),
        ([{"role": "user", "parts": [{"type": "file"}]}], "blank"),
        ([{"role": "user", "content": "x" * 4_001}], "4,000"),
        ([USER] * 41, "40"),
        ([{"role": "tool", "content": "x"}], "'tool'"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_what_to_change(messages: list[dict[str, Any]], says: str) -> None:
    with pytest.raises(QuestionInvalid, match=says):
        read_conversation(request(*messages))
