"""Paths of files in a repository, which are relative to its root and separated by `/`."""

from __future__ import annotations


def folder_of(path: str) -> str:
    """Return the folder of a file; empty for the root."""
    return path.rpartition("/")[0]


def join(folder: str, name: str) -> str:
    """Return the path of a file in a folder."""
    return f"{folder}/{name}" if folder else name


def is_inside(path: str, folder: str) -> bool:
    """Tell whether a path is a folder or somewhere below it."""
    return not folder or path == folder or path.startswith(f"{folder}/")


def normalize(path: str) -> str | None:
    """Return a path without `.` and `..`; `None` if it is absolute or leaves the repository."""
    parts: list[str] = []
    if path.startswith("/"):
        return None
    for part in path.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)
