"""Bounded parts of a repository that a model is shown, without what looks like personal data or a secret."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tribal.capabilities.contribution.facts.forbidden import is_binary, is_lock_file
from tribal.capabilities.contribution.recipes.recipe import Files
from tribal.masking import redact_text
from tribal_contracts.contribution.changes import CodeChange
from tribal_contracts.contribution.cycles import RequestedIssue

MOST_FILE_BYTES = 64 * 1024
"""Of a file that a model is shown. Source: docs/contracts.md, Contribution."""
_MOST_BYTES = 160 * 1024
"""Of all files in one request; a judgement, some 50,000 tokens."""
_MOST_PATHS_CHARS = 40_000
_MOST_BODY = 8_000


def shown_issue(issue: RequestedIssue) -> dict[str, str]:
    """The text of an issue as a cycle records it; its comments are never read."""
    return {"title": issue.title, "body": issue.body[:_MOST_BODY]}


def shown_paths(files: Files) -> list[str]:
    """The paths of a repository, the shallow ones first, as far as there is room."""
    shown, left = [], _MOST_PATHS_CHARS
    for path in sorted(files.paths, key=lambda each: (each.count("/"), each)):
        left -= len(path) + 4
        if left < 0:
            break
        shown.append(path)
    return shown


def shown_files(files: Files, paths: Iterable[str]) -> dict[str, str]:
    """The texts of those files that can be shown, by path, as far as there is room."""
    shown: dict[str, str] = {}
    left = _MOST_BYTES
    for path in dict.fromkeys(paths):
        if unreadable(files, path) is not None:
            continue
        text = file_text(files, path)
        left -= len(text.encode())
        if left < 0:
            break
        shown[path] = redact_text(text, prose=False)
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
    if 0 < content.count(b"\r\n") < content.count(b"\n"):
        return "its lines end in different ways"
    return "it is a lock file" if is_lock_file(path) else None


def file_text(files: Files, path: str) -> str:
    r"""A file in UTF-8 without a byte order mark, with `\n` at the ends of its lines."""
    return files.read(path).decode("utf-8-sig").replace("\r\n", "\n")


def as_data(shown: Mapping[str, str]) -> list[dict[str, str]]:
    """Texts of files, by path, for a request."""
    return [{"path": path, "text": text} for path, text in shown.items()]


def shown_diffs(changes: Iterable[CodeChange]) -> list[str]:
    """Diffs for a request; their lines around a change may have what looks like a secret."""
    return [redact_text(each.diff, prose=False) for each in changes]
