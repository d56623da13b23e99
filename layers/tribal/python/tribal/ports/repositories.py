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


@dataclass(frozen=True, slots=True, kw_only=True)
class NewPullRequest:
    """A pull request to open."""

    branch: str
    base: str
    title: str
    body: str
    labels: Sequence[str] = ()
    draft: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PullRequestState:
    """A pull request as it is now."""

    number: int
    url: str
    state: Literal["open", "merged", "closed"]
    draft: bool
    author: str
    """Who opened it: for ours, the account that also replies."""
    body: str
    head: str
    """The commit at the tip of its branch."""
    merge_commit: str | None = None
    merged_by: str | None = None


@dataclass(frozen=True, slots=True)
class PullRequestReview:
    """A review of a pull request."""

    id: int
    author: str
    state: Literal["approved", "changes_requested", "commented"]
    text: str
    at: str


@dataclass(frozen=True, slots=True)
class PullRequestComment:
    """A comment on a pull request, or on a line of its diff."""

    id: int
    author: str
    text: str
    at: str
    path: str | None = None
    line: int | None = None
    thread: int | None = None
    """The comment that begins its thread, if it is on a line of the diff."""


@dataclass(frozen=True, slots=True)
class ForgeChecks:
    """The checks of a commit on the forge."""

    passed: int = 0
    failed: int = 0
    pending: int = 0


@dataclass(frozen=True, slots=True)
class PullRequestActivity:
    """What others said about a pull request, oldest first."""

    reviews: Sequence[PullRequestReview]
    comments: Sequence[PullRequestComment]
    checks: ForgeChecks


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgeIssue:
    """An issue on the forge."""

    number: int
    url: str
    title: str
    body: str
    labels: Sequence[str]
    comments: int
    created_at: str
    is_open: bool


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

    def move_branch(self, name: str, commit: str, head: str) -> bool:
        """Move a branch of contributions from `head` to a commit that follows it; `False` if it is elsewhere.

        Raises:
            RepositoryUnusable: when the name is not allowed.
        """
        ...

    def merged_at(self, commit: str) -> str | None:
        """The newest commit of the default branch if it contains a commit, `None` if it does not.

        The default branch is that of the remote, if the clone knows it, otherwise the local one.
        """
        ...

    @property
    def has_pull_requests(self) -> bool:
        """Whether it has pull requests; a local clone has none, and the methods below are never called."""
        ...

    def read_issue(self, number: int) -> ForgeIssue:
        """Read an issue.

        Raises:
            RepositoryUnreadable: when it does not exist, or may not be read.
        """
        ...

    def find_pull_request(self, branch: str) -> PullRequestState | None:
        """The newest pull request of a branch, open or not; `None` if it does not exist."""
        ...

    def added_elsewhere(self) -> Mapping[str, int]:
        """The files that other open pull requests add, each with the number of one of them; the newest 30 are read.

        Those of branches of contributions are left out.

        Raises:
            RepositoryUnreadable: when pull requests may not be read.
        """
        ...

    def open_pull_request(self, new: NewPullRequest) -> PullRequestState:
        """Open a pull request with its labels, or find that of its branch and add the labels that it lacks."""
        ...

    def reply(self, number: int, text: str, marker: str, thread: int | None = None) -> None:
        """Comment on a pull request, or in a thread on a line of its diff.

        Nothing is written if our account has written the marker already, or if the thread's first comment was deleted.

        Raises:
            RepositoryUnusable: when GitHub does not take it.
        """
        ...

    def activity(self, number: int) -> PullRequestActivity:
        """Read what others said about a pull request, and the checks of its newest commit."""
        ...

    def close(self) -> None:
        """Close it."""
        ...
