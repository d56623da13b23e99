"""Bounded parts of a repository that a model is shown, without what looks like personal data or a secret."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tribal.capabilities.contribution.facts.forbidden import is_binary, is_lock_file
from tribal.capabilities.contribution.recipes.recipe import Files
from tribal.masking import redact_text
from tribal_contracts.contribution.cycles import RequestedIssue

MOST_FILE_BYTES = 64 * 1024
"""Of a file that a model is shown. Source: docs/contracts.md, Contribution."""
_MOST_BYTES = 160 * 1024
"""Of all files in one request; a judgement, some 50,000 tokens."""
_MOST_PATHS_CHARS = 40_000
_MOST_BODY = 8_000


@dataclass(frozen=True, slots=True)
class ShownFile:
    """A file as a model sees it."""

    path: str
    text: str
    """With `\\n` at the ends of lines."""


def shown_issue(issue: RequestedIssue) -> dict[str, str]:
    """The text of an issue; its comments are never read."""
    return {"title": redact_text(issue.title, prose=False), "body": redact_text(issue.body[:_MOST_BODY], prose=False)}


def shown_paths(files: Files) -> list[str]:
    """The paths of a repository, the shallow ones first, as far as there is room."""
    shown, left = [], _MOST_PATHS_CHARS
    for path in sorted(files.paths, key=lambda each: (each.count("/"), each)):
        left -= len(path) + 4
        if left < 0:
            break
        shown.append(path)
    return shown


def shown_files(files: Files, paths: Iterable[str]) -> list[ShownFile]:
    """Those of some files that can be shown, as far as there is room."""
    shown, left = [], _MOST_BYTES
    for path in dict.fromkeys(paths):
        if unreadable(files, path) is not None:
            continue
        text = file_text(files, path)
        left -= len(text.encode())
        if left < 0:
            break
        shown.append(ShownFile(path, redact_text(text, prose=False)))
    return shown


def unreadable(files: Files, path: str) -> str | None:
    """Say why a file cannot be shown to a model; `None` if it can."""
    if path not in files.paths:
        return "it does not exist"
    content = files.read(path)
    if len(content) > MOST_FILE_BYTES:
        return f"it has more than {MOST_FILE_BYTES:,} bytes"
    if is_binary(content):
        return "it is not text in UTF-8"
    return "it is a lock file" if is_lock_file(path) else None


def file_text(files: Files, path: str) -> str:
    r"""A file in UTF-8, with `\n` at the ends of its lines."""
    return files.read(path).decode().replace("\r\n", "\n")


def as_data(shown: Sequence[ShownFile]) -> list[dict[str, str]]:
    """Files for a request."""
    return [{"path": each.path, "text": each.text} for each in shown]
