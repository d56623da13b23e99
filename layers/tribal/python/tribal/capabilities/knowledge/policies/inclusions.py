"""Follows manifests to the files of requirements that they include."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace

from tribal.capabilities.knowledge.policies.evidence import CollectedNames, Gap, Inclusion, SourceFile
from tribal.capabilities.knowledge.policies.file_names import FileNames

FindFile = Callable[[str], SourceFile | None]
"""Returns a file that is not checked itself, by its path; `None` if it cannot be read."""
ReadSources = Callable[[Sequence[SourceFile]], Sequence[FileNames]]
_MOST_FILES = 100


def follow_inclusions(
    names: Sequence[tuple[SourceFile, FileNames]],
    files: Sequence[SourceFile],
    find: FindFile,
    read: ReadSources,
) -> list[CollectedNames]:
    """The dependencies of some files and of all that they include, each with the files that include it.

    Args:
        names: what the files name.
        files: all checked files.
        find: finds a file that is not among them.
        read: reads files as requirements.
    """
    found = {file.path: each.dependencies for file, each in names}
    known = {file.path: file for file in files}
    includers: defaultdict[str, set[str]] = defaultdict(set)
    missing: list[Gap] = []
    waiting = [inclusion for each in found.values() for inclusion in each.included]
    while waiting:
        new: dict[str, SourceFile] = {}
        for inclusion in waiting:
            path = _path(inclusion)
            source = None if path is None else known.get(path) or find(path)
            if path is None or source is None or len(found) + len(new) > len(names) + _MOST_FILES:
                missing.append(_gap(inclusion, f"it includes {inclusion.path[:200]!r}, which is not checked with it"))
            else:
                includers[path].add(inclusion.file)
                if path not in found:
                    new[path] = source
        readable = [file for file in new.values() if file.unread is None]
        found |= {file.path: _unread(file) for file in new.values() if file.unread is not None}
        answers = read(readable) if readable else ()
        found |= {file.path: each.dependencies for file, each in zip(readable, answers, strict=True)}
        waiting = [inclusion for path in new for inclusion in found[path].included]
    return [*(_included(each, _all(path, includers)) for path, each in found.items()), CollectedNames((), missing)]


def _path(inclusion: Inclusion) -> str | None:
    """The path of an included file; `None` if it is not a file within the checked folder."""
    if "://" in inclusion.path or inclusion.path.startswith("/"):
        return None
    parts = inclusion.file.split("/")[:-1]
    for part in inclusion.path.replace("\\", "/").split("/"):
        if part == ".." and not parts:
            return None
        if part == "..":
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def _all(path: str, includers: dict[str, set[str]]) -> tuple[str, ...]:
    """The files that include a file, directly or through others."""
    found: set[str] = set()
    waiting = [path]
    while waiting:
        new = includers.get(waiting.pop(), set()) - found
        found |= new
        waiting += new
    return tuple(sorted(found))


def _included(names: CollectedNames, by: tuple[str, ...]) -> CollectedNames:
    if not by:
        return names
    return CollectedNames(
        [replace(each, included_by=by) for each in names.named],
        [replace(each, included_by=by) for each in names.unread],
    )


def _unread(file: SourceFile) -> CollectedNames:
    return CollectedNames((), [Gap(file.path, frozenset({"dependency"}), file.unread or "")])


def _gap(inclusion: Inclusion, reason: str) -> Gap:
    return Gap(inclusion.file, frozenset({"dependency"}), reason, inclusion.line)
