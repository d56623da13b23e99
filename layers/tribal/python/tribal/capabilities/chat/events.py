"""What happens while a question is answered, in order. Edges frame these events for their clients."""

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
    """A step of the chat itself, such as which law approved, in one line; with `show_thinking` a model's thinking."""

    text: str


@dataclass(frozen=True, slots=True)
class Governed:
    """The verdict of the laws, before any answer is generated."""

    verdict: GovernorVerdict


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A piece of the answer; pieces are concatenated as they are. It cites sources by number, such as [1]."""

    text: str


@dataclass(frozen=True, slots=True)
class SourcesFound:
    """What the answer cites; at most once, before `Finished`."""

    sources: tuple[ChatSource, ...]


@dataclass(frozen=True, slots=True)
class Finished:
    """The end, exactly once and last, whatever happens."""

    reason: FinishReason
    governor: GovernorVerdict | None = None
    error: AgentError | None = None
    intent: Intent | None = None
    model: str | None = None
    """The provider's name of the model that answered; `extractive` for none."""
    dropped_sentences: int = 0
    warnings: tuple[str, ...] = ()
    verdict: AnswerVerdict = "answered"
    """Whether anything was found that answers the question, and all of it."""
    unexplained: tuple[str, ...] = ()
    """Words of the question that nothing explains."""
    reading: QuestionReading | None = None
    """How the question was read; `None` without documentation."""
    main_tables: tuple[str, ...] = ()
    """The tables that the answer is about."""
    left_out: int = 0
    """Statements of the documentation that exceed the size of an answer."""

    @property
    def documented(self) -> bool:
        """Whether anything was found that answers the question."""
        return self.verdict != "not_documented"


ChatEvent = Step | Governed | TextPiece | SourcesFound | Finished
