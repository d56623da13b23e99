"""Inputs and outputs of the tools of contribution, and what its commands print. Extension contracts."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from tribal_contracts.contribution.cycles import (
    CycleNumber,
    CycleOutcome,
    CycleState,
    Publication,
    RecipeName,
    ReviewAnswer,
)
from tribal_contracts.contribution.handoffs import Check, OfferedDescription
from tribal_contracts.core.shape import AgentError, ClosedContract, ContentHash, Contract, Count, Unset, optional

MOST_LISTED = 200
OfferState = Literal["open", "proposed", "declined", "merged", "applied", "conflict", "not_offered"]


class ListedDescription(Contract):
    """A description that could be contributed, or why it cannot."""

    table: str
    """As tools name it: `database.schema.table`."""
    column: str | Unset = optional()
    text: str
    source: Literal["human", "comment", "model"]
    state: OfferState
    repository: str
    questions: Count = 0
    """Questions of exams and interrogations that it blocks."""
    repository_says: str | Unset = optional("What the repository says already.")
    where: str | Unset = optional("The file and line where it says so.")
    reason: str | Unset = optional("Why it is not offered.")
    cycle: CycleNumber | Unset = optional("The contribution that proposes, or proposed, it.")


class ListedRepository(Contract):
    """A configured repository, and a database that it creates."""

    name: str
    location: str
    database: str
    recipe: RecipeName | Unset = optional()
    folder: str | Unset = optional()
    problem: str | Unset = optional("Why nothing can be contributed to it.")


class ListedCycle(Contract):
    """A contribution that was prepared."""

    cycle: CycleNumber
    state: CycleState
    outcome: CycleOutcome | Unset = optional()
    title: str
    repository: str
    branch: str
    descriptions: Count
    started_at: str


class ListContributionsInput(ClosedContract):
    """Filters of the list."""

    table: str | Unset = optional("Only descriptions of this table.")
    state: OfferState | Unset = optional("Only descriptions in this state.")
    model_prose: bool = Field(default=False, description="Offer descriptions that a model wrote, too.")
    limit: Annotated[int, Field(ge=1, le=MOST_LISTED)] = 50
    offset: Count = 0


class ListContributionsOutput(Contract):
    """Descriptions in the order in which they would be contributed, and contributions, newest first."""

    success: bool
    tokens_used: Count = 0
    error: AgentError | Unset = optional()
    descriptions: list[ListedDescription] = Field(default_factory=list)
    repositories: list[ListedRepository] = Field(default_factory=list)
    cycles: list[ListedCycle] = Field(default_factory=list)
    counts: dict[OfferState, Count] = Field(default_factory=dict)
    """Of all descriptions by state, before `state` and `limit` apply."""
    total: Count = 0
    returned: Count = 0
    truncated: bool = False


class PrepareContributionInput(ClosedContract):
    """The descriptions to prepare; without names, the first ones in the list."""

    tables: Annotated[list[str], Field(max_length=100)] = Field(
        default_factory=list, description="Tables, as tools name them; all their open descriptions."
    )
    repository: str | Unset = optional("Only this repository.")
    issue: str | Unset = optional("The address of an issue that asks for descriptions, and names tables or columns.")
    model_prose: bool = Field(default=False, description="Include descriptions that a model wrote, marked as such.")
    again: bool = Field(default=False, description="Include descriptions that were declined before.")


class ContributionOutput(Contract):
    """A contribution: what would be published, and what became of it."""

    success: bool
    tokens_used: Count = 0
    error: AgentError | Unset = optional()
    cycle: CycleNumber | Unset = optional("Unset where there was nothing to contribute.")
    state: CycleState | Unset = optional()
    outcome: CycleOutcome | Unset = optional()
    publication: Publication | Unset = optional()
    sha256: ContentHash | Unset = optional("The hash to approve.")
    diff: str | Unset = optional()
    checks: list[Check] = Field(default_factory=list)
    warnings: list[str] = Field(default_factory=list)
    blockers: list[str] = Field(default_factory=list)
    descriptions: list[OfferedDescription] = Field(default_factory=list)
    answers: list[ReviewAnswer] = Field(default_factory=list, description="Answers to a review that wait.")
    left_to_you: list[str] = Field(default_factory=list, description="Comments of reviewers that were not answered.")
    message: str = ""
    """The outcome, and the next step for a person."""


class ApprovalInput(ClosedContract):
    """An approval over HTTPS."""

    sha256: ContentHash = Field(description="The hash of what is approved, as `get_contribution` shows it.")
    sign_off: bool = Field(default=False, description="Signing off needs a name and address: approve at a terminal.")


class ApprovalAccepted(Contract):
    """The answer to an approval: it is published next."""

    cycle: CycleNumber
    state: CycleState
    sha256: ContentHash


class GetContributionInput(ClosedContract):
    """Which contribution to show."""

    cycle: CycleNumber | Unset = optional("The newest one if unset.")
