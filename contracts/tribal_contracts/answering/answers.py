"""Input and output of `ask`. Extension contracts; docs/contracts.md says what the fields mean."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from tribal_contracts.core.shape import (
    AgentError,
    ClosedContract,
    Contract,
    Count,
    FullyQualifiedTableName,
    Unset,
    optional,
)
from tribal_contracts.retrieval.questions import QuestionReading
from tribal_contracts.retrieval.tools import ToolOutput

SourceKind = Literal["table", "domain", "join", "metric", "term", "query", "decision", "memory", "passage"]
AnswerVerdict = Literal["answered", "partly", "not_documented", "refused"]


class AskInput(ClosedContract):
    """A question to the documentation."""

    question: Annotated[str, Field(description="What you want to know, in plain words.")]
    database: str | Unset = optional("Only tables of this database.")
    domain: str | Unset = optional("Only tables of this business domain.")
    collection: str | Unset = optional("A collection of documents to ask, under its laws, instead of databases alone.")


class AnswerSource(Contract):
    """What a statement was taken from."""

    id: Annotated[str, Field(min_length=1)]
    kind: SourceKind
    name: str
    uri: str
    source_filename: str | Unset = optional("Of a passage: the file that it is from.")
    source_path: str | Unset = optional("Of a passage: the path of its file in the archive that it was uploaded in.")
    page_number: Count | Unset = optional("Of a passage: its page, from 1.")
    course_id: str | Unset = optional("Of a passage.")
    distance: float | Unset = optional("Of a passage: squared L2 distance to the question.")


class AnswerStatement(Contract):
    """One thing that the documentation says."""

    text: str
    """Plain text in one line."""
    about: str
    """The table, column, join, metric, term, query, decision or memory that it is about."""
    sources: list[str]
    """Ids in `Answer.sources`."""


class Answer(ToolOutput):
    """What the documentation says about a question, and what it does not say."""

    verdict: AnswerVerdict
    statements: list[AnswerStatement]
    sources: list[AnswerSource]
    unexplained: list[str]
    """Words of the question that nothing documented explains."""
    main_tables: list[FullyQualifiedTableName] | Unset = optional("The tables that the answer is about, if any.")
    reading: QuestionReading | Unset = optional("How the question was read.")
    sql: str | Unset = optional("A verified query that answers it, or a draft of the SQL.")
    law_violated: Literal["scope", "integrity", "mastery"] | Unset = optional("Of a refused question: the law.")
    governor_reason: str | Unset = optional("Of a refused question: why.")


class FailedAnswer(Contract):
    """Why a tool of interrogation failed."""

    success: Literal[False] = False
    tokens_used: Count
    error: AgentError
    warnings: list[AgentError] | Unset = optional("What to know about it.")
