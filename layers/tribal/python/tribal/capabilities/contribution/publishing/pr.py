"""Agent 7: publishes what was approved, each part at most once."""

from __future__ import annotations

from collections.abc import Mapping

from tribal.capabilities.contribution.agents.context import AgentContext
from tribal.capabilities.contribution.gate.diffs import apply_diff
from tribal.capabilities.contribution.publishing.approving import require_current
from tribal.capabilities.contribution.publishing.publication import diffs_in, final_text, publication_of
from tribal.errors import RepositoryUnusable
from tribal.ports.repositories import NewCommit, PublishedBranch
from tribal_contracts.contribution.changes import CodeChanges
from tribal_contracts.contribution.cycles import Approval, Publication
from tribal_contracts.contribution.reviews import (
    InitialChecks,
    LinkedIssue,
    PRCreated,
    PublishedCommit,
    PullRequest,
    PullRequestSummary,
)


def publish(context: AgentContext, approval: Approval) -> PRCreated:
    """Create the branch that was approved, or find that it exists.

    Raises:
        ApprovalStale: when something that the approval covers has changed, or it has expired. Nothing is then written.
        RepositoryUnusable: when a branch of that name is of something else.
    """
    publication = publication_of(context)
    present = context.forge.find_branch(publication.branch)
    if present is None:
        require_current(context, approval)
        commit = context.forge.write_commit(_commit(context, publication, approval))
        if not context.forge.create_branch(publication.branch, commit):
            # Another process was faster; it may have published the same.
            present = context.forge.find_branch(publication.branch)
    if present is not None:
        commit = _require_own(context, present)
    return _created(context, publication, commit, final_text(publication.messages[0], approval))


def _commit(context: AgentContext, publication: Publication, approval: Approval) -> NewCommit:
    return NewCommit(
        base=context.record.base_commit,
        files=_files(context),
        message=final_text(publication.messages[0], approval),
        author=publication.author,
        at=approval.approved_at,
    )


def _files(context: AgentContext) -> Mapping[str, bytes | None]:
    """The files as they will be: only the diffs of the hand-offs count."""
    base = context.source.files(context.record.base_commit)
    files: dict[str, bytes | None] = {}
    for path, diff in diffs_in(context.handoffs).items():
        before = base.read(path).decode() if path in base.paths else None
        files[path] = apply_diff(diff, before).encode()
    return files


def _require_own(context: AgentContext, branch: PublishedBranch) -> str:
    record = context.record
    if f"Tribal-Cycle: {record.swarm_id}:{record.cycle}" not in branch.message.splitlines():
        raise RepositoryUnusable(
            f"branch {branch.name!r} exists already and is not of this contribution; rename or delete it"
        )
    return branch.tip


def _created(context: AgentContext, publication: Publication, commit: str, message: str) -> PRCreated:
    changes = context.earlier(CodeChanges)
    return PRCreated(
        agent="agent-7-pr",
        timestamp=context.now,
        cycle=context.record.cycle,
        status="completed",
        pr=PullRequest(
            url="",
            number=0,
            title=publication.title,
            branch=publication.branch,
            base=publication.base_branch,
            state="draft" if publication.draft else "open",
            draft=publication.draft,
        ),
        commits=[PublishedCommit(sha=commit, message=message, files_changed=len(changes.changes))],
        issue_linked=LinkedIssue(number=0, url=context.record.issue_url, auto_close=False),
        ci_status=InitialChecks(checks_started=False, initial_status="pending"),
        summary=PullRequestSummary(
            files_in_pr=len(changes.changes),
            additions=changes.summary.total_additions,
            deletions=changes.summary.total_deletions,
            commits=1,
        ),
    )
