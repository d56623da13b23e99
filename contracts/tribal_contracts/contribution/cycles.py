"""The state of a contribution: the status of all, the record of each, what is published, and approvals."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from tribal_contracts.contribution.handoffs import (
    AgentName,
    Alternative,
    Check,
    OfferedDescription,
    SearchStats,
)
from tribal_contracts.core.shape import (
    AgentError,
    ClosedContract,
    ContentHash,
    Contract,
    Count,
    ISOTimestamp,
    Unset,
    optional,
)

Phase = Literal["idle", "discovery", "analysis", "exploration", "development", "pr_creation", "review_monitoring"]
AgentState = Literal["idle", "running", "completed", "failed", "waiting"]
CycleState = Literal["preparing", "waiting", "publishing", "following", "ended"]
CycleOutcome = Literal["merged", "declined", "abandoned", "escalated", "blocked", "failed", "aborted"]
CycleNumber = Annotated[int, Field(ge=1)]
RecipeName = Literal["flyway", "numbered", "timestamped", "alembic", "dbt"]
Visibility = Literal["public", "private", "local"]


class AgentActivity(Contract):
    """One agent of the running cycle."""

    status: AgentState
    last_run: str | None


class SwarmStats(Contract):
    """Counts over all cycles."""

    cycles_completed: Count
    prs_created: Count
    prs_merged: Count
    issues_contributed: list[str]


class SwarmStatus(Contract):
    """The running cycle, or the last one. File: `contribution/swarm-status.json`. Source: specification, "Status"."""

    swarm_id: str
    cycle: Count
    started_at: str
    current_phase: Phase
    agents: dict[AgentName, AgentActivity]
    current_issue: str | None
    current_pr: str | None
    stats: SwarmStats
    prepared_by: str | Unset = optional("Extension: who prepared the cycle.")


class PublishTarget(Contract):
    """Where a contribution is published."""

    repository: str
    """The name of its entry in `databases.yaml`."""
    owner: str
    name: str
    url: str
    location: str
    """The folder of a local clone as it is configured."""
    visibility: Visibility


class Publication(Contract):
    """Everything that an approval covers, besides the diff. `{approved_by}` in a text is replaced when published."""

    target: PublishTarget
    branch: str
    base_branch: str
    messages: list[str]
    """Of the commits, in order."""
    author: str
    title: str
    body: str
    labels: list[str] = Field(default_factory=list)
    draft: bool = False
    replies: list[str] = Field(default_factory=list)


class Approval(Contract):
    """A person's approval of one publication. File: `contribution/cycles/{cycle}/approvals/{n}.json`."""

    schema_version: Literal["1.0"] = "1.0"
    cycle: CycleNumber
    number: CycleNumber
    sha256: ContentHash
    approved_by: str
    approved_at: ISOTimestamp
    expires_at: ISOTimestamp
    signed_off_as: str | Unset = optional("The name and address with which the person signs off, if it is asked for.")


class RequestedIssue(Contract):
    """The issue on the forge that asks for a contribution."""

    number: CycleNumber
    url: str
    title: str
    body: str
    labels: list[str]
    comments: Count
    created_at: str
    is_answered: bool
    """Whether the contribution does everything that it asks for."""


ReviewKind = Literal["change", "question", "out_of_scope"]


class ReviewAnswer(Contract):
    """A model's answer to one comment of a reviewer."""

    comment: Count
    """Its id on the forge."""
    thread: Count | Unset = optional("The comment on a line of the diff that begins its thread.")
    author: str
    quote: str
    kind: ReviewKind
    reply: str
    """In Markdown; empty where the comment is left to a person."""
    reason: str = ""
    """Why it is left to a person, if that was not the model's own answer."""


class FollowUp(Contract):
    """A commit, replies or both that answer a review, and wait for approval."""

    number: CycleNumber
    head: str
    """The commit at the tip of the branch that it starts from."""
    publication: Publication
    diffs: dict[str, str]
    """Of each file, by its path."""
    answers: list[ReviewAnswer]
    checks: list[Check] = Field(default_factory=list)

    @property
    def patch(self) -> str:
        """The whole diff; empty if there are only replies."""
        return "".join(self.diffs.values())


class AnsweredComment(Contract):
    """A comment that was answered, or left to a person."""

    comment: Count
    kind: ReviewKind
    at: ISOTimestamp
    left: str = ""
    """If it is left to a person: what was said, by whom, and why."""


class CycleRecord(Contract):
    """One cycle. File: `contribution/cycles/{cycle}/cycle.json`, changed by conditional put only."""

    schema_version: Literal["1.0"] = "1.0"
    swarm_id: str
    cycle: CycleNumber
    prepared_by: str
    started_at: ISOTimestamp
    updated_at: ISOTimestamp
    state: CycleState = "preparing"
    outcome: CycleOutcome | Unset = optional("Set once it has ended.")
    stopped_by: AgentName | Unset = optional("The agent that waits, blocked the cycle, or failed.")
    repository: str
    """The name of its entry in `databases.yaml`."""
    database: str
    """Whose descriptions it writes; empty where a model does what an issue asks for."""
    recipe: RecipeName | Unset = optional("How descriptions are written.")
    model: str | Unset = optional("The entry of `models` that writes the change, instead of a recipe.")
    base_commit: str
    issue_url: str
    issue: RequestedIssue | Unset = optional("The issue that asked for it, if one did.")
    descriptions: list[OfferedDescription]
    alternatives: list[Alternative] = Field(default_factory=list)
    search_stats: SearchStats
    retries: dict[AgentName, Count] = Field(default_factory=dict)
    publication: Publication | Unset = optional("What would be published, once it is prepared.")
    sha256: ContentHash | Unset = optional("Of everything that an approval covers, the diff included.")
    warnings: list[str] = Field(default_factory=list)
    sign_off_required: bool = False
    approvals: Count = 0
    published_commit: str | Unset = optional("The commit at the tip of the branch.")
    published_at: ISOTimestamp | Unset = optional()
    follow_up: FollowUp | Unset = optional("The answers to a review that wait for approval.")
    answered: list[AnsweredComment] = Field(default_factory=list)
    blockers: list[str] = Field(default_factory=list)
    error: AgentError | Unset = optional("Why it failed.")
    attempts: Count = 0
    """Processes in a row that began to work on it, and ended without progress and without saying why."""


class ContributionTask(ClosedContract):
    """A cycle to work on."""

    cycle: CycleNumber
