"""A local clone as a repository to contribute to, and as the place where contributions are published.

Commits and branches are written next to what is there: the index, the work tree and other branches never change.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from dulwich.object_store import iter_tree_contents
from dulwich.objects import S_ISGITLINK, Blob, Commit, ObjectID
from dulwich.refs import Ref, check_ref_format
from dulwich.walk import Walker

from tribal.adapters.git.clone import BRANCH_PREFIX, HEADS, Clone
from tribal.adapters.git.clone_settings import author, origin_url, user_settings
from tribal.adapters.git.commit_contents import parents_of
from tribal.adapters.git.commits import write_commit
from tribal.adapters.git.packs import object_size
from tribal.errors import RepositoryUnusable
from tribal.ports.repositories import (
    EntryKind,
    ForgeChecks,
    PublishedBranch,
    PullRequestActivity,
    RepositoryState,
    TreeEntry,
)

if TYPE_CHECKING:
    from tribal.ports.repositories import ForgeIssue, NewCommit, NewPullRequest, PullRequestState, RepositoryTree

MOST_FILES = 20_000
MOST_FILE_BYTES = 50_000_000
"""The size from which GitHub warns about a file."""
MOST_COMMITS_AHEAD = 100


class LocalCloneRepository:
    """A `Repository` over a clone with a work tree.

    Args:
        path: its root, or that of one of its work trees.
        base: the branch that contributions start from; the default branch when unset.
    """

    def __init__(self, path: Path, base: str | None = None) -> None:
        self._clone = Clone(path, base)

    @property
    def location(self) -> str:
        """Its folder."""
        return str(self._clone.path)

    def state(self) -> RepositoryState:
        """Read its branches, address and author as they are now."""
        clone = self._clone
        with clone.translate_errors():
            base = clone.base_tip
            clone.commit(base)
            clone.check_up_to_date()
            settings = clone.settings()
            return RepositoryState(
                owner="local",
                name=clone.path.resolve().name,
                url=origin_url(settings),
                visibility="local",
                default_branch=clone.default_branch,
                base_branch=clone.base_branch,
                base_commit=base.decode(),
                author=author([settings, *user_settings()]),
            )

    def tree(self, commit: str) -> RepositoryTree:
        """Open the files of a commit."""
        with self._clone.translate_errors():
            return LocalTree(self._clone, self._clone.require_commit(commit))

    def uncommitted(self, paths: Sequence[str]) -> list[str]:
        """Return those of the paths whose files in the work tree differ from the base commit by more than line ends."""
        with self._clone.translate_errors():
            tree = LocalTree(self._clone, self._clone.commit(self._clone.base_tip))
            return [path for path in paths if self._differs(path, tree)]

    def close(self) -> None:
        """Close the clone."""
        self._clone.close()

    def _differs(self, path: str, tree: LocalTree) -> bool:
        entry = tree.entries.get(path)
        place = Path(self._clone.repository.path, path)
        try:
            found = place.lstat()
        except OSError:
            return entry is not None
        if entry is None or not stat.S_ISREG(found.st_mode) or found.st_size > 2 * MOST_FILE_BYTES:
            return True
        if entry.kind == "submodule":
            return True
        return _without_returns(place.read_bytes()) != _without_returns(tree.read(path))


class LocalTree:
    """A `RepositoryTree` over the objects of a clone. Files whose names are not UTF-8 are left out.

    Args:
        clone: where it is.
        commit: one of its commits.
    """

    def __init__(self, clone: Clone, commit: Commit) -> None:
        self._clone = clone
        self._tree = commit.tree
        self.commit = commit.get_id(clone.repository.object_format).decode()

    @cached_property
    def entries(self) -> Mapping[str, TreeEntry]:
        """Every file by its path, in order; their sizes are not known."""
        found: dict[str, TreeEntry] = {}
        with self._clone.translate_errors():
            contents = iter_tree_contents(self._clone.repository.object_store, self._tree)
            for number, (raw, mode, name) in enumerate(contents, 1):
                if number > MOST_FILES:
                    raise RepositoryUnusable(
                        f"{str(self._clone.path)!r} has more than {MOST_FILES:,} files, which is not supported"
                    )
                try:
                    found[raw.decode()] = TreeEntry(_kind(mode), name.decode())
                except UnicodeDecodeError:
                    continue
        return dict(sorted(found.items()))

    def read(self, path: str) -> bytes:
        """The bytes of a file, or the target of a link."""
        entry = self.entries[path]
        if entry.kind == "submodule":
            raise KeyError(path)
        name = ObjectID(entry.blob.encode())
        with self._clone.translate_errors():
            store = self._clone.repository.object_store
            size = object_size(store, name)
            if size is None or size <= MOST_FILE_BYTES:
                found = store[name]
                assert isinstance(found, Blob)
                data: bytes = found.data
                if len(data) <= MOST_FILE_BYTES:
                    return data
        raise RepositoryUnusable(f"{path!r} has more than {MOST_FILE_BYTES:,} bytes, which is not supported")


class LocalForge:
    """A `Forge` that publishes branches in a clone.

    Args:
        path: its root, or that of one of its work trees.
        base: the branch that contributions start from; the default branch when unset.
    """

    def __init__(self, path: Path, base: str | None = None) -> None:
        self._clone = Clone(path, base)

    def find_branch(self, name: str) -> PublishedBranch | None:
        """Read a branch; `None` if it does not exist."""
        clone = self._clone
        with clone.translate_errors():
            tip = clone.ref(HEADS + name)
            if tip is None:
                return None
            store = clone.repository.object_store
            ahead = Walker(store, [tip], exclude=[clone.base_tip], max_entries=MOST_COMMITS_AHEAD)
            message = clone.commit(tip).message.decode("utf-8", "replace")
            return PublishedBranch(name, tip.decode(), message, sum(1 for _ in ahead))

    def write_commit(self, commit: NewCommit) -> str:
        """Write a commit that no branch has yet, and return its name."""
        clone = self._clone
        with clone.translate_errors():
            parent = clone.require_commit(commit.base)
            return write_commit(clone.repository.object_store, parent, commit).decode()

    def create_branch(self, name: str, commit: str) -> bool:
        """Create a branch at a commit; `False` if it exists."""
        clone = self._clone
        with clone.translate_errors():
            ref = self._check_name(name)
            clone.require_commit(commit)
            refs = clone.repository.refs
            if refs.read_ref(ref) is not None:
                return False
            self._check_neighbours(name)
            place = Path(clone.repository.commondir(), os.fsdecode(ref))
            # No one else writes a branch of this name: the lock of a branch that does not exist is of a killed process.
            Path(f"{place}.lock").unlink(missing_ok=True)
            if refs.add_if_new(ref, ObjectID(commit.encode())):
                return True
            if refs.read_ref(ref) is None:
                raise RepositoryUnusable(f"the branch {name!r} is damaged; remove {str(place)!r}")
            return False

    def merged_at(self, commit: str) -> str | None:
        """The newest commit of the default branch if it contains a commit, `None` if it does not."""
        clone = self._clone
        with clone.translate_errors():
            wanted, tip = ObjectID(commit.encode()), clone.default_tip
            if tip is None or wanted not in clone.repository.object_store:
                return None
            return tip.decode() if clone.contains(tip, wanted) else None

    @property
    def has_pull_requests(self) -> bool:
        """Return false: a clone has branches only."""
        return False

    def read_issue(self, number: int) -> ForgeIssue:
        """Refuse: a clone has none."""
        raise RepositoryUnusable(f"a local clone has no issue {number}; name a repository with `url`")

    def find_pull_request(self, branch: str) -> PullRequestState | None:  # noqa: ARG002
        """Return nothing."""
        return None

    def added_elsewhere(self) -> Mapping[str, int]:
        """Return nothing: a clone has no pull requests."""
        return {}

    def open_pull_request(self, new: NewPullRequest) -> PullRequestState:
        """Refuse: a person opens one where the branch is pushed to."""
        raise RepositoryUnusable(f"a local clone has no pull requests; push {new.branch!r} and open one there")

    def move_branch(self, name: str, commit: str, head: str) -> bool:  # noqa: ARG002
        """Never called."""
        raise RepositoryUnusable("a clone has no pull requests, and no reviews to answer")

    def reply(self, number: int, text: str, marker: str, thread: int | None = None) -> None:  # noqa: ARG002
        """Never called."""
        raise RepositoryUnusable("a clone has no pull requests, and no reviews to answer")

    def activity(self, number: int) -> PullRequestActivity:  # noqa: ARG002
        """Return nothing."""
        return PullRequestActivity((), (), ForgeChecks())

    def close(self) -> None:
        """Close the clone."""
        self._clone.close()

    def _check_name(self, name: str) -> Ref:
        try:
            ref = Ref((HEADS + name).encode())
        except UnicodeEncodeError as error:
            raise RepositoryUnusable(f"git refuses the branch name {name!r}") from error
        if not name.startswith(BRANCH_PREFIX) or name in (self._clone.base_branch, self._clone.default_branch):
            raise RepositoryUnusable(f"{name!r} is not a branch of contributions; those begin with {BRANCH_PREFIX!r}")
        if not check_ref_format(ref):
            raise RepositoryUnusable(f"git refuses the branch name {name!r}")
        return ref

    def _check_neighbours(self, name: str) -> None:
        """Refuse a name that is a folder of branches, or below a branch: git stores each branch as a file."""
        refs = self._clone.repository.refs
        for other in parents_of(name):
            if refs.read_ref(Ref((HEADS + other).encode())) is not None:
                raise RepositoryUnusable(
                    f"the branch {other!r} is in the way of {name!r}; rename it with"
                    f" `{self._clone.git} branch -m {other} NEW-NAME`"
                )
        if below := sorted(refs.subkeys(Ref(f"{HEADS}{name}/".encode()))):
            raise RepositoryUnusable(
                f"branches below {name!r} are in its way, such as {below[0].decode('utf-8', 'replace')!r}; rename them"
            )


def _kind(mode: int) -> EntryKind:
    if S_ISGITLINK(mode):
        return "submodule"
    if stat.S_ISLNK(mode):
        return "link"
    return "executable" if mode & 0o111 else "file"


def _without_returns(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n")
