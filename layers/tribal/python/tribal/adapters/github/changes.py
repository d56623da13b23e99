"""Checks which files a commit may change, as git and `Forge` demand it, before anything is written."""

from __future__ import annotations

from collections.abc import Mapping

from tribal.adapters.git.commit_contents import check_path, parents_of
from tribal.errors import RepositoryUnusable
from tribal.ports.repositories import TreeEntry

_MODES = {"file": "100644", "executable": "100755"}


def modes_of(files: Mapping[str, bytes | None], entries: Mapping[str, TreeEntry]) -> dict[str, str]:
    """Return the mode of every changed file: a file that exists keeps its own.

    Args:
        files: new content by path; `None` removes the file.
        entries: the files of the parent.

    Raises:
        RepositoryUnusable: when a path cannot be in a commit, or is not a file's.
    """
    folders = {folder for path in entries for folder in parents_of(path)}
    modes = {}
    for path, content in files.items():
        check_path(path)
        entry, above = entries.get(path), parents_of(path)
        if any(folder in entries or folder in files for folder in above):
            raise RepositoryUnusable(f"{path!r} is below a file; nothing can be written there")
        if path in folders or (entry is not None and entry.kind not in _MODES):
            raise RepositoryUnusable(f"{path!r} is a folder, a link or a submodule, not a file")
        if entry is None and content is None:
            raise RepositoryUnusable(f"{path!r} does not exist and cannot be removed")
        modes[path] = _MODES["file" if entry is None else entry.kind]
    return modes
