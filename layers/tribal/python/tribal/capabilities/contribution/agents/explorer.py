"""Agent 3: reads what the repository says about itself, and whether its rules allow the change."""

from __future__ import annotations

from collections.abc import Iterator

from tribal.capabilities.contribution.agents.context import AgentContext
from tribal.capabilities.contribution.facts.guidelines import Guidelines
from tribal.capabilities.contribution.facts.project import project_facts
from tribal.capabilities.contribution.facts.rules import find_prohibitions, rule_files
from tribal.capabilities.contribution.recipes.recipe import Files
from tribal.identity.hashing import bytes_hash
from tribal.rendering.words import listing
from tribal_contracts.contribution.handoffs import (
    CodebaseMap,
    CurrentIssue,
    Insights,
    IssueAnalysis,
    MappedRepository,
    ReferencedFile,
    RelevantFile,
    RelevantFiles,
)

_MOST_LISTED = 50


def explorer(context: AgentContext) -> CodebaseMap:
    """Map the repository at the base commit of the cycle."""
    state, analysis = context.source.state, context.earlier(IssueAnalysis).analysis
    files = context.source.files(context.record.base_commit)
    facts = project_facts(files)
    return CodebaseMap(
        agent="agent-3-explorer",
        timestamp=context.now,
        cycle=context.record.cycle,
        status="completed",
        repository=MappedRepository(
            owner=state.owner,
            name=state.name,
            local_path="",
            branch=state.default_branch,
            default_branch=state.default_branch,
        ),
        structure=facts.layout,
        relevant_files=RelevantFiles(
            to_modify=[RelevantFile(path=each.path, purpose=each.description) for each in analysis.files_to_modify],
            to_reference=[
                *(ReferencedFile(path=each, purpose="rules of the project") for each in rule_files(files.paths)),
                *(
                    ReferencedFile(path=each, purpose="read for the analysis")
                    for each in context.earlier(CurrentIssue).files_to_read
                ),
            ],
            tests=_below(facts.layout.test_dir, files),
            docs=_below(facts.layout.docs_dir, files),
        ),
        code_style=facts.style,
        build_commands=facts.commands,
        insights=Insights(
            patterns_observed=[*_recipe(context), *facts.insights],
            potential_gotchas=list(_gotchas(context, facts.guidelines)),
        ),
        sign_off=facts.guidelines.sign_off,
        blockers=list(_blockers(context, files, facts.guidelines)),
    )


def _recipe(context: AgentContext) -> Iterator[str]:
    if context.record.recipe is not None:
        yield f"recipe {context.recipe.name}, in {context.recipe.folder or 'the root'}"


def _below(folder: str, files: Files) -> list[str]:
    """Files below a folder, the first ones if there are many."""
    return [path for path in files.paths if folder and path.startswith(f"{folder}/")][:_MOST_LISTED]


def _blockers(context: AgentContext, files: Files, guidelines: Guidelines) -> Iterator[str]:
    for each in find_prohibitions(files, context.source.entry.acknowledged):
        yield (
            f"{each.path}, line {each.line}, seems to forbid changes that a machine made: {each.quote!r}; if it does"
            f" not, add {each.key!r} to `acknowledged` of repository {context.source.entry.name!r}"
        )
    key = bytes_hash(guidelines.agreement.encode())[:8]
    if guidelines.agreement and key not in context.source.entry.acknowledged:
        yield (
            f"{guidelines.agreement} asks contributors for an agreement, which a program cannot sign; if it does"
            f" not, add {key!r} to `acknowledged` of repository {context.source.entry.name!r}"
        )
    if guidelines.sign_off and guidelines.signed_commits:
        yield (
            f"{guidelines.sign_off} asks for a sign-off and {guidelines.signed_commits} for signed commits, which a"
            " program cannot give together"
        )


def _gotchas(context: AgentContext, guidelines: Guidelines) -> Iterator[str]:
    paths = [each.path for each in context.earlier(IssueAnalysis).analysis.files_to_modify]
    uncommitted = context.source.repository.uncommitted(paths)
    if uncommitted:
        yield f"{listing(uncommitted)} has uncommitted changes; the contribution starts from what is committed"
    if guidelines.signed_commits:
        yield f"{guidelines.signed_commits} asks for signed commits; sign the commit before you push it"
    if guidelines.template_path:
        yield f"{guidelines.template_path} is a template for pull requests; fill it in when you open one"
