"""Repositories that define schemas: reading one at a commit, and publishing a branch in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

Visibility = Literal["public", "private", "local"]
EntryKind = Literal["file", "executable", "link", "submodule"]


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """A file of a tree."""

    kind: EntryKind
    blob: str
    """The name of its object; a submodule's commit."""
    size_bytes: int = 0


class RepositoryTree(Protocol):
    """The files of one commit."""

    @property
    def commit(self) -> str:
        """The commit's name in hexadecimal."""
        ...

    @property
    def entries(self) -> Mapping[str, TreeEntry]:
        """Every file by its path, relative to the root and separated by `/`, in order.

        Raises:
            RepositoryUnusable: when there are too many files.
        """
        ...

    def read(self, path: str) -> bytes:
        """The bytes of a file.

        Raises:
            KeyError: when there is no such file, or it is a submodule.
            RepositoryUnusable: when it is damaged or too large.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryState:
    """What a repository is, and the newest commit of its base branch."""

    owner: str
    """`local` for a clone."""
    name: str
    url: str
    """Without credentials; empty if it has no address."""
    visibility: Visibility
    default_branch: str
    base_branch: str
    base_commit: str
    author: str
    """Who commits, as `Name <address>`."""
    warnings: tuple[str, ...] = ()


class Repository(Protocol):
    """A configured repository; read-only. Nothing that its configuration names is run."""

    @property
    def location(self) -> str:
        """Human-readable location, without secrets."""
        ...

    def state(self) -> RepositoryState:
        """Read what it is now.

        Raises:
            RepositoryUnusable: when it has no commits or no such base branch, is shallow or bare, or its base branch is
                behind its remote; the message says what to do.
            RepositoryUnreadable: when it cannot be read.
        """
        ...

    def tree(self, commit: str) -> RepositoryTree:
        """The files of a commit.

        Raises:
            RepositoryUnusable: when it has no such commit.
        """
        ...

    def uncommitted(self, paths: Sequence[str]) -> list[str]:
        """Those of the paths whose files in the work tree differ from the base commit; empty without a work tree."""
        ...

    def close(self) -> None:
        """Close it."""
        ...


@dataclass(frozen=True, slots=True)
class PublishedBranch:
    """A branch that exists where contributions are published."""

    name: str
    tip: str
    message: str
    """Of the commit at its tip."""
    commits_ahead: int
    """How many of its commits the base branch lacks; at most 100 are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewCommit:
    """A commit to write. Equal values have equal names, so that a repeated one changes nothing."""

    base: str
    """The name of its only parent."""
    files: Mapping[str, bytes | None]
    """New content by path; `None` removes the file. Other files stay, and a file keeps its mode."""
    message: str
    author: str
    """As `Name <address>`."""
    at: str
    """ISO 8601 in UTC."""


class Forge(Protocol):
    """Where contributions are published. Never pushes by force, and never writes to the base or default branch."""

    def find_branch(self, name: str) -> PublishedBranch | None:
        """A branch by its name; `None` if it does not exist."""
        ...

    def write_commit(self, commit: NewCommit) -> str:
        """Write a commit that no branch has yet, and return its name.

        Raises:
            RepositoryUnusable: when the parent does not exist, or it cannot be written.
        """
        ...

    def create_branch(self, name: str, commit: str) -> bool:
        """Create a branch at a commit; `False` if a branch of that name exists, which then stays as it is.

        Raises:
            RepositoryUnusable: when the name is not allowed, or it cannot be written.
        """
        ...

    def merged_at(self, commit: str) -> str | None:
        """The newest commit of the default branch if it contains a commit, `None` if it does not.

        The default branch is that of the remote, if the clone knows it, otherwise the local one.
        """
        ...

    def close(self) -> None:
        """Close it."""
        ...
