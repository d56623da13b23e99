"""Contracts of contribution: hand-offs between its agents, cycles, approvals, settings and tools."""

from __future__ import annotations

from pydantic import BaseModel

from tribal_contracts.contribution.changes import CodeChanges, DocsChanges, TestChanges
from tribal_contracts.contribution.cycles import Approval, CycleRecord, SwarmStatus
from tribal_contracts.contribution.handoffs import AgentName, CodebaseMap, CurrentIssue, Handoff, IssueAnalysis
from tribal_contracts.contribution.reviews import PRCreated, ReviewActivity
from tribal_contracts.contribution.settings import ContributionSettings
from tribal_contracts.contribution.tools import (
    ApprovalAccepted,
    ApprovalInput,
    ContributionOutput,
    GetContributionInput,
    ListContributionsInput,
    ListContributionsOutput,
    PrepareContributionInput,
)

HANDOFFS: dict[AgentName, tuple[str, type[Handoff]]] = {
    "agent-1-scout": ("current-issue", CurrentIssue),
    "agent-2-analyst": ("issue-analysis", IssueAnalysis),
    "agent-3-explorer": ("codebase-map", CodebaseMap),
    "agent-4-coder": ("code-changes", CodeChanges),
    "agent-5-tester": ("test-changes", TestChanges),
    "agent-6-docs": ("docs-changes", DocsChanges),
    "agent-7-pr": ("pr-created", PRCreated),
    "agent-8-reviews": ("review-activity", ReviewActivity),
}
"""The file, without its ending, and the model of each agent's hand-off, in order."""

EXPORTED: dict[str, type[BaseModel]] = {
    **dict(HANDOFFS.values()),
    "swarm-status": SwarmStatus,
    "contribution-cycle": CycleRecord,
    "contribution-approval": Approval,
    "contribution-approval-input": ApprovalInput,
    "contribution-approval-accepted": ApprovalAccepted,
    "list-contributions-input": ListContributionsInput,
    "list-contributions-output": ListContributionsOutput,
    "prepare-contribution-input": PrepareContributionInput,
    "prepare-contribution-output": ContributionOutput,
    "get-contribution-input": GetContributionInput,
    "get-contribution-output": ContributionOutput,
}
"""The contracts exported as JSON Schema, by file name."""

__all__ = ["EXPORTED", "HANDOFFS", "ContributionSettings"]
