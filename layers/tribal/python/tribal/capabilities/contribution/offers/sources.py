"""A configured repository as it is now: its base commit, its recipe, and the databases that it creates."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property

from tribal.capabilities.contribution.errors import AgentTimedOut
from tribal.capabilities.contribution.parts import ContributionParts
from tribal.capabilities.contribution.recipes.detection import find_recipe
from tribal.capabilities.contribution.recipes.recipe import Recipe, RecipeBlocked, RecipeOptions
from tribal.errors import RepositoryUnusable
from tribal.ports import Clock, StopToken
from tribal.ports.repositories import Repository, RepositoryState, RepositoryTree
from tribal_contracts import DatabaseType
from tribal_contracts.contribution.settings import RepositoryEntry

AGENT_SECONDS = 600.0
"""How long an agent may take. Source: docs/contracts.md, Contribution."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """The time by which an agent has to end."""

    clock: Clock
    at: datetime

    @classmethod
    def of(cls, clock: Clock, seconds: float = AGENT_SECONDS) -> Deadline:
        """A deadline so many seconds from now."""
        return cls(clock, clock.real() + timedelta(seconds=seconds))

    def check(self) -> None:
        """Raise `AgentTimedOut` once it has passed."""
        late = (self.clock.real() - self.at).total_seconds()
        if late > 0:
            raise AgentTimedOut(f"a step took {math.ceil(late)} s longer than it may; try again")


def require_time(stop: StopToken) -> None:
    """Raise `AgentTimedOut` once a call has no time left."""
    if stop.remaining_seconds() <= 0:
        raise AgentTimedOut("the repositories could not be read in the time that a call has; try again")


class CommitFiles:
    """The files of a commit for recipes: links and submodules are left out.

    Args:
        tree: the commit.
        deadline: checked at every reading.
    """

    def __init__(self, tree: RepositoryTree, deadline: Deadline) -> None:
        self._tree = tree
        self._deadline = deadline
        self._read: dict[str, bytes] = {}

    @cached_property
    def paths(self) -> Sequence[str]:
        """Every path, in order."""
        return [path for path, entry in self._tree.entries.items() if entry.kind in ("file", "executable")]

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self.paths)

    def read(self, path: str) -> bytes:
        """The bytes of a file; raises `KeyError` when it does not exist."""
        self._deadline.check()
        if path not in self._known:
            raise KeyError(path)
        if path not in self._read:
            self._read[path] = self._tree.read(path)
        return self._read[path]


@dataclass(frozen=True, slots=True)
class OpenSource:
    """A repository that was opened at its base commit."""

    entry: RepositoryEntry
    repository: Repository
    state: RepositoryState
    deadline: Deadline
    manifest: bytes | None

    def tree(self, commit: str | None = None) -> RepositoryTree:
        """The files of a commit, or of the base commit."""
        return self.repository.tree(commit or self.state.base_commit)

    def files(self, commit: str | None = None) -> CommitFiles:
        """The same for recipes."""
        return CommitFiles(self.tree(commit), self.deadline)

    def recipe(self, dialect: DatabaseType, commit: str | None = None) -> Recipe:
        """The recipe that the entry names or the files show.

        Raises:
            RepositoryUnusable: when it has no recipe; the message says why.
        """
        options = RecipeOptions(
            dialect=dialect,
            recipe=self.entry.recipe,
            folder=self.entry.folder,
            tables=self.entry.tables,
            manifest=self.manifest,
        )
        try:
            return find_recipe(self.files(commit), options)
        except RecipeBlocked as blocked:
            raise RepositoryUnusable(str(blocked)) from blocked


@contextmanager
def open_source(parts: ContributionParts, entry: RepositoryEntry, clock: Clock) -> Iterator[OpenSource]:
    """Open the repository of an entry.

    Raises:
        RepositoryUnusable, RepositoryUnreadable: when contributions cannot start from it.
    """
    repository = parts.open_repository(entry)
    try:
        seconds = min(AGENT_SECONDS, parts.stop.remaining_seconds())
        deadline = Deadline.of(clock, seconds)
        yield OpenSource(entry, repository, repository.state(), deadline, parts.read_manifest(entry))
    finally:
        repository.close()
