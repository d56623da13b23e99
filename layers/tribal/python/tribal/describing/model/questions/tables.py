"""Questions about tables."""

from __future__ import annotations

from dataclasses import dataclass

from tribal.describing.model.questions.prompts import Prompts
from tribal.describing.model.questions.question import Question
from tribal.ports import TableContext, TableDescription
from tribal_contracts import ModelSettings

MAX_COLUMNS = 40
"""Columns that one question asks for."""


@dataclass(frozen=True, slots=True)
class Asking:
    """What is the same for all questions of a run."""

    prompts: Prompts
    settings: ModelSettings
    model: str
    """`LanguageModel.name`, such as `anthropic/claude-haiku-5-5`."""
    thinking_tokens: int = 0
    """Room for thinking in `max_tokens`, where the model cannot stop it."""


def table_questions(
    context: TableContext, rules: TableDescription, asking: Asking, *, with_samples: bool = True
) -> list[Question]:
    """The questions about what is open in a table; none if nothing is.

    Open is what no person and no comment describes and, of columns, what rules do not know as declared or seen. The
    first question asks for the table's own text; each asks for at most `MAX_COLUMNS` columns.
    """
    raise NotImplementedError


def question_key(context: TableContext, rules: TableDescription, asking: Asking) -> str:
    """SHA-256 over all that the questions show except samples and counts, and prompts, model, language and terms."""
    raise NotImplementedError


def halved(question: Question) -> list[Question]:
    """Two questions that together ask for the same; empty if the question asks for one thing alone."""
    raise NotImplementedError


def without_samples(question: Question) -> Question:
    """The same question without samples."""
    raise NotImplementedError
