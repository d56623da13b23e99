"""Checks what git accepts in a commit: paths and texts."""

from __future__ import annotations

from tribal.errors import RepositoryUnusable


def check_path(path: str) -> None:
    """Check the path of a file.

    Raises:
        RepositoryUnusable: when it cannot be in a commit.
    """
    if any(part in ("", ".", "..") or part.casefold() == ".git" for part in path.split("/")):
        raise RepositoryUnusable(f"{path!r} is not a path inside of the repository")
    encode(path, "a path")


def encode(text: str, what: str) -> bytes:
    """Encode a text for a commit.

    Args:
        text: the text.
        what: what it is, for messages.

    Raises:
        RepositoryUnusable: when it cannot be in a commit.
    """
    try:
        raw = text.encode()
    except UnicodeEncodeError as error:
        raise RepositoryUnusable(f"{what} has characters that are not valid Unicode") from error
    if b"\0" in raw:
        raise RepositoryUnusable(f"{what} has a NUL character, which git refuses")
    return raw


def parents_of(path: str) -> list[str]:
    """The folders above a path, from the outermost one."""
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]
