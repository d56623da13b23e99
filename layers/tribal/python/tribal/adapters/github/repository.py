"""A repository on GitHub to contribute to, read over its API."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from tribal.adapters.github.client import GitHubClient
from tribal.adapters.github.objects import (
    MOST_FILE_BYTES,
    blob_name,
    read_blob,
    read_entries,
    read_facts,
    require_commit,
    require_tip,
)
from tribal.adapters.github.tarball import Tarball, TarballLimits, download_tarball
from tribal.errors import RepositoryUnusable
from tribal.ports.repositories import RepositoryState, RepositoryTree, TreeEntry

_MOST_TREES = 3
"""Commits whose archives are stored at the same time."""


class GitHubRepository:
    """A `Repository` on GitHub.

    Args:
        client: calls the API for it; closed with it.
        base: the branch that contributions start from; the default branch when unset.
        limits: how large it may be.
    """

    def __init__(self, client: GitHubClient, base: str | None = None, limits: TarballLimits | None = None) -> None:
        self._client = client
        self._base = base
        self._limits = limits or TarballLimits()
        self._trees: dict[str, GitHubTree] = {}

    @property
    def location(self) -> str:
        """Its page."""
        return self._client.address.page

    def state(self) -> RepositoryState:
        """Read what it is, and the newest commit of its base branch. Commits are the token's or the App's own."""
        facts = read_facts(self._client)
        base = self._base or facts.default_branch
        return RepositoryState(
            owner=facts.owner,
            name=facts.name,
            url=facts.url,
            visibility=facts.visibility,
            default_branch=facts.default_branch,
            base_branch=base,
            base_commit=require_tip(self._client, base),
            author="",
        )

    def tree(self, commit: str) -> RepositoryTree:
        """Open the files of a commit, once for all calls."""
        if commit not in self._trees:
            tree = require_commit(self._client, commit).tree
            self._trees[commit] = GitHubTree(self._client, commit, tree, self._limits)
            if len(self._trees) > _MOST_TREES:
                # A reader that still holds it downloads it again.
                self._trees.pop(next(iter(self._trees))).close()
        return self._trees[commit]

    def uncommitted(self, paths: Sequence[str]) -> list[str]:  # noqa: ARG002 - it has no work tree
        """Return no path."""
        return []

    def close(self) -> None:
        """Close connections and archives."""
        for tree in self._trees.values():
            tree.close()
        self._trees.clear()
        self._client.close()


class GitHubTree:
    """A `RepositoryTree` on GitHub.

    The tree is authoritative: an archive leaves out files (`export-ignore`), changes them (`export-subst`) or has
    what LFS stores elsewhere. A file that the archive lacks or changes is read by itself.

    Args:
        client: calls the API for the repository.
        commit: a commit.
        tree: the name of its tree.
        limits: how large the repository may be.
    """

    def __init__(self, client: GitHubClient, commit: str, tree: str, limits: TarballLimits) -> None:
        self.commit = commit
        self._client = client
        self._tree = tree
        self._limits = limits

    @cached_property
    def entries(self) -> Mapping[str, TreeEntry]:
        """Every file by its path, in order, with its size."""
        return read_entries(self._client, self._tree, self._limits.files)

    def read(self, path: str) -> bytes:
        """Return the bytes of a file as it was committed, or the target of a link."""
        entry = self.entries[path]
        if entry.kind == "submodule":
            raise KeyError(path)
        if entry.size_bytes > MOST_FILE_BYTES:
            raise RepositoryUnusable(f"{path!r} has more than {MOST_FILE_BYTES:,} bytes, which is not supported")
        data = None if entry.kind == "link" else self._tarball.read(path, entry.size_bytes)
        if data is None or blob_name(data) != entry.blob:
            data = read_blob(self._client, entry.blob, entry.size_bytes)
        return data

    def close(self) -> None:
        """Remove the archive, if it was downloaded."""
        archive = self.__dict__.pop("_tarball", None)
        if archive is not None:
            archive.close()

    @cached_property
    def _tarball(self) -> Tarball:
        return download_tarball(self._client, self.commit, self._limits)
