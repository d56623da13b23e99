"""Agent 7: publishes what was approved, each part at most once."""

from __future__ import annotations

from tribal.capabilities.contribution.agents.context import AgentContext
from tribal.capabilities.contribution.errors import RepositoryNotAllowed
from tribal.capabilities.contribution.gate.diffs import changed_files, count_lines
from tribal.capabilities.contribution.publishing.approving import require_current
from tribal.capabilities.contribution.publishing.publication import diffs_in, final_text, marker_of, publication_of
from tribal.errors import RepositoryUnusable
from tribal.ports.repositories import Forge, ForgeChecks, NewCommit, NewPullRequest, PublishedBranch, PullRequestState
from tribal_contracts.contribution.cycles import Approval, Publication
from tribal_contracts.contribution.handoffs import CiStatus
from tribal_contracts.contribution.reviews import (
    InitialChecks,
    LinkedIssue,
    PRCreated,
    PublishedCommit,
    PullRequest,
    PullRequestSummary,
)


def publish(context: AgentContext, approval: Approval) -> PRCreated:
    """Create the branch that was approved and, on a forge, its pull request; or find that they exist.

    Raises:
        ApprovalStale: when something that the approval covers has changed, or it has expired. Nothing is then written.
        RepositoryUnusable: when a branch or pull request of that name is of something else.
        RepositoryNotAllowed: when it is public, and its entry does not say that it may be.
    """
    publication = publication_of(context)
    with context.open_forge("publish") as forge:
        present = forge.find_branch(publication.branch)
        if present is None:
            require_allowed(context)
            require_current(context, approval)
            commit = forge.write_commit(_commit(context, publication, approval))
            if not forge.create_branch(publication.branch, commit):
                # Another process was faster; it may have published the same.
                present = forge.find_branch(publication.branch)
        if present is not None:
            commit = _require_own(context, present)
        pull_request = _pull_request(context, forge, publication, approval) if forge.has_pull_requests else None
        checks = ForgeChecks() if pull_request is None else forge.activity(pull_request.number).checks
    message, files = final_text(publication.messages[0], approval), len(diffs_in(context.handoffs))
    published = PublishedCommit(sha=commit, message=message, files_changed=files)
    return _created(context, publication, published, pull_request, checks)


def ci_status(checks: ForgeChecks) -> CiStatus:
    """How the checks of a commit stand. Source: docs/contracts.md, Contribution."""
    if checks.failed:
        return "failure"
    return "success" if checks.passed and not checks.pending else "pending"


def require_allowed(context: AgentContext) -> None:
    """Check that something may be published where it would be.

    Raises:
        RepositoryNotAllowed: when that is public, and the entry does not say that it may be.
    """
    if not context.may_publish:
        raise RepositoryNotAllowed(
            f"repository {context.source.entry.name!r} is public; set `public: true` in its entry to publish"
            " contributions there"
        )


def _commit(context: AgentContext, publication: Publication, approval: Approval) -> NewCommit:
    base = context.record.base_commit
    return NewCommit(
        base=base,
        files=changed_files(context.source.files(base), diffs_in(context.handoffs)),
        message=final_text(publication.messages[0], approval),
        author=publication.author,
        at=approval.approved_at,
    )


def _require_own(context: AgentContext, branch: PublishedBranch) -> str:
    record = context.record
    if f"Tribal-Cycle: {record.swarm_id}:{record.cycle}" not in branch.message.splitlines():
        raise RepositoryUnusable(
            f"branch {branch.name!r} exists already and is not of this contribution; rename or delete it"
        )
    return branch.tip


def _pull_request(
    context: AgentContext, forge: Forge, publication: Publication, approval: Approval
) -> PullRequestState:
    new = NewPullRequest(
        branch=publication.branch,
        base=publication.base_branch,
        title=publication.title,
        body=final_text(publication.body, approval, signs=False),
        labels=publication.labels,
        draft=publication.draft,
    )
    # One that exists is found, and gets the labels that it lacks.
    found = forge.open_pull_request(new)
    if marker_of(context.record, "pr") not in found.body:
        raise RepositoryUnusable(f"pull request {found.number} of {publication.branch!r} is not of this contribution")
    return found


def _created(
    context: AgentContext,
    publication: Publication,
    commit: PublishedCommit,
    pull_request: PullRequestState | None,
    checks: ForgeChecks,
) -> PRCreated:
    issue, counts = context.record.issue, [count_lines(each) for each in diffs_in(context.handoffs).values()]
    return PRCreated(
        agent="agent-7-pr",
        timestamp=context.now,
        cycle=context.record.cycle,
        status="completed",
        pr=PullRequest(
            url="" if pull_request is None else pull_request.url,
            number=0 if pull_request is None else pull_request.number,
            title=publication.title,
            branch=publication.branch,
            base=publication.base_branch,
            state="draft" if publication.draft else "open",
            draft=publication.draft,
        ),
        commits=[commit],
        issue_linked=LinkedIssue(
            number=0 if issue is None else issue.number,
            url=context.record.issue_url,
            auto_close=issue is not None and issue.is_answered,
        ),
        ci_status=InitialChecks(
            checks_started=bool(checks.passed or checks.failed or checks.pending), initial_status=ci_status(checks)
        ),
        summary=PullRequestSummary(
            files_in_pr=commit.files_changed,
            additions=sum(added for added, _ in counts),
            deletions=sum(removed for _, removed in counts),
            commits=1,
        ),
    )
