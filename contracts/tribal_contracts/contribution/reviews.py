"""The hand-offs about a pull request, or a branch in a local clone. Source: contribution specification, 7 and 8."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from tribal_contracts.contribution.handoffs import CiStatus, Handoff, HandoffStatus
from tribal_contracts.core.shape import Contract, Count, ISOTimestamp, Unset, optional


class PullRequest(Contract):
    """A pull request; a branch in a local clone has the number 0 and no URL."""

    url: str
    number: Count
    title: str
    branch: str
    base: str
    state: Literal["open", "draft"]
    draft: bool


class PublishedCommit(Contract):
    """A commit that was published."""

    sha: str
    message: str
    files_changed: Count


class LinkedIssue(Contract):
    """The issue that a pull request is for; 0 for one that is not on the forge."""

    number: Count
    url: str
    auto_close: bool


class InitialChecks(Contract):
    """The checks of the forge right after publishing."""

    checks_started: bool
    initial_status: CiStatus


class PullRequestSummary(Contract):
    """The size of a pull request."""

    files_in_pr: Count
    additions: Count
    deletions: Count
    commits: Count


class PRCreated(Handoff):
    """PR to reviews. File: `contribution/pr-created.json`."""

    agent: Literal["agent-7-pr"]
    status: HandoffStatus
    pr: PullRequest
    commits: list[PublishedCommit]
    issue_linked: LinkedIssue
    ci_status: InitialChecks
    summary: PullRequestSummary


class FollowedPullRequest(Contract):
    """A pull request as it is now."""

    url: str
    number: Count
    state: Literal["open", "merged", "closed"]


class ActivityDetails(Contract):
    """Details of an event. Extension: the specification only says that it is an object."""

    text: str
    awaiting_approval: bool | Unset = optional("True while a prepared answer waits for approval.")


ActivityType = Literal["review_received", "changes_made", "comment_replied", "ci_status_change"]


class Activity(Contract):
    """Something that happened to a pull request."""

    timestamp: ISOTimestamp
    type: ActivityType
    details: ActivityDetails


class CiRun(Contract):
    """The checks of the forge at one time."""

    timestamp: ISOTimestamp
    status: CiStatus
    checks_passed: Count
    checks_failed: Count


class ReviewStatus(Contract):
    """How the review stands."""

    reviews_received: Count = 0
    approvals: Count = 0
    changes_requested: Count = 0
    comments_pending: Count = 0
    ci_status: CiStatus = "pending"


class FinalOutcome(Contract):
    """How a pull request ended."""

    result: Literal["merged", "closed", "abandoned", "escalated"] | None
    timestamp: str | None
    merged_by: str | None
    merge_commit: str | None


class ReviewActivity(Handoff):
    """Reviews to orchestrator. File: `contribution/review-activity.json`."""

    agent: Literal["agent-8-reviews"]
    status: Literal["monitoring", "completed", "failed"]
    pr: FollowedPullRequest
    activity: list[Activity]
    ci_history: list[CiRun]
    current_status: ReviewStatus = Field(default_factory=ReviewStatus)
    final_outcome: FinalOutcome | None
    """`None` while it is open."""
