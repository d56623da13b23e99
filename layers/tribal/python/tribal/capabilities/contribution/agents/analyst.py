"""Agent 2: says what the change consists of, and what the repository expects of it."""

from __future__ import annotations

from tribal.capabilities.contribution.agents.coder import change_of
from tribal.capabilities.contribution.agents.context import AgentContext
from tribal.capabilities.contribution.facts.project import ProjectFacts, project_facts
from tribal.rendering.words import number
from tribal_contracts.contribution.handoffs import (
    Analysis,
    FileToModify,
    ImplementationPlan,
    IssueAnalysis,
    RepositoryContext,
)

_QUICK, _MODERATE = 50, 150
"""Lines up to which a change takes under one hour, and up to four. Source: docs/contracts.md, Contribution."""


def analyst(context: AgentContext) -> IssueAnalysis:
    """Plan the edits of the recipe."""
    edits = context.edits()
    changes = [change_of(each) for each in edits.edits]
    lines = sum(each.lines_changed.total for each in changes)
    facts = project_facts(context.source.files(context.record.base_commit))
    described = number(len(context.record.descriptions), "description")
    return IssueAnalysis(
        agent="agent-2-analyst",
        timestamp=context.now,
        cycle=context.record.cycle,
        status="completed",
        issue_url=context.record.issue_url,
        analysis=Analysis(
            summary=f"Add {described} by the recipe {context.recipe.name}.",
            type="documentation",
            complexity="trivial",
            estimated_loc_change=lines,
            breaking_change=False,
            requirements=["every text reads back as it was written", "no other line changes"],
            files_to_modify=[
                FileToModify(
                    path=each.file,
                    change_type="create" if each.action == "created" else "edit",
                    description=each.description,
                )
                for each in changes
            ],
            tests_required=False,
            docs_update_required=False,
        ),
        repository_context=expectations(facts),
        implementation_plan=ImplementationPlan(
            steps=[f"{each.file}: {each.description}" for each in changes],
            estimated_time=time_for(lines),
            risk_level="low",
        ),
        warnings=list(edits.warnings),
    )


def expectations(facts: ProjectFacts) -> RepositoryContext:
    """The repository's rules for contributions."""
    guidelines = facts.guidelines
    return RepositoryContext(
        contributing_guidelines=f"{guidelines.path}\n\n{guidelines.text}" if guidelines.path else "",
        pr_template_exists=bool(guidelines.template_path),
        code_style=", ".join(filter(None, (facts.style.formatter, facts.style.linter))),
        branch_naming=guidelines.branch_naming,
        commit_convention=guidelines.commit_convention,
    )


def time_for(lines: int) -> str:
    """How long a change of so many lines takes."""
    if lines <= _QUICK:
        return "under 1 hour"
    return "1-4 hours" if lines <= _MODERATE else "over 4 hours"
