"""Agent 4: makes the change by the recipe of the repository."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tribal.capabilities.contribution.agents.context import AgentContext, edit_context, edits_of
from tribal.capabilities.contribution.errors import PatchInvalid
from tribal.capabilities.contribution.facts.attributes import edit_problem
from tribal.capabilities.contribution.facts.forbidden import forbidden_path, forbidden_place, is_binary
from tribal.capabilities.contribution.facts.guidelines import CONVENTIONAL
from tribal.capabilities.contribution.gate.diffs import count_lines, unified_diff
from tribal.capabilities.contribution.recipes.recipe import Edit, Edits
from tribal.errors import RepositoryUnreadable
from tribal.identity.table_names import slug
from tribal.rendering.words import listing, number
from tribal_contracts.contribution.changes import CodeChange, CodeChanges, CodeSummary, CodeValidation, LinesChanged
from tribal_contracts.contribution.handoffs import Check, IssueAnalysis, IssueType

_LONGEST_SLUG = 40
_CONVENTIONAL_TYPES: Mapping[IssueType, str] = {
    "documentation": "docs",
    "bug-fix": "fix",
    "feature": "feat",
    "test": "test",
    "refactor": "refactor",
}


def coder(context: AgentContext) -> CodeChanges:
    """Make the edits, and check them."""
    edits = context.edits()
    changes = [change_of(edit) for edit in edits.edits]
    taken, unread = _taken_elsewhere(context, edits)
    blockers = [*_blockers(context, edits), *_over_limits(context, changes), *taken]
    checks = [
        Check(name=each.name, status="passed" if each.passed else "failed", command="", output=each.output)
        for each in edits.checks
    ]
    failed = [f"check {each.name} failed: {each.output}" for each in checks if each.status == "failed"]
    return CodeChanges(
        agent="agent-4-coder",
        timestamp=context.now,
        cycle=context.record.cycle,
        status="completed",
        branch=branch_of(context),
        changes=changes,
        # The checks of a recipe decide alone; those of the repository run where its change is reviewed.
        validation=CodeValidation(
            lint_passed=not failed,
            typecheck_passed=not failed,
            build_passed=not failed,
            tests_passed=not failed,
            errors=failed,
        ),
        summary=summary_of(changes),
        commit_ready=not (failed or blockers),
        suggested_commit_message=commit_message(context),
        checks=checks,
        blockers=[*blockers, *failed],
        warnings=[*edits.warnings, *unread],
        notes=list(edits.notes),
        identifiers=list(edits.identifiers),
    )


def summary_of(changes: Sequence[CodeChange]) -> CodeSummary:
    """The size of a change."""
    return CodeSummary(
        total_files_changed=len(changes),
        total_additions=sum(each.lines_changed.added for each in changes),
        total_deletions=sum(each.lines_changed.removed for each in changes),
    )


def branch_of(context: AgentContext) -> str:
    """The branch of a cycle. Source: docs/contracts.md, Contribution."""
    record, title = context.record, slug(context.title).replace("_", "-")
    if len(title) > _LONGEST_SLUG:
        title = title[: _LONGEST_SLUG + 1].rpartition("-")[0] or title[:_LONGEST_SLUG]
    return f"tribal/{record.swarm_id[:8]}-{record.cycle}-{title.strip('-')}"


def commit_message(context: AgentContext) -> str:
    """The message of the commit, with the trailer by which it is recognised."""
    record, title, analysis = context.record, context.title, context.earlier(IssueAnalysis)
    if analysis.repository_context.commit_convention == CONVENTIONAL:
        title = f"{_CONVENTIONAL_TYPES[analysis.analysis.type]}: {title[0].lower()}{title[1:]}"
    trailer = f"Tribal-Cycle: {record.swarm_id}:{record.cycle}"
    return f"{title}\n\nPrepared by Tribal Knowledge, approved by {{approved_by}}.\n\n{trailer}\n"


def diffs_of(edits: Edits) -> dict[str, str]:
    """The diff of each file, by path.

    Raises:
        PatchInvalid: when a file is not UTF-8.
    """
    return {each.path: _diff(each) for each in edits.edits}


def _diff(edit: Edit) -> str:
    return unified_diff(edit.path, _text(edit.path, edit.before), _text(edit.path, edit.after))


def change_of(edit: Edit) -> CodeChange:
    """The change that an edit is.

    Raises:
        PatchInvalid: when the file is not UTF-8.
    """
    diff = _diff(edit)
    added, removed = count_lines(diff)
    return CodeChange(
        file=edit.path,
        action="created" if edit.before is None else "modified",
        diff=diff,
        lines_changed=LinesChanged(added=added, removed=removed),
        description=edit.description,
    )


def _text(path: str, content: bytes | None) -> str | None:
    try:
        return None if content is None else content.decode()
    except UnicodeDecodeError as error:
        raise PatchInvalid(f"{path!r} is not UTF-8; save it as UTF-8 first") from error


def _blockers(context: AgentContext, edits: Edits) -> list[str]:
    files = context.source.files(context.record.base_commit)
    entries = context.source.tree(context.record.base_commit).entries
    found = []
    for edit in edits.edits:
        problem = (
            forbidden_path(edit.path)
            or forbidden_place(edit.path, entries)
            or edit_problem(files, edit.path, edit.before)
            or ("it would be a binary file" if is_binary(edit.after) else None)
        )
        if problem is not None:
            found.append(f"{edit.path!r} cannot be changed: {problem}")
    return found


def _taken_elsewhere(context: AgentContext, edits: Edits) -> tuple[list[str], list[str]]:
    """Blockers for new files whose number an open pull request of someone else takes, and what could not be read."""
    created = [each.path for each in edits.edits if each.before is None]
    with context.open_forge("follow") as forge:
        if not (created and forge.has_pull_requests):
            return [], []
        try:
            added = forge.added_elsewhere()
        except RepositoryUnreadable:
            return [], ["open pull requests may not be read, so one of them may add a migration of the same number"]
    others = edits_of(context.recipe, context.texts(), edit_context(context.record, context.taken | added.keys()))
    if created == [each.path for each in others.edits if each.before is None]:
        return [], []
    folder = created[0].rpartition("/")[0]
    numbers = [f"#{number}" for path, number in added.items() if path.rpartition("/")[0] == folder]
    problem = (
        f"{created[0]!r} has the number of a file that open pull request {listing(numbers)} adds; merge or close it"
    )
    return [problem], []


def _over_limits(context: AgentContext, changes: list[CodeChange]) -> list[str]:
    limits = context.limits
    lines = sum(each.lines_changed.total for each in changes)
    found = []
    if len(changes) > limits.files:
        found.append(f"it changes {number(len(changes), 'file')}; contribution.limits.files is {limits.files}")
    if lines > limits.lines:
        found.append(f"it changes {number(lines, 'line')}; contribution.limits.lines is {limits.lines}")
    return found
