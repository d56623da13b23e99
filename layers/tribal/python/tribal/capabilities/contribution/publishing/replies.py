"""Publishes approved answers to a review: a commit on the branch, and replies, each at most once."""

from __future__ import annotations

from collections.abc import Mapping

from tribal.capabilities.contribution.agents.context import AgentContext
from tribal.capabilities.contribution.errors import ApprovalStale
from tribal.capabilities.contribution.gate.diffs import changed_files
from tribal.capabilities.contribution.publishing.approving import require_current
from tribal.capabilities.contribution.publishing.pr import require_allowed
from tribal.capabilities.contribution.publishing.publication import (
    action_line,
    final_text,
    marker_of,
)
from tribal.capabilities.contribution.publishing.reviews import is_own
from tribal.errors import RepositoryUnusable
from tribal.ports.repositories import Forge, NewCommit, PublishedBranch, PullRequestState
from tribal_contracts.contribution.cycles import Approval, FollowUp
from tribal_contracts.contribution.reviews import PRCreated


def publish_answers(context: AgentContext, follow_up: FollowUp, approval: Approval) -> str:
    """Publish what was approved, or find that it exists; returns the commit at the tip of the branch.

    Raises:
        ApprovalStale: when the approval has expired or is for something else, or the branch or the pull request has
            changed; nothing is written then.
        RepositoryNotAllowed: when the repository is public now, and its entry does not say that it may be.
        RepositoryUnusable: when the branch does not exist, or GitHub refuses.
    """
    created, marks = context.earlier(PRCreated).pr, _marks(context, follow_up)
    with context.open_forge("publish") as forge:
        branch = forge.find_branch(created.branch)
        pull_request = forge.find_pull_request(created.branch)
        if branch is None or pull_request is None:
            raise RepositoryUnusable(f"branch {created.branch!r} no longer exists, so the review cannot be answered")
        tip = branch.tip
        if not _has_begun(context, forge, branch, pull_request, marks):
            if pull_request.state != "open":
                raise ApprovalStale(f"the pull request of contribution {context.record.cycle} is no longer open")
            require_current(context, approval)
            _require_unmoved(context, branch, follow_up)
            require_allowed(context)
            if follow_up.patch:
                tip = _commit(context, forge, follow_up, approval)
        for answer in follow_up.answers:
            text = final_text(answer.reply, approval, signs=False)
            forge.reply(created.number, text, marks[answer.comment], answer.thread)
    return tip


def _marks(context: AgentContext, follow_up: FollowUp) -> dict[int, str]:
    return {each.comment: marker_of(context.record, f"reply-{each.comment}") for each in follow_up.answers}


def _has_begun(
    context: AgentContext,
    forge: Forge,
    branch: PublishedBranch,
    pull_request: PullRequestState,
    marks: Mapping[int, str],
) -> bool:
    """Whether an earlier process has published a part: the commit comes first."""
    follow_up = context.record.follow_up
    if follow_up is not None and follow_up.patch:
        return action_line(follow_up.number) in branch.message.splitlines()
    said = forge.activity(pull_request.number).comments
    own = [each.text for each in said if is_own(each.text, each.author, context.record, pull_request)]
    return any(mark in text for mark in marks.values() for text in own)


def _require_unmoved(context: AgentContext, branch: PublishedBranch, follow_up: FollowUp) -> None:
    cycle = context.record.cycle
    if branch.tip != follow_up.head:
        raise ApprovalStale(
            f"the branch of contribution {cycle} has changed since its answers were prepared; run `tribal contribute"
            f" follow {cycle}` to prepare them again"
        )


def _commit(context: AgentContext, forge: Forge, follow_up: FollowUp, approval: Approval) -> str:
    [message] = follow_up.publication.messages
    commit = forge.write_commit(
        NewCommit(
            base=follow_up.head,
            files=changed_files(context.source.files(follow_up.head), follow_up.diffs),
            message=final_text(message, approval),
            author=follow_up.publication.author,
            at=approval.approved_at,
        )
    )
    if not forge.move_branch(follow_up.publication.branch, commit, follow_up.head):
        raise ApprovalStale(
            f"the branch of contribution {context.record.cycle} was changed meanwhile; run `tribal contribute follow"
            f" {context.record.cycle}` to prepare its answers again"
        )
    return commit
