"""Edits by exact search and replace, in the files that the analysis named."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from tribal.capabilities.contribution.recipes.recipe import Edit
from tribal_contracts.contribution.handoffs import FileToModify, RepositoryLayout

Role = Literal["code", "tests", "documents"]
_DOCUMENT = re.compile(
    r"(?:.*\.(?:md|mdx|rst|adoc)|(?:.*/)?(?:changelog|changes|history|news)(?:\.\w+)?)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class TextEdit:
    """One replacement; an empty search text creates the file."""

    path: str
    search: str
    replace: str


@dataclass(frozen=True, slots=True)
class EditedTexts:
    """Files after some edits."""

    texts: Mapping[str, str]
    """New texts by path, only of files that differ."""
    faults: tuple[str, ...]
    """What is wrong with edits, by their numbers from 1, without a word of the model."""


def role_of(path: str, layout: RepositoryLayout) -> Role:
    """Which of coder, tester and docs may change a path. Source: docs/contracts.md, Contribution."""
    if layout.test_dir and path.startswith(f"{layout.test_dir}/"):
        return "tests"
    if (layout.docs_dir and path.startswith(f"{layout.docs_dir}/")) or _DOCUMENT.fullmatch(path):
        return "documents"
    return "code"


def files_of(role: Role, named: Sequence[FileToModify], layout: RepositoryLayout) -> list[FileToModify]:
    """Those of the named files that one of coder, tester and docs changes."""
    return [each for each in named if role_of(each.path, layout) == role]


def edit_of(path: str, before: bytes | None, text: str, description: str) -> Edit:
    r"""The edit that gives a file a new text, with the line ends and the mark that it has; `text` has `\n`."""
    after = text.encode("utf-8", "replace")
    if before is not None and b"\r\n" in before:
        after = after.replace(b"\n", b"\r\n")
    if before is not None and before.startswith(BOM_UTF8):
        after = BOM_UTF8 + after
    return Edit(path, before, after, description)


def apply_edits(edits: Sequence[TextEdit], present: Mapping[str, str | None]) -> EditedTexts:
    """Apply edits in order.

    Args:
        edits: to apply.
        present: the files that may be changed; `None` for one that is to be created.
    """
    texts = dict(present)
    faults = []
    for number, edit in enumerate(edits, 1):
        before, search, replace = texts.get(edit.path), _with_line_feeds(edit.search), _with_line_feeds(edit.replace)
        if edit.path not in texts:
            faults.append(f"edit {number} is for a file that is not in `files`")
        elif before is None and not search and replace.strip():
            texts[edit.path] = replace
        elif before is None and not search:
            faults.append(f"edit {number} leaves its new file empty")
        elif not search:
            faults.append(f"edit {number} has no search text, but its file exists")
        elif before is None:
            faults.append(f"edit {number} searches a new file; leave its search text empty")
        elif search not in before:
            faults.append(f"the search text of edit {number} does not occur in its file")
        elif before.find(search) != before.rfind(search):
            faults.append(f"the search text of edit {number} occurs more than once in its file")
        else:
            texts[edit.path] = before.replace(search, replace)
    changed = {path: text for path, text in texts.items() if text is not None and text != present[path]}
    return EditedTexts(changed, tuple(faults))


def _with_line_feeds(text: str) -> str:
    return text.replace("\r\n", "\n")
