"""The events of a streamed answer, in both framings.

Source: chat specification, 3.1; AI SDK, UI message stream.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, RootModel

from tribal_contracts.answering.answers import AnswerVerdict
from tribal_contracts.chat.settings import Intent
from tribal_contracts.chat.state import GovernorVerdict
from tribal_contracts.core.shape import AgentError, Contract, Count, FullyQualifiedTableName, Unset, optional
from tribal_contracts.retrieval.questions import QuestionReading

FinishReason = Literal["stop", "content-filter", "length", "error"]


class ChatSource(Contract):
    """What a sentence cites."""

    source_filename: str
    source_path: str | Unset = optional("Extension: its path in the archive that it was uploaded in.")
    page_number: Annotated[int, Field(ge=1)]
    course_id: str
    source_id: str
    """Extension: the number that the text cites it by, from 1."""
    title: str
    """Extension."""
    url: str | Unset = optional("Extension: its address, for what is documented.")
    distance: float | Unset = optional("Extension: squared L2 distance to the question.")


class TextDelta(Contract):
    """A piece of the answer."""

    type: Literal["text-delta"] = "text-delta"
    textDelta: str  # noqa: N815 - the specification's name


class ReasoningDelta(Contract):
    """A step of the chat."""

    type: Literal["reasoning-delta"] = "reasoning-delta"
    reasoningDelta: str  # noqa: N815 - the specification's name


class SourcesEvent(Contract):
    """What the answer cites."""

    type: Literal["sources"] = "sources"
    sources: list[ChatSource]


class FinishEvent(Contract):
    """The end of the answer, exactly once. All fields but `type` are extensions."""

    type: Literal["finish"] = "finish"
    finish_reason: FinishReason
    error: AgentError | Unset = optional("Why it ended early.")
    governor: GovernorVerdict | Unset = optional("What the laws say; absent if it ended before.")
    intent: Intent | Unset = optional("What the question is for.")
    model_selected: str | Unset = optional("The model that answered; `extractive` for none.")
    dropped_sentences: Count = 0
    verdict: AnswerVerdict | Unset = optional("Whether the answer is whole; absent if it failed.")
    main_tables: list[FullyQualifiedTableName] | Unset = optional("The tables that the answer is about, if any.")
    unexplained: list[str] | Unset = optional("Words of the question that nothing documented explains.")
    reading: QuestionReading | Unset = optional("How the question was read.")
    warnings: list[str] | Unset = optional("What to know about the answer.")


class ChatEvent(
    RootModel[Annotated[TextDelta | ReasoningDelta | SourcesEvent | FinishEvent, Field(discriminator="type")]]
):
    """One event of the specification's framing."""


class WholeAnswer(Contract):
    """The answer to a request with `stream: false`."""

    text: str
    sources: list[ChatSource]
    finish: FinishEvent


class _Chunk(Contract):
    pass


class StartChunk(_Chunk):
    """The message begins."""

    type: Literal["start"] = "start"
    messageId: str  # noqa: N815 - the AI SDK's names, here and below


class PlainChunk(_Chunk):
    """A step begins or ends."""

    type: Literal["start-step", "finish-step"]


class PartChunk(_Chunk):
    """A part of text or reasoning begins or ends."""

    type: Literal["text-start", "text-end", "reasoning-start", "reasoning-end"]
    id: str


class DeltaChunk(_Chunk):
    """A piece of a part."""

    type: Literal["text-delta", "reasoning-delta"]
    id: str
    delta: str


class SourceUrlChunk(_Chunk):
    """A source with an address."""

    type: Literal["source-url"] = "source-url"
    sourceId: str  # noqa: N815
    url: str
    title: str


class SourceDocumentChunk(_Chunk):
    """A source that was uploaded."""

    type: Literal["source-document"] = "source-document"
    sourceId: str  # noqa: N815
    mediaType: str  # noqa: N815
    title: str
    filename: str
    providerMetadata: dict[str, dict[str, Any]]  # noqa: N815


class GovernorChunk(_Chunk):
    """What the laws say."""

    type: Literal["data-governor"] = "data-governor"
    data: GovernorVerdict


class ErrorChunk(_Chunk):
    """Why it ended early."""

    type: Literal["error"] = "error"
    errorText: str  # noqa: N815


class FinishChunk(_Chunk):
    """The end of the message, exactly once."""

    type: Literal["finish"] = "finish"
    finishReason: FinishReason  # noqa: N815
    messageMetadata: dict[str, Any] | Unset = optional()  # noqa: N815


class UiMessageChunk(
    RootModel[
        Annotated[
            StartChunk
            | PlainChunk
            | PartChunk
            | DeltaChunk
            | SourceUrlChunk
            | SourceDocumentChunk
            | GovernorChunk
            | ErrorChunk
            | FinishChunk,
            Field(discriminator="type"),
        ]
    ]
):
    """One chunk of the AI SDK's UI message stream, as far as this chat uses it."""
