"""Agent 8: finds out what became of a published contribution."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from tribal.capabilities.contribution.agents.context import AgentContext
from tribal.capabilities.contribution.publishing.pr import ci_status
from tribal.capabilities.contribution.recipes.recipe import TargetName, folded
from tribal.ports.repositories import Forge, PullRequestActivity, PullRequestReview, PullRequestState
from tribal_contracts.contribution.reviews import (
    Activity,
    ActivityDetails,
    CiRun,
    FinalOutcome,
    FollowedPullRequest,
    PRCreated,
    ReviewActivity,
    ReviewStatus,
)

ABANDONED_AFTER = timedelta(days=14)
"""How long no reviewer answers. Source: docs/contracts.md, Contribution."""
_LONGEST_QUOTE = 500


def review(context: AgentContext) -> ReviewActivity:
    """Look whether the contribution was merged, is open, or was closed, and what reviewers said."""
    created = context.earlier(PRCreated)
    with context.open_forge("follow") as forge:
        if not forge.has_pull_requests:
            return _of_branch(context, created, forge)
        found = forge.find_pull_request(created.pr.branch)
        activity = None if found is None else forge.activity(found.number)
    if found is None or activity is None:
        closed = FinalOutcome(result="closed", timestamp=context.now, merged_by=None, merge_commit=None)
        return _reviewed(context, FollowedPullRequest(url="", number=0, state="closed"), closed)
    pull_request = FollowedPullRequest(url=found.url, number=found.number, state=found.state)
    outcome = _outcome(context, created, found, activity)
    return _with_activity(_reviewed(context, pull_request, outcome), context, activity)


def _of_branch(context: AgentContext, created: PRCreated, forge: Forge) -> ReviewActivity:
    """A branch in a local clone: merged if its commit, or every text, is in the base branch."""
    merged = forge.merged_at(created.commits[0].sha)
    outcome: FinalOutcome | None = None
    if merged is not None or _is_said(context):
        commit = merged or context.source.state.base_commit
        outcome = FinalOutcome(result="merged", timestamp=context.now, merged_by=None, merge_commit=commit)
    elif forge.find_branch(created.pr.branch) is None:
        outcome = FinalOutcome(result="closed", timestamp=context.now, merged_by=None, merge_commit=None)
    state = FollowedPullRequest(url="", number=0, state="open")
    if outcome is not None:
        state = state.model_copy(update={"state": "merged" if outcome.result == "merged" else "closed"})
    return _reviewed(context, state, outcome)


def _outcome(
    context: AgentContext, created: PRCreated, found: PullRequestState, activity: PullRequestActivity
) -> FinalOutcome | None:
    if found.state == "merged":
        return FinalOutcome(
            result="merged", timestamp=context.now, merged_by=found.merged_by, merge_commit=found.merge_commit
        )
    if found.state == "closed":
        return FinalOutcome(result="closed", timestamp=context.now, merged_by=None, merge_commit=None)
    is_answered = bool(activity.reviews or activity.comments)
    waited = datetime.fromisoformat(context.now) - datetime.fromisoformat(created.timestamp)
    if not is_answered and waited > ABANDONED_AFTER:
        return FinalOutcome(result="abandoned", timestamp=context.now, merged_by=None, merge_commit=None)
    return None


def _reviewed(context: AgentContext, pull_request: FollowedPullRequest, outcome: FinalOutcome | None) -> ReviewActivity:
    return ReviewActivity(
        agent="agent-8-reviews",
        timestamp=context.now,
        cycle=context.record.cycle,
        status="monitoring" if outcome is None else "completed",
        pr=pull_request,
        activity=[],
        ci_history=[],
        final_outcome=outcome,
    )


def _with_activity(reviewed: ReviewActivity, context: AgentContext, found: PullRequestActivity) -> ReviewActivity:
    """Add what reviewers said, and the checks as they are now to those seen before."""
    earlier = context.handoffs.get("agent-8-reviews")
    history = list(earlier.ci_history) if isinstance(earlier, ReviewActivity) else []
    checks, status = found.checks, ci_status(found.checks)
    now = CiRun(timestamp=context.now, status=status, checks_passed=checks.passed, checks_failed=checks.failed)
    same = ("status", "checks_passed", "checks_failed")
    if not history or any(getattr(history[-1], name) != getattr(now, name) for name in same):
        history.append(now)
    said = [(each.at, _reviewed_by(each)) for each in found.reviews]
    said += [(each.at, f"{each.author}: {each.text}") for each in found.comments]
    latest = _latest(found.reviews)
    return reviewed.model_copy(
        update={
            "activity": [
                Activity(timestamp=at, type="review_received", details=ActivityDetails(text=text[:_LONGEST_QUOTE]))
                for at, text in sorted(said)
            ],
            "ci_history": history,
            "current_status": ReviewStatus(
                reviews_received=len(found.reviews),
                approvals=latest.count("approved"),
                changes_requested=latest.count("changes_requested"),
                comments_pending=len(found.comments),
                ci_status=status,
            ),
        }
    )


def _reviewed_by(review: PullRequestReview) -> str:
    return f"{review.author} ({review.state.replace('_', ' ')}): {review.text}"


def _latest(reviews: Sequence[PullRequestReview]) -> list[str]:
    """The last verdict of each reviewer; a comment leaves the one before."""
    verdicts = {each.author: each.state for each in reviews if each.state != "commented"}
    return list(verdicts.values())


def _is_said(context: AgentContext) -> bool:
    """Whether the base branch says every text, as after a squash or a rebase."""
    recipe = context.source.recipe(context.dialect)
    return all(
        (said := recipe.said(TargetName(each.schema_name, each.table, each.column))) is not None
        and folded(said.text) == folded(each.text)
        for each in context.record.descriptions
    )
