"""Approvals: what a person approved, until when, and whether it is still what would be published."""

from __future__ import annotations

from datetime import datetime, timedelta

from tribal.capabilities.contribution.agents.coder import diffs_of
from tribal.capabilities.contribution.agents.context import AgentContext, edit_context, edits_of
from tribal.capabilities.contribution.errors import ApprovalMissing, ApprovalStale
from tribal.capabilities.contribution.publishing.publication import (
    diffs_in,
    follow_up_hash,
    patch_of,
    publication_hash,
    publication_of,
)
from tribal.errors import RepositoryUnusable
from tribal.jobs.clock import iso_timestamp
from tribal_contracts.contribution.cycles import Approval, CycleRecord

VALID_FOR = timedelta(hours=24)
TYPED = 8
"""How many characters of the hash a person types."""


def current_hash(context: AgentContext) -> str:
    """The hash of what would be published now.

    Raises:
        ApprovalStale: when the base branch has changed in a way that the diff does not fit.
    """
    if context.record.follow_up is not None:
        return follow_up_hash(context.record.follow_up, publication_of(context))
    require_fitting(context)
    return publication_hash(publication_of(context), patch_of(context.handoffs))


def new_approval(record: CycleRecord, sha256: str, approved_by: str, now: datetime, signed_off_as: str) -> Approval:
    """A person's approval of what has this hash."""
    return Approval(
        cycle=record.cycle,
        number=record.approvals + 1,
        sha256=sha256,
        approved_by=approved_by,
        approved_at=iso_timestamp(now, "seconds"),
        expires_at=iso_timestamp(now + VALID_FOR, "seconds"),
        signed_off_as=signed_off_as or None,
    )


def is_valid(approval: Approval | None, sha256: str, now: datetime) -> bool:
    """Whether an approval is for this hash and has not expired."""
    return approval is not None and approval.sha256 == sha256 and now < datetime.fromisoformat(approval.expires_at)


def require_current(context: AgentContext, approval: Approval) -> None:
    """Check everything that an approval depends on, before anything is written.

    Raises:
        ApprovalStale: when it has expired, or is for something else than what would be published.
    """
    cycle = context.record.cycle
    if context.source.deadline.clock.real() >= datetime.fromisoformat(approval.expires_at):
        raise ApprovalStale(f"the approval of contribution {cycle} has expired; approve it again")
    if current_hash(context) != approval.sha256:
        raise ApprovalStale(
            f"contribution {cycle} is no longer what was approved; look at it with `tribal contribute show {cycle}`"
            " and approve it again"
        )


def require_fitting(context: AgentContext) -> None:
    """Check that the newest base commit still has the files that are changed as they were.

    The edits of a recipe are made again: they have to give the same diff, and still be needed.

    Raises:
        ApprovalStale: when the base branch has changed a file of the diff, taken its number, or says something by now.
    """
    state, record = context.source.state, context.record
    if state.base_commit == record.base_commit:
        return
    if record.recipe is None:
        before, after = (context.source.tree(each).entries for each in (record.base_commit, state.base_commit))
        if any(before.get(path) != after.get(path) for path in diffs_in(context.handoffs)):
            raise _outdated(record)
        return
    try:
        recipe = context.source.recipe(context.dialect, state.base_commit)
        diffs = diffs_of(edits_of(recipe, context.texts(), edit_context(record, context.taken)))
    except RepositoryUnusable as error:
        raise _outdated(record) from error
    is_said = any(recipe.said(each.target) is not None for each in context.texts())
    if is_said or diffs != diffs_in(context.handoffs):
        raise _outdated(record)


def _outdated(record: CycleRecord) -> ApprovalStale:
    return ApprovalStale(
        f"the base branch has changed what contribution {record.cycle} changes; run `tribal contribute abort"
        f" {record.cycle}` and prepare it again"
    )


def require_typed(sha256: str, typed: str) -> None:
    """Make sure that a person has typed the start of a hash.

    Raises:
        ApprovalMissing: when it is something else.
    """
    if typed.strip().lower() != sha256[:TYPED]:
        raise ApprovalMissing(f"these are not the first {TYPED} characters of the hash; nothing was published")
