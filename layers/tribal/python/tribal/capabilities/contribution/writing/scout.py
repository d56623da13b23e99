"""Agent 1 by a model: says whether an issue is small and clear enough, and which files to read for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tribal.capabilities.contribution.agents.context import AgentContext
from tribal.capabilities.contribution.agents.scout import issue_repository
from tribal.capabilities.contribution.facts.project import project_facts
from tribal.capabilities.contribution.writing.prompt_data import (
    as_data,
    shown_files,
    shown_issue,
    shown_paths,
    unreadable,
)
from tribal.capabilities.contribution.writing.schemas import HARD, SCOUT
from tribal.capabilities.contribution.writing.texts import publishable
from tribal.ports.models.chains import Reading
from tribal_contracts.contribution.handoffs import CurrentIssue, SelectedIssue

_MOST_READ = 12
"""Files that the analyst reads; a judgement."""
_FIRST = ("README.md", "README.rst", "README", "CONTRIBUTING.md")


def scout(context: AgentContext) -> CurrentIssue:
    """Judge the issue of a cycle."""
    record, issue = context.record, context.required_issue
    files = context.source.files(record.base_commit)
    data = {
        "issue": shown_issue(issue),
        "paths": shown_paths(files),
        "files": as_data(shown_files(files, _FIRST)),
        "limits": {"files": context.limits.files, "lines": context.limits.issue_lines},
    }

    def read(value: Mapping[str, Any]) -> Reading[Mapping[str, Any]]:
        found = [each for each in dict.fromkeys(value["read"]) if unreadable(files, each) is None]
        faults = () if found or not value["read"] else ("`read` names no file of `paths` that can be read",)
        return Reading({**value, "read": found[:_MOST_READ]}, faults)

    with context.open_model() as model:
        answer = model.ask("issue_scout.md", SCOUT, data, read)
    is_hard = answer["difficulty"] == HARD
    blockers = []
    if is_hard or not answer["suitable"]:
        blockers.append(unsuitable("too large for a contribution" if is_hard else "unsuitable", answer))
    return CurrentIssue(
        agent="agent-1-scout",
        timestamp=context.now,
        cycle=record.cycle,
        status="completed",
        selected_issue=SelectedIssue(
            url=issue.url,
            title=issue.title,
            body=issue.body,
            labels=issue.labels,
            repository=issue_repository(context.source.state, project_facts(files)),
            comments_count=issue.comments,
            created_at=issue.created_at,
            difficulty_estimate="medium" if is_hard else answer["difficulty"],
            type=answer["type"],
        ),
        alternatives=record.alternatives,
        search_stats=record.search_stats,
        files_to_read=answer["read"],
        blockers=blockers,
    )


def unsuitable(what: str, answer: Mapping[str, Any]) -> str:
    """The blocker of an issue that a model leaves to people, with its reason if that can be repeated."""
    reason = publishable(answer["problem"]).rstrip(".")
    return (
        f"the model finds the issue {what}{f': {reason}' if reason else ''}; describe it more exactly, or do it by hand"
    )
