"""The entities of an interrogation. Source: data model of the detective's interrogation.

A file that is valid by the data model is read. What `tribal_contracts.interrogation.rules` forbids in addition is never
written. Fields whose description begins with "Extension" are not in the data model.
"""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from tribal_contracts.answering.answers import AnswerSource
from tribal_contracts.answering.open_gaps import GAP_CATEGORIES, GapCategory, GapSeverity, SessionScope
from tribal_contracts.core.camel import CamelContract
from tribal_contracts.core.shape import ContentHash, Count, Text, Unset, optional
from tribal_contracts.interrogation.times import DateTime

LEAST_ITERATIONS, MOST_ITERATIONS = 5, 20
MAX_HYPOTHESIS_CHARS = 2_000
MAX_QUESTION_CHARS = 500
MAX_ANSWER_CHARS = 8_000
MAX_GAPS = 20
"""Of one pair."""
MAX_CONTRADICTIONS = 50
MAX_TRAIL_ENTRIES = 200

SessionStatus = Literal["running", "completed", "failed", "limit-reached"]
TrailEvent = Literal["provider_switch", "timeout", "error"]
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


def _uuid(text: str) -> str:
    if not _UUID.fullmatch(text):
        raise ValueError("it is not a UUID")
    return text


SessionId = Annotated[str, AfterValidator(_uuid), Field(json_schema_extra={"format": "uuid"})]
Score = Annotated[int, Field(ge=0, le=100)]
IterationLimit = Annotated[int, Field(ge=LEAST_ITERATIONS, le=MOST_ITERATIONS)]


class Hypothesis(CamelContract):
    """The question or statement that a session examines. Source: data model, 1."""

    text: Text
    created_at: DateTime


class Gap(CamelContract):
    """What an answer lacks. Source: data model, 4."""

    category: GapCategory
    description: Text
    severity: GapSeverity
    target: Text | Unset = optional("Extension: the table or column that a text would have to describe.")


class GapAnalysis(CamelContract):
    """How complete the answers are: every gap that is open after this one. Source: data model, 4."""

    gaps: list[Gap]
    completeness_score: Score
    requires_follow_up: bool


class QuestionAnswerPair(CamelContract):
    """One question of the detective, and the answer of the witness. Source: data model, 3."""

    sequence: Annotated[int, Field(ge=1)]
    question: Text
    answer: str
    timestamp: DateTime
    gap_analysis: GapAnalysis
    provider_used: str
    """Of the detective, `{provider}:{model}`."""
    witness_used: str | Unset = optional("Extension: the same of the witness.")
    sources: list[AnswerSource] | Unset = optional("Extension: what the answer was taken from.")


class Contradiction(CamelContract):
    """Answers that disagree. Source: data model, 5."""

    qa_pair_indexes: Annotated[list[Count], Field(min_length=2, max_length=2)]
    """Counted from 0; equal where an answer contradicts itself or the catalog."""
    description: Text


class RemainingGap(CamelContract):
    """A gap that was open at the end. Source: data model, 5."""

    category: str = Field(json_schema_extra={"enum": [*GAP_CATEGORIES]})
    """One of `GAP_CATEGORIES`; files of other programs may hold any."""
    description: str
    target: Text | Unset = optional("Extension: as in the gap.")
    severity: GapSeverity | Unset = optional("Extension: as in the gap.")


class AuditResult(CamelContract):
    """The result of a session. Source: data model, 5."""

    consistency_score: Score
    contradictions: list[Contradiction]
    remaining_gaps: list[RemainingGap]
    summary: Text
    """Markdown."""


class AuditTrailEntry(CamelContract):
    """A switch of provider, a timeout or an error. Source: data model, 2."""

    timestamp: DateTime
    event: TrailEvent
    from_provider: str | Unset = optional("Only of a switch.")
    to_provider: str | Unset = optional("Only of a switch.")
    reason: str


class SessionHolder(CamelContract):
    """Extension: the process that runs a session now, and until when no other may take it over."""

    name: Text
    """Unique to a process or an invocation."""
    expires_at: DateTime
    stop_requested_by: Text | Unset = optional("Who asked to stop before the next question.")


class SessionUsage(CamelContract):
    """Extension: what the calls of models used; see `ModelUsage`."""

    calls: Count = 0
    input_tokens: Count = 0
    cache_write_tokens: Count = 0
    cache_read_tokens: Count = 0
    output_tokens: Count = 0
    time_ms: Count = 0
    nanodollars: Count = 0


class InterrogationSession(CamelContract):
    """A whole interrogation. File: `sessions/session_{id}_{start}.json`, changed only by conditional put.

    Source: data model, 2.
    """

    id: SessionId
    hypothesis: Hypothesis
    start_time: DateTime
    end_time: DateTime | Unset = optional("Absent while it is running.")
    status: SessionStatus
    iteration_limit: IterationLimit
    current_iteration: Count
    qa_pairs: list[QuestionAnswerPair]
    audit_result: AuditResult | Unset = optional("Only of a completed session.")
    audit_trail: list[AuditTrailEntry]
    interim_audit: AuditResult | Unset = optional("Extension: what can be said of a session that ended otherwise.")
    owner: str | Unset = optional("Extension: who started it.")
    scope: SessionScope | Unset = optional("Extension: what it may read.")
    domain: str | Unset = optional("Extension: the business domain that it is limited to.")
    manifest_hash: ContentHash | Unset = optional("Extension: the documentation that it started with.")
    usage: SessionUsage | Unset = optional("Extension: what its calls of models used.")
    holder: SessionHolder | Unset = optional("Extension: the process that runs it now.")

    @property
    def is_running(self) -> bool:
        """Whether it may still change."""
        return self.status == "running"

    @property
    def open_gaps(self) -> list[Gap]:
        """The gaps that are open after the last answer."""
        return self.qa_pairs[-1].gap_analysis.gaps if self.qa_pairs else []


class SessionListItem(CamelContract):
    """A session in a list. Source: data model, derived data structures."""

    id: SessionId
    hypothesis: str
    start_time: DateTime
    status: SessionStatus
    consistency_score: Score | Unset = optional("Of a completed session.")
