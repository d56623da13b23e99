"""Where the company keeps what it decided."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from tribal_contracts import KnowledgeSettings
    from tribal_contracts.knowledge import HistoryEntry, ItemFailure

MOST_BYTES = 1 << 20
"""Of a file of a source."""


def name_problem(path: str) -> str | None:
    """Why a file cannot be an item by its path; `None` of one that can."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return "its name is no UTF-8"
    if {"", ".", "..", ".git"} & {*path.split("/")}:
        return "its path leads elsewhere"
    return None if path.isprintable() else "its name has characters that cannot be seen"


@dataclass(frozen=True, slots=True)
class SourceEntry:
    """A file of a source.

    Attributes:
        path: relative, with `/`.
        version: of its bytes: another one for other bytes.
        size_bytes: of it.
        modified_at: when it was last written, in UTC, where there is no history.
    """

    path: str
    version: str
    size_bytes: int
    modified_at: str | None = None


@dataclass(frozen=True, slots=True)
class SourceTree:
    """One state of a source: what is read later is of this state, whatever happens meanwhile.

    Attributes:
        commit: of git; `None` without.
        entries: its files, by path.
        refused: what is no file that may be read: links, and what they lead to.
    """

    commit: str | None
    entries: Sequence[SourceEntry]
    refused: Sequence[ItemFailure] = ()


@dataclass(frozen=True, slots=True)
class KnowledgeOrigin:
    """Where knowledge comes from.

    Attributes:
        settings: as they were written.
        company: the company that the store belongs to.
        open: opens the source, which is closed behind its use.
    """

    settings: KnowledgeSettings
    company: str | None
    open: Callable[[], AbstractContextManager[KnowledgeSource]]


class KnowledgeSource(Protocol):
    """A folder or a git repository; never written to, and nothing in it is followed or executed."""

    @property
    def location(self) -> str:
        """Human-readable location, without secrets."""
        ...

    def tree(self) -> SourceTree:
        """The newest state.

        Raises:
            SourceFailed: when it cannot be read, is too large, or takes too long. Retryable.
        """
        ...

    def read(self, entry: SourceEntry) -> bytes:
        """The bytes of a file of the tree.

        Raises:
            ItemUnusable: when it is not there any more, or is another one.
        """
        ...

    def history(self, paths: Collection[str]) -> Mapping[str, Sequence[HistoryEntry]]:
        """The commits that changed each of these files, the newest first; nothing without git.

        Raises:
            SourceFailed: when it cannot be read or takes too long. Retryable.
        """
        ...
