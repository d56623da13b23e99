"""Has a model change the files of one role, and checks what it wrote; one repair, then a blocker."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tribal.capabilities.contribution.agents.coder import change_of
from tribal.capabilities.contribution.agents.context import AgentContext
from tribal.capabilities.contribution.gate.diffs import added_lines
from tribal.capabilities.contribution.recipes.recipe import Edit, Files
from tribal.capabilities.contribution.writing.checks import failed
from tribal.capabilities.contribution.writing.edits import Role, TextEdit, apply_edits, edit_of, files_of
from tribal.capabilities.contribution.writing.faults import edit_faults, known_text
from tribal.capabilities.contribution.writing.prompt_data import (
    as_data,
    file_text,
    shown_diffs,
    shown_files,
    shown_issue,
)
from tribal.capabilities.contribution.writing.schemas import EDITOR
from tribal.capabilities.contribution.writing.texts import publishable
from tribal.errors import RepositoryUnusable
from tribal.ports.models.chains import Reading
from tribal_contracts.contribution.changes import CodeChange
from tribal_contracts.contribution.handoffs import Check, CodebaseMap, CurrentIssue, FileToModify, IssueAnalysis

_LINK = re.compile(r"(?:\]\(|^\s*\[[^\]]+\]:\s*|\b(?:href|src)=[\"'])(?!\w+:|#|//)([^)\s#\"']+)", re.MULTILINE)
_MOST_NOTES = 50
_MOST_OUTPUT = 6_000
"""Characters of a failed check that a model is shown: their end."""


@dataclass(frozen=True, slots=True)
class Note:
    """What a model says of one part of its change."""

    path: str
    name: str
    """Of a test, or the heading of a section; empty for code."""
    text: str


@dataclass(frozen=True, slots=True)
class RoleChange:
    """What a model wrote for one role."""

    changes: Sequence[CodeChange] = ()
    notes: Sequence[Note] = ()
    checks: Sequence[Check] = ()
    blockers: Sequence[str] = ()

    def notes_of(self, path: str) -> list[Note]:
        """Those about one file."""
        return [each for each in self.notes if each.path == path]


@dataclass(frozen=True, slots=True)
class _Answer:
    edits: Sequence[Edit]
    notes: Sequence[Note]
    faults: tuple[str, ...]


RunChecks = Callable[[Mapping[str, bytes]], list[Check]]


def write(context: AgentContext, role: Role, run_checks: RunChecks, changed: Sequence[CodeChange] = ()) -> RoleChange:
    """Have the files of a role changed.

    Args:
        context: of the agent.
        role: of the agent.
        run_checks: runs its checks on changed files, given by path.
        changed: what the coder has changed.

    Raises:
        RepositoryUnusable: when no answer of the model can be used.
    """
    writer = _Writer(context, role, changed)
    if not writer.named:
        return RoleChange()
    answer = writer.ask()
    checks = run_checks({each.path: each.after for each in answer.edits})
    broken = failed(checks)
    if broken is not None:
        answer = writer.ask(
            {
                "failed": {"command": broken.command, "output": broken.output[-_MOST_OUTPUT:]},
                "before": shown_diffs(map(change_of, answer.edits)),
            }
        )
        checks = run_checks({each.path: each.after for each in answer.edits})
        broken = failed(checks)
    blockers = [] if broken is None else [f"check {broken.name} failed: {broken.command}"]
    return RoleChange([change_of(each) for each in answer.edits], answer.notes, checks, blockers)


class _Writer:
    """One role's part of a change."""

    def __init__(self, context: AgentContext, role: Role, changed: Sequence[CodeChange]) -> None:
        self._context = context
        self._role = role
        self._changed = changed
        self._files: Files = context.source.files(context.record.base_commit)
        self._analysis = context.earlier(IssueAnalysis).analysis
        layout = context.earlier(CodebaseMap).structure
        self.named: list[FileToModify] = files_of(role, self._analysis.files_to_modify, layout)

    def ask(self, more: Mapping[str, Any] | None = None) -> _Answer:
        """Ask for edits.

        Raises:
            RepositoryUnusable: when they still have faults after a repair.
        """
        data = {**self._data(), **(more or {})}
        with self._context.open_model() as model:
            answer: _Answer = model.ask("issue_editor.md", EDITOR, data, self._read)
        if answer.faults:
            raise RepositoryUnusable(f"what the model wrote cannot be used: {'; '.join(answer.faults)}")
        return answer

    def _data(self) -> dict[str, Any]:
        present = shown_files(self._files, [each.path for each in self.named])
        created = [{"path": each.path, "new": "yes"} for each in self.named if each.change_type == "create"]
        read = self._context.earlier(CurrentIssue).files_to_read
        own = {each.path for each in self._analysis.files_to_modify}
        style = self._context.earlier(CodebaseMap).code_style
        return {
            "role": self._role,
            "issue": shown_issue(self._context.required_issue),
            "summary": self._analysis.summary,
            "requirements": self._analysis.requirements,
            "style": style.model_dump(mode="json"),
            "files": [*as_data(present), *created],
            "others": as_data(shown_files(self._files, [each for each in read if each not in own])),
            "changed": shown_diffs(self._changed),
        }

    def _read(self, value: Mapping[str, Any]) -> Reading[_Answer]:
        edits = [TextEdit(each["path"], each["search"], each["replace"]) for each in value["edits"]]
        notes = [
            Note(each["path"], publishable(each["name"]), publishable(each["text"]))
            for each in value["notes"][:_MOST_NOTES]
        ]
        present = {
            each.path: None if each.change_type == "create" else file_text(self._files, each.path)
            for each in self.named
        }
        edited = apply_edits(edits, present)
        faults = list(edited.faults)
        made = [self._edit(path, text, notes) for path, text in edited.texts.items()]
        if not made and not faults:
            faults.append("the edits change nothing")
        faults += self._faults(made)
        return Reading(_Answer(made, notes, tuple(faults)), tuple(faults))

    def _edit(self, path: str, text: str, notes: Sequence[Note]) -> Edit:
        before = self._files.read(path) if path in self._files.paths else None
        said = next((each.text for each in notes if each.path == path and each.text), "")
        planned = next(each.description for each in self.named if each.path == path)
        return edit_of(path, before, text, said or planned)

    def _faults(self, made: Sequence[Edit]) -> list[str]:
        known = known_text(self._context, self._files, [each.path for each in self.named])
        known += "\n".join(each.diff for each in self._changed)
        before = sum(each.lines_changed.total for each in self._changed)
        faults = edit_faults(made, known, self._context.limits.issue_lines - before)
        if self._role == "documents":
            faults += [
                f"{each.path}: a link leads nowhere" for each in made if self._has_broken_link(change_of(each), made)
            ]
        return faults

    def _has_broken_link(self, change: CodeChange, made: Sequence[Edit]) -> bool:
        present = {*self._files.paths, *(each.path for each in made), *(each.file for each in self._changed)}
        present |= {posixpath.dirname(path) for path in present}
        targets = _LINK.findall("\n".join(added_lines(change.diff)))
        places = [posixpath.normpath(posixpath.join(posixpath.dirname(change.file), each)) for each in targets]
        return any(each.lstrip("/") not in present for each in places)
