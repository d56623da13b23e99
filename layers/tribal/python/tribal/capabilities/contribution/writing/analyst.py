"""Agent 2 by a model: says what a change has to do, and which files it touches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tribal.capabilities.contribution.agents.analyst import expectations, time_for
from tribal.capabilities.contribution.agents.context import AgentContext
from tribal.capabilities.contribution.facts.attributes import edit_problem
from tribal.capabilities.contribution.facts.forbidden import forbidden_path, forbidden_place
from tribal.capabilities.contribution.facts.project import project_facts
from tribal.capabilities.contribution.recipes.recipe import Files
from tribal.capabilities.contribution.writing.edits import files_of
from tribal.capabilities.contribution.writing.prompt_data import (
    as_data,
    shown_files,
    shown_issue,
    shown_paths,
    unreadable,
)
from tribal.capabilities.contribution.writing.schemas import ANALYST, HARD
from tribal.capabilities.contribution.writing.scout import unsuitable
from tribal.capabilities.contribution.writing.texts import publishable
from tribal.ports.models.chains import Reading
from tribal.rendering.words import number
from tribal_contracts.contribution.handoffs import (
    Analysis,
    CurrentIssue,
    FileToModify,
    ImplementationPlan,
    IssueAnalysis,
)

_MOST_STEPS = 20
_LONGEST_NAME_BYTES = 255
_LONGEST_TITLE = 70
"""git shows some 70 characters of a title."""
_UNPUBLISHABLE = "`title` and `summary` are empty, or have an address, a mention, a reference or a secret"


def analyst(context: AgentContext) -> IssueAnalysis:
    """Plan the change that the issue of a cycle asks for."""
    record, issue = context.record, context.earlier(CurrentIssue)
    files = context.source.files(record.base_commit)
    facts = project_facts(files)
    data = {
        "issue": shown_issue(context.required_issue),
        "paths": shown_paths(files),
        "files": as_data(shown_files(files, issue.files_to_read)),
        "folders": {"tests": facts.layout.test_dir, "documents": facts.layout.docs_dir},
        "limits": {"files": context.limits.files, "lines": context.limits.issue_lines},
    }
    with context.open_model() as model:
        answer = model.ask("issue_analyst.md", ANALYST, data, lambda value: _read(value, files))
    is_hard = answer["complexity"] == HARD
    blockers = []
    if not answer["clear"] or is_hard:
        blockers.append(unsuitable("too large for a contribution" if is_hard else "unclear", answer))
    else:
        blockers += _blockers(context, files, answer)
    named, lines = answer["files"], answer["lines"]
    return IssueAnalysis(
        agent="agent-2-analyst",
        timestamp=context.now,
        cycle=record.cycle,
        status="completed",
        issue_url=record.issue_url,
        analysis=Analysis(
            summary=answer["summary"],
            type=issue.selected_issue.type,
            complexity="medium" if is_hard else answer["complexity"],
            estimated_loc_change=lines,
            breaking_change=answer["breaking"],
            requirements=answer["requirements"],
            files_to_modify=named,
            tests_required=bool(files_of("tests", named, facts.layout)),
            docs_update_required=bool(files_of("documents", named, facts.layout)),
        ),
        repository_context=expectations(facts),
        implementation_plan=ImplementationPlan(
            steps=answer["steps"], estimated_time=time_for(lines), risk_level=answer["risk"]
        ),
        warnings=["the model calls it a breaking change"] if answer["breaking"] else [],
        title=answer["title"],
        blockers=blockers,
    )


def _read(value: Mapping[str, Any], files: Files) -> Reading[Mapping[str, Any]]:
    """The answer with typed files and texts that may be published."""
    named = [
        FileToModify(path=each["path"], change_type=each["change"], description=publishable(each["why"]))
        for each in value["files"]
    ]
    texts = {
        key: [found for each in value[key] if (found := publishable(each))][:_MOST_STEPS]
        for key in ("requirements", "steps")
    }
    title, summary = publishable(value["title"], _LONGEST_TITLE).rstrip("."), publishable(value["summary"])
    own = {"files": named, "title": title, "summary": summary, "lines": max(0, value["lines"])}
    faults = [
        f"file {place} is to be {'created, but exists' if exists else 'edited, but does not exist'}"
        for place, each in enumerate(named, 1)
        if (exists := each.path in files.paths) != (each.change_type == "edit")
    ]
    if value["clear"]:
        faults += [] if named else ["`files` is empty"]
        faults += [] if title and summary else [_UNPUBLISHABLE]
    return Reading({**value, **texts, **own}, tuple(faults))


def _misplaced(path: str, files: Files, named: Sequence[FileToModify]) -> str | None:
    """Say why no file can have a path; `None` if one can."""
    if any(len(part.encode()) > _LONGEST_NAME_BYTES for part in path.split("/")):
        return "its name is too long"
    others = [*files.paths, *(each.path for each in named)]
    return "it is a folder" if any(each.startswith(f"{path}/") for each in others) else None


def _blockers(context: AgentContext, files: Files, answer: Mapping[str, Any]) -> list[str]:
    """Why a plan is not carried out."""
    named: list[FileToModify] = answer["files"]
    limits, entries = context.limits, context.source.tree(context.record.base_commit).entries
    found = [] if answer["title"] and answer["summary"] else ["the model's texts cannot be published"]
    found += [] if named else ["the model names no file to change"]
    if len(named) > limits.files:
        found.append(f"it would change {number(len(named), 'file')}; contribution.limits.files is {limits.files}")
    if answer["lines"] > limits.issue_lines:
        found.append(
            f"it would change some {answer['lines']:,} lines; contribution.limits.issue_lines is {limits.issue_lines}"
        )
    for each in named:
        problem = (
            forbidden_path(each.path) or forbidden_place(each.path, entries) or _misplaced(each.path, files, named)
        )
        if problem is None and each.change_type == "edit":
            problem = unreadable(files, each.path) or edit_problem(files, each.path, files.read(each.path))
        elif problem is None and each.path in entries:
            problem = "it exists"
        if problem is not None:
            found.append(f"{each.path!r} cannot be changed: {problem}")
    return found
