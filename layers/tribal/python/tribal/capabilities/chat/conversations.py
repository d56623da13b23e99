"""Read a request, which is untrusted data: the question and the conversation before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tribal.capabilities.chat.errors import QuestionInvalid
from tribal_contracts.chat.requests import MAX_MESSAGES, MAX_QUESTION_CHARS, ChatMessage, ChatRequest

_ROLES = ("user", "assistant")


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of the conversation before the question."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class Conversation:
    """A question and the turns before it."""

    question: str
    earlier: tuple[Turn, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def user_turns(self) -> list[str]:
        """Earlier questions of the user, oldest first."""
        return [turn.text for turn in self.earlier if turn.role == "user"]

    def messages(self) -> list[dict[str, Any]]:
        """Return all turns in the format of `AgentState`."""
        turns = (*self.earlier, Turn("user", self.question))
        return [{"role": turn.role, "content": turn.text} for turn in turns]


def read_conversation(request: ChatRequest) -> Conversation:
    """Return the conversation in a request.

    Raises:
        QuestionInvalid: when a role is unknown, the last message is not the user's, or a limit is exceeded.
    """
    if not request.messages:
        raise QuestionInvalid('messages is empty; send at least [{"role": "user", "content": "..."}]')
    if len(request.messages) > MAX_MESSAGES:
        raise QuestionInvalid(f"there are {len(request.messages)} messages; send at most the last {MAX_MESSAGES}")
    for number, message in enumerate(request.messages):
        if message.role not in _ROLES:
            raise QuestionInvalid(
                f"messages[{number}] has the role {message.role[:40]!r}; only user and assistant are allowed"
            )
    if request.messages[-1].role != "user":
        raise QuestionInvalid("the last message is not from the user; put the question last")
    turns = [Turn(message.role, _text(message)) for message in request.messages]
    question = turns[-1].text.strip()
    if not question:
        raise QuestionInvalid("the question is blank; write what you want to know")
    if len(question) > MAX_QUESTION_CHARS:
        raise QuestionInvalid(
            f"the question has {len(question):,} characters; shorten it to at most {MAX_QUESTION_CHARS:,}"
        )
    return Conversation(question, tuple(turns[:-1]), tuple(_ignored(request.messages)))


def _text(message: ChatMessage) -> str:
    if message.parts is None:
        text = message.content or ""
    else:
        pieces = [part.get("text") for part in message.parts if part.get("type") == "text"]
        text = "".join(piece for piece in pieces if isinstance(piece, str))
    # Lone surrogates cannot be sent on.
    return text.encode("utf-8", "replace").decode()


def _ignored(messages: Sequence[ChatMessage]) -> list[str]:
    kinds = {str(part.get("type"))[:40] for part in messages[-1].parts or () if part.get("type") != "text"}
    return [f"parts of type {', '.join(sorted(kinds))} were ignored; only text is supported"] if kinds else []
