"""Finds what speaks against publishing what a model wrote."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tribal.capabilities.contribution.agents.coder import change_of
from tribal.capabilities.contribution.agents.context import AgentContext
from tribal.capabilities.contribution.facts.rules import rule_files
from tribal.capabilities.contribution.gate.diffs import added_lines
from tribal.capabilities.contribution.gate.screening import problem_of
from tribal.capabilities.contribution.recipes.recipe import Edit, Files
from tribal.capabilities.contribution.writing.additions import is_manifest, unknown_sources
from tribal.capabilities.contribution.writing.prompt_data import shown_files
from tribal.rendering.words import number
from tribal_contracts.contribution.handoffs import CurrentIssue


def edit_faults(made: Sequence[Edit], known: str, most_lines: int) -> list[str]:
    """What is wrong with edits, for people and for the model: additions from elsewhere, secrets, and too many lines.

    Args:
        made: the edits.
        known: everything that may be mentioned, from `known_text`.
        most_lines: lines that may be added and removed.
    """
    faults, lines = [], 0
    for change in map(change_of, made):
        lines += change.lines_changed.total
        places = unknown_sources(change.file, change.diff, known)
        faults += [f"{change.file}: it adds {each}, which nothing mentions" for each in places]
        problem = problem_of("\n".join(added_lines(change.diff)))
        faults += [] if problem is None else [f"{change.file}: {problem}"]
    if lines > most_lines:
        faults.append(f"it changes {number(lines, 'line')}; at most {max(most_lines, 0)} are allowed")
    return faults


def known_text(context: AgentContext, files: Files, paths: Iterable[str]) -> str:
    """Everything that the repository and the issue say about where things come from.

    Args:
        context: of the agent.
        files: of the commit that is changed.
        paths: files to read besides those of the analysis, rules and lists of dependencies.
    """
    issue, read = context.required_issue, context.earlier(CurrentIssue).files_to_read
    manifests = [path for path in files.paths if is_manifest(path)]
    shown = shown_files(files, [*rule_files(files.paths), *manifests, *read, *paths])
    texts = [issue.title, issue.body, context.source.state.url, *files.paths, *shown.values()]
    return "\n".join(texts)
