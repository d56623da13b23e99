"""Sources of decisions and policies."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from tribal_contracts import KnowledgeSettings
    from tribal_contracts.knowledge import HistoryEntry, ItemFailure

MOST_BYTES = 1 << 20
"""Maximum size of a file in a source."""


def name_problem(path: str) -> str | None:
    """Why a path cannot be an item; `None` if it can."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return "its name is not UTF-8"
    if {"", ".", "..", ".git"} & {*path.split("/")}:
        return "its path leaves the source"
    return None if path.isprintable() else "its name has invisible characters"


@dataclass(frozen=True, slots=True)
class SourceEntry:
    """A file of a source.

    Attributes:
        path: relative, separated by `/`.
        version: changes with the content.
        size_bytes: size of the content.
        modified_at: when it was last written, in UTC, if there is no history.
    """

    path: str
    version: str
    size_bytes: int
    modified_at: str | None = None


@dataclass(frozen=True, slots=True)
class SourceTree:
    """A consistent state of a source; later reads are from this state.

    Attributes:
        commit: the git commit; `None` without git.
        entries: its files, ordered by path.
        refused: paths that may not be read, such as links.
    """

    commit: str | None
    entries: Sequence[SourceEntry]
    refused: Sequence[ItemFailure] = ()


@dataclass(frozen=True, slots=True)
class KnowledgeOrigin:
    """The configured source of knowledge.

    Attributes:
        settings: the settings as written.
        company: the company that owns the store.
        open: opens the source; a context manager that closes it.
    """

    settings: KnowledgeSettings
    company: str | None
    open: Callable[[], AbstractContextManager[KnowledgeSource]]


class KnowledgeSource(Protocol):
    """A folder or a git repository; read-only. Links in it are not followed, and nothing is executed."""

    @property
    def location(self) -> str:
        """Human-readable location, without secrets."""
        ...

    def tree(self) -> SourceTree:
        """The current state.

        Raises:
            SourceFailed: when it cannot be read, is too large, or takes too long. Retryable.
        """
        ...

    def read(self, entry: SourceEntry) -> bytes:
        """The bytes of a file of the tree.

        Raises:
            ItemUnusable: when it no longer exists or has changed.
        """
        ...

    def history(self, paths: Collection[str]) -> Mapping[str, Sequence[HistoryEntry]]:
        """The commits that changed each of these files, newest first; empty without git.

        Raises:
            SourceFailed: when it cannot be read or takes too long. Retryable.
        """
        ...
