"""Agent 8: finds out what became of a published contribution."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from tribal.capabilities.contribution.agents.context import AgentContext
from tribal.capabilities.contribution.publishing.pr import ci_status
from tribal.capabilities.contribution.publishing.publication import marks_of
from tribal.capabilities.contribution.recipes.recipe import TargetName, folded
from tribal.masking import redact_text
from tribal.ports.repositories import (
    Forge,
    PullRequestActivity,
    PullRequestComment,
    PullRequestReview,
    PullRequestState,
)
from tribal_contracts.contribution.cycles import CycleRecord
from tribal_contracts.contribution.reviews import (
    Activity,
    ActivityDetails,
    ActivityType,
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


def is_own(text: str, author: str, record: CycleRecord, pull_request: PullRequestState) -> bool:
    """Whether a comment is one of our replies: it has a mark, and the author of our pull request wrote it."""
    return marks_of(record) in text and author == pull_request.author


def unanswered(
    activity: PullRequestActivity, record: CycleRecord, pull_request: PullRequestState
) -> list[PullRequestComment]:
    """The comments of reviewers on a cycle's pull request that have no answer yet, oldest first.

    The text of a review counts as a comment.
    """
    known = {each.comment for each in record.answered}
    said = [PullRequestComment(each.id, each.author, each.text, each.at) for each in activity.reviews]
    said += activity.comments
    new = [
        each
        for each in said
        if each.text.strip() and each.id not in known and not is_own(each.text, each.author, record, pull_request)
    ]
    return sorted(new, key=lambda each: each.at)


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
    return _with_activity(_reviewed(context, pull_request, outcome), context, found, activity)


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
    answers = [each.at for each in context.record.answered if each.kind != "out_of_scope"]
    acted = max(map(datetime.fromisoformat, [created.timestamp, *answers]))
    said = [each.at for each in activity.reviews]
    said += [each.at for each in activity.comments if not is_own(each.text, each.author, context.record, found)]
    is_answered = any(datetime.fromisoformat(each) >= acted for each in said) if answers else bool(said)
    if not is_answered and datetime.fromisoformat(context.now) - acted > ABANDONED_AFTER:
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


def _with_activity(
    reviewed: ReviewActivity, context: AgentContext, pull_request: PullRequestState, found: PullRequestActivity
) -> ReviewActivity:
    """Add what reviewers said, and the checks as they are now to those seen before."""
    earlier = context.handoffs.get("agent-8-reviews")
    history = list(earlier.ci_history) if isinstance(earlier, ReviewActivity) else []
    checks, status = found.checks, ci_status(found.checks)
    now = CiRun(timestamp=context.now, status=status, checks_passed=checks.passed, checks_failed=checks.failed)
    same = ("status", "checks_passed", "checks_failed")
    if not history or any(getattr(history[-1], name) != getattr(now, name) for name in same):
        history.append(now)
    latest = _latest(found.reviews)
    return reviewed.model_copy(
        update={
            "activity": sorted(_activity(context.record, pull_request, found), key=lambda each: each.timestamp),
            "ci_history": history,
            "current_status": ReviewStatus(
                reviews_received=len(found.reviews),
                approvals=latest.count("approved"),
                changes_requested=latest.count("changes_requested"),
                comments_pending=len(unanswered(found, context.record, pull_request)),
                ci_status=status,
            ),
        }
    )


def _activity(record: CycleRecord, pull_request: PullRequestState, found: PullRequestActivity) -> Iterator[Activity]:
    """Comments and reviews of others, published replies, and answers that wait for approval."""
    for review in found.reviews:
        yield _event("review_received", review.at, _reviewed_by(review))
    for comment in found.comments:
        own = is_own(comment.text, comment.author, record, pull_request)
        kind: ActivityType = "comment_replied" if own else "review_received"
        yield _event(kind, comment.at, f"{comment.author}: {comment.text}")
    for done in record.answered:
        if done.kind == "change":
            yield _event("changes_made", done.at, f"in answer to comment {done.comment}")
    for answer in record.follow_up.answers if record.follow_up is not None else ():
        kind = "changes_made" if answer.kind == "change" else "comment_replied"
        details = ActivityDetails(text=answer.reply[:_LONGEST_QUOTE], awaiting_approval=True)
        yield Activity(timestamp=record.updated_at, type=kind, details=details)


def _event(kind: ActivityType, at: str, text: str) -> Activity:
    return Activity(
        timestamp=at, type=kind, details=ActivityDetails(text=redact_text(text, prose=False)[:_LONGEST_QUOTE])
    )


def _reviewed_by(review: PullRequestReview) -> str:
    return f"{review.author} ({review.state.replace('_', ' ')}): {review.text}"


def _latest(reviews: Sequence[PullRequestReview]) -> list[str]:
    """The last verdict of each reviewer; a comment leaves the one before."""
    verdicts = {each.author: each.state for each in reviews if each.state != "commented"}
    return list(verdicts.values())


def _is_said(context: AgentContext) -> bool:
    """Whether the base branch says every text, as after a squash or a rebase."""
    if context.record.recipe is None:
        return False
    recipe = context.source.recipe(context.dialect)
    return all(
        (said := recipe.said(TargetName(each.schema_name, each.table, each.column))) is not None
        and folded(said.text) == folded(each.text)
        for each in context.record.descriptions
    )
