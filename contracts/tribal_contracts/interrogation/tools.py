"""Inputs and outputs of the tools of interrogation, besides `ask`. Extension contracts."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from tribal_contracts.answering.open_gaps import MAX_MARKED_TABLES
from tribal_contracts.core.camel import ClosedCamelContract
from tribal_contracts.core.shape import FullyQualifiedTableName, Unset, optional
from tribal_contracts.interrogation.marks import MAX_WHY_CHARS
from tribal_contracts.interrogation.sessions import (
    MAX_HYPOTHESIS_CHARS,
    AuditResult,
    InterrogationSession,
    QuestionAnswerPair,
    SessionListItem,
    SessionStatus,
)
from tribal_contracts.retrieval.tools import ToolOutput

MOST_LISTED = 100
"""The most sessions on a page."""

_Id = Annotated[str, Field(description="The id of a session.")]


class StartInterrogationInput(ClosedCamelContract):
    """A hypothesis for the detective."""

    hypothesis: str = Field(description="The question or statement to examine, in plain words.")
    iteration_limit: int | Unset = optional("The most questions, 5 to 20; unset, as configured.")
    database: str | Unset = optional("Only tables of this database.")
    domain: str | Unset = optional("Only tables of this business domain.")


class StartInterrogationOutput(ToolOutput):
    """A session that was started; offline it has ended by then."""

    session_id: str = Field(alias="sessionId")
    status: SessionStatus
    iteration_limit: int = Field(alias="iterationLimit")
    hypothesis: str
    audit_result: AuditResult | Unset = optional("Of a completed session.", alias="auditResult")
    interim_audit: AuditResult | Unset = optional("Of one that ended otherwise.", alias="interimAudit")


class StopInterrogationInput(ClosedCamelContract):
    """Which session to stop."""

    session_id: _Id


class StopInterrogationOutput(ToolOutput):
    """A session that has ended, or stops before its next question."""

    session_id: str = Field(alias="sessionId")
    status: SessionStatus
    stopping: bool
    """Whether it still runs, and stops before its next question."""


class GetInterrogationInput(ClosedCamelContract):
    """Which session to read."""

    session_id: _Id
    cursor: str | Unset = optional("`nextCursor` of an earlier answer.")


class SessionWithoutPairs(InterrogationSession):
    """Every field of a session except its questions and answers."""

    qa_pairs: list[QuestionAnswerPair] = Field(default_factory=list, exclude=True)


class GetInterrogationOutput(ToolOutput):
    """A session, and a page of its questions and answers."""

    session: SessionWithoutPairs | Unset = optional("The session; only on the first page.")
    qa_pairs: list[QuestionAnswerPair] = Field(alias="qaPairs")
    next_cursor: str | Unset = optional("Pass it as `cursor` for the pairs that are still to come.", alias="nextCursor")


class ListInterrogationsInput(ClosedCamelContract):
    """Which sessions to list."""

    status: SessionStatus | Unset = optional("Only sessions of this status.")
    limit: int = Field(default=20, description=f"How many sessions to return, 1 to {MOST_LISTED}.")
    cursor: str | Unset = optional("`nextCursor` of an earlier answer.")


class ListInterrogationsOutput(ToolOutput):
    """Sessions that the caller may see, newest first."""

    sessions: list[SessionListItem]
    next_cursor: str | Unset = optional(
        "Pass it as `cursor` for the sessions that are still to come.", alias="nextCursor"
    )


class MarkAnswerInput(ClosedCamelContract):
    """An answer that is wrong."""

    question: str = Field(description=f"The question, at most {MAX_HYPOTHESIS_CHARS:,} characters.")
    why: str = Field(description=f"What is wrong about its answer, at most {MAX_WHY_CHARS} characters.")
    tables: list[str] = Field(description=f"The tables that the answer cited, 1 to {MAX_MARKED_TABLES}.")


class MarkAnswerOutput(ToolOutput):
    """A mark, which is an open gap of each table until its document changes or someone closes the mark."""

    mark: str
    """Its id."""
    tables: list[FullyQualifiedTableName]


class CloseMarkInput(ClosedCamelContract):
    """Which mark to close."""

    mark: str = Field(description="The id of a mark.")


class CloseMarkOutput(ToolOutput):
    """A mark that was closed and removed."""

    mark: str
