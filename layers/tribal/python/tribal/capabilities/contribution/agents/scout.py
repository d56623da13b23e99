"""Agent 1: selects what a cycle works on."""

from __future__ import annotations

from tribal.capabilities.contribution.agents.context import AgentContext, record_title
from tribal.capabilities.contribution.facts.project import ProjectFacts, project_facts
from tribal.ports.repositories import RepositoryState
from tribal.rendering.markdown import code_span, escape_text
from tribal_contracts.contribution.handoffs import (
    CurrentIssue,
    IssueRepository,
    OfferedDescription,
    SelectedIssue,
)

LABELS = ["documentation"]


def scout(context: AgentContext) -> CurrentIssue:
    """Describe the batch that was selected as an issue."""
    record, state, issue = context.record, context.source.state, context.record.issue
    facts = project_facts(context.source.files(record.base_commit))
    return CurrentIssue(
        agent="agent-1-scout",
        timestamp=context.now,
        cycle=record.cycle,
        status="completed",
        selected_issue=SelectedIssue(
            url=record.issue_url,
            title=record_title(record) if issue is None else issue.title,
            body=issue_body(record.database, record.descriptions) if issue is None else issue.body,
            labels=LABELS if issue is None else issue.labels,
            repository=issue_repository(state, facts),
            comments_count=0 if issue is None else issue.comments,
            created_at=record.started_at if issue is None else issue.created_at,
            difficulty_estimate="trivial",
            type="documentation",
            descriptions=record.descriptions,
        ),
        alternatives=record.alternatives,
        search_stats=record.search_stats,
    )


def issue_repository(state: RepositoryState, facts: ProjectFacts) -> IssueRepository:
    """The repository of an issue."""
    return IssueRepository(
        owner=state.owner, name=state.name, url=state.url, language=facts.language, stars=0, license=facts.license
    )


def issue_body(database: str, descriptions: list[OfferedDescription]) -> str:
    """What the issue asks for, in Markdown."""
    lines = [f"These tables and columns of {code_span(database)} have a description that the repository lacks:", ""]
    for each in descriptions:
        name = f"{each.schema_name}.{each.table}" + (f".{each.column}" if each.column is not None else "")
        lines.append(f"- {code_span(name)}: {escape_text(' '.join(each.text.split()))}")
    return "\n".join(lines) + "\n"
