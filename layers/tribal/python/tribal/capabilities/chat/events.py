"""Events while a question is answered, in order. Each edge encodes them for its clients."""

from __future__ import annotations

from dataclasses import dataclass

from tribal_contracts import AgentError
from tribal_contracts.answering.answers import AnswerVerdict
from tribal_contracts.chat.events import ChatSource, FinishReason
from tribal_contracts.chat.settings import Intent
from tribal_contracts.chat.state import GovernorVerdict
from tribal_contracts.retrieval.questions import QuestionReading


@dataclass(frozen=True, slots=True)
class Step:
    """A line about what the chat does, such as which law approved. With `show_thinking`, also a model's thinking."""

    text: str


@dataclass(frozen=True, slots=True)
class Governed:
    """The verdict of the laws, which comes before any answer."""

    verdict: GovernorVerdict


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A piece of the answer, to append unchanged. It cites sources by number, such as [1]."""

    text: str


@dataclass(frozen=True, slots=True)
class SourcesFound:
    """The cited sources; sent at most once, before `Finished`."""

    sources: tuple[ChatSource, ...]


@dataclass(frozen=True, slots=True)
class Finished:
    """The end of an answer; always sent exactly once, as the last event."""

    reason: FinishReason
    governor: GovernorVerdict | None = None
    error: AgentError | None = None
    intent: Intent | None = None
    model: str | None = None
    """The provider's name for the model that answered; `extractive` if none did."""
    dropped_sentences: int = 0
    warnings: tuple[str, ...] = ()
    verdict: AnswerVerdict = "answered"
    """Whether the question was answered, in full or in part."""
    unexplained: tuple[str, ...] = ()
    """Words of the question that nothing explains."""
    reading: QuestionReading | None = None
    """How the question was interpreted; `None` without documentation."""
    main_tables: tuple[str, ...] = ()
    """Tables that the answer is about."""
    left_out: int = 0
    """Number of statements that did not fit into the answer."""

    @property
    def documented(self) -> bool:
        """Whether anything was found that answers the question."""
        return self.verdict != "not_documented"


ChatEvent = Step | Governed | TextPiece | SourcesFound | Finished
