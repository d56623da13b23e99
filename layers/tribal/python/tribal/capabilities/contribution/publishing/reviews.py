"""Agent 8: finds out what became of a published contribution."""

from __future__ import annotations

from tribal.capabilities.contribution.agents.context import AgentContext
from tribal.capabilities.contribution.recipes.recipe import TargetName, folded
from tribal_contracts.contribution.reviews import FinalOutcome, FollowedPullRequest, PRCreated, ReviewActivity


def review(context: AgentContext) -> ReviewActivity:
    """Look whether the branch was merged, is open, or was deleted."""
    created = context.earlier(PRCreated)
    commit = created.commits[0].sha
    merged = context.forge.merged_at(commit)
    outcome: FinalOutcome | None = None
    if merged is not None or _is_said(context):
        outcome = FinalOutcome(
            result="merged",
            timestamp=context.now,
            merged_by=None,
            merge_commit=merged or context.source.state.base_commit,
        )
    elif context.forge.find_branch(created.pr.branch) is None:
        outcome = FinalOutcome(result="closed", timestamp=context.now, merged_by=None, merge_commit=None)
    return ReviewActivity(
        agent="agent-8-reviews",
        timestamp=context.now,
        cycle=context.record.cycle,
        status="monitoring" if outcome is None else "completed",
        pr=FollowedPullRequest(
            url="",
            number=0,
            state="open" if outcome is None else "merged" if outcome.result == "merged" else "closed",
        ),
        activity=[],
        ci_history=[],
        final_outcome=outcome,
    )


def _is_said(context: AgentContext) -> bool:
    """Whether the base branch says every text, as after a squash or a rebase."""
    recipe = context.source.recipe(context.dialect)
    return all(
        (said := recipe.said(TargetName(each.schema_name, each.table, each.column))) is not None
        and folded(said.text) == folded(each.text)
        for each in context.record.descriptions
    )
