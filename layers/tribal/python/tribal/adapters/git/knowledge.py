"""Knowledge in a local git repository, read from its objects, independent of the checkout.

Trees are compared without reading what they have in common.
Source: git's documentation of gitformat-pack and gitglossary, "tree object".
"""

from __future__ import annotations

import re
import stat
import time
from collections import OrderedDict
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from dulwich.errors import NotGitRepository, ObjectFormatException
from dulwich.object_store import iter_tree_contents
from dulwich.objects import S_ISGITLINK, Blob, Commit, ObjectID, Tag, sha_to_hex
from dulwich.refs import Ref
from dulwich.walk import Walker

from tribal.adapters.git.packs import object_size
from tribal.adapters.git.repository import LocalRepository
from tribal.errors import ItemUnusable, SourceFailed
from tribal.ports.remembering.knowledge_source import MOST_BYTES, SourceEntry, SourceTree, name_problem
from tribal_contracts.knowledge import HistoryEntry, ItemFailure

if TYPE_CHECKING:
    from dulwich.object_store import BaseObjectStore
    from dulwich.objects import RawObjectID


MOST_FILES = 20_000
MOST_COMMITS = 5_000
"""Limit of the history that is read."""
MOST_ENTRIES = 50
"""Limit of one file's history."""
WALK_SECONDS = 60.0
_MESSAGE_CHARS = 200


class GitKnowledge:
    """A `KnowledgeSource` over the objects of a repository.

    Args:
        repository: its folder, bare or not.
        branch: the branch that is read; the one that is checked out when unset.
        head: the commit or tag that is read, whatever the branch.
        location: what it is called in messages; the folder and the branch when unset.
    """

    def __init__(
        self, repository: Path, branch: str | None = None, *, head: ObjectID | None = None, location: str | None = None
    ) -> None:
        self._path = repository
        self._branch = branch
        self._given = head
        self._location = location
        self._head: ObjectID | None = None
        self._opened: LocalRepository | None = None

    @property
    def location(self) -> str:
        """The folder and the branch."""
        return self._location or (f"{self._path}@{self._branch}" if self._branch else str(self._path))

    def close(self) -> None:
        """Close the repository."""
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    def tree(self) -> SourceTree:
        """The files of the branch's newest commit; links and submodules are refused."""
        repository = self._repository()
        self._head = self._commit(self._given or self._newest())
        commit = repository[self._head]
        assert isinstance(commit, Commit)
        entries: list[SourceEntry] = []
        refused: list[ItemFailure] = []
        for found in iter_tree_contents(repository.object_store, commit.tree):
            path = found.path.decode("utf-8", "surrogateescape")
            problem = name_problem(path)
            if problem is not None:
                refused.append(ItemFailure(path=_shown(path), line=None, reason=problem))
            elif stat.S_ISLNK(found.mode):
                refused.append(
                    ItemFailure(path=_shown(path), line=None, reason="it is a link, and links are not followed")
                )
            elif S_ISGITLINK(found.mode):
                refused.append(
                    ItemFailure(path=_shown(path), line=None, reason="it is a submodule, and those are not read")
                )
            else:
                entries.append(SourceEntry(path, found.sha.decode(), 0))
            if len(entries) + len(refused) > MOST_FILES:
                raise SourceFailed(
                    f"{self.location!r} has more than {MOST_FILES:,} files; move the items to their own repository"
                )
        return SourceTree(self._head.decode(), entries, refused)

    def read(self, entry: SourceEntry) -> bytes:
        """The bytes of a file."""
        name = ObjectID(entry.version.encode())
        size = object_size(self._repository().object_store, name)
        if size is not None and size > MOST_BYTES:
            raise ItemUnusable(f"it is larger than {MOST_BYTES:,} bytes")
        try:
            found = self._repository()[name]
        except KeyError as error:
            raise ItemUnusable("its object is missing from the repository", None) from error
        if not isinstance(found, Blob):
            raise ItemUnusable("it is not a file", None)
        data: bytes = found.data
        return data

    def history(self, paths: Collection[str]) -> Mapping[str, Sequence[HistoryEntry]]:
        """The commits that changed each file, by one walk over the newest commits."""
        wanted = {path.encode("utf-8", "surrogateescape"): path for path in paths}
        found: dict[str, list[HistoryEntry]] = {path: [] for path in paths}
        ends_at = time.monotonic() + WALK_SECONDS
        for commit, changed in self._changes():
            if time.monotonic() > ends_at:
                raise SourceFailed(
                    f"the history of {self.location!r} takes longer than {WALK_SECONDS:.0f} seconds to read"
                )
            entry: HistoryEntry | None = None
            for raw in changed:
                path = wanted.get(raw)
                if path is not None and len(found[path]) < MOST_ENTRIES:
                    entry = entry or _entry(commit)
                    found[path].append(entry)
        return found

    def _changes(self) -> Iterator[tuple[Commit, set[bytes]]]:
        """The newest commits with the paths that each changed; for a merge, changes against every parent."""
        repository = self._repository()
        head = self._head or self._commit(self._given or self._newest())
        trees = _Trees(repository.object_store)
        for entry in Walker(repository.object_store, [head], max_entries=MOST_COMMITS):
            commit = entry.commit
            before = [trees.of_commit(parent) for parent in commit.parents] or [None]
            several = [trees.changed(each, commit.tree) for each in before]
            yield commit, set.intersection(*several)

    def _repository(self) -> LocalRepository:
        if self._opened is None:
            try:
                self._opened = LocalRepository(str(self._path), bare=None if self._given is None else True)
            except (NotGitRepository, OSError) as error:
                raise SourceFailed(f"{str(self._path)!r} is not a git repository") from error
        return self._opened

    def _commit(self, name: ObjectID) -> ObjectID:
        """The commit that a commit or a tag is."""
        found = self._repository()[name]
        while isinstance(found, Tag):
            found = self._repository()[found.object[1]]
        if not isinstance(found, Commit):
            raise SourceFailed(f"{self.location!r} does not name a commit")
        return found.id

    def _newest(self) -> ObjectID:
        refs = self._repository().refs
        names = (
            [b"HEAD"]
            if self._branch is None
            else [
                f"refs/heads/{self._branch}".encode(),
                f"refs/remotes/origin/{self._branch}".encode(),
                f"refs/tags/{self._branch}".encode(),
            ]
        )
        for name in names:
            try:
                return refs[Ref(name)]
            except KeyError:
                continue
        missing = "any commit" if self._branch is None else f"the branch {self._branch!r}"
        raise SourceFailed(f"{str(self._path)!r} does not have {missing}")


def _entry(commit: Commit) -> HistoryEntry:
    at = datetime.fromtimestamp(min(max(commit.author_time, 0), 4_102_444_800), UTC)
    author = commit.author.decode("utf-8", "replace").partition("<")[0].strip()
    lines = commit.message.decode("utf-8", "replace").strip().splitlines()
    return HistoryEntry(
        version=commit.id.decode(),
        timestamp=at.isoformat().replace("+00:00", "Z"),
        author=author[:_MESSAGE_CHARS],
        message=lines[0][:_MESSAGE_CHARS] if lines else "",
    )


def _shown(path: str) -> str:
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


_ENTRY = re.compile(rb"([0-7]+) ([^\0]+)\0(.{20})", re.DOTALL)
_FOLDER = b"40000"
_KEPT = 512
_TREE = 2
_MOST_DEPTH = 50
_Entries = frozenset[tuple[bytes, bytes, bytes]]
"""Mode, name and raw id of each."""
_NONE: _Entries = frozenset()


class _Trees:
    """Compares trees, of which those that were read last are kept: a commit is compared with its parents, in turn.

    Args:
        store: where they are.
    """

    def __init__(self, store: BaseObjectStore) -> None:
        self._store = store
        self._read: OrderedDict[bytes, _Entries] = OrderedDict()

    def of_commit(self, name: ObjectID) -> ObjectID | None:
        """The tree of a commit; `None` when the commit is missing, as in a shallow clone."""
        try:
            found = self._store[name]
        except KeyError:
            return None
        return found.tree if isinstance(found, Commit) else None

    def changed(self, before: ObjectID | None, after: ObjectID) -> set[bytes]:
        """The paths of files that differ, or are in one of them alone."""
        found: set[bytes] = set()
        self._compare(before, after, b"", found, 0)
        return found

    def _compare(
        self, before: ObjectID | None, after: ObjectID | None, prefix: bytes, found: set[bytes], depth: int
    ) -> None:
        if before == after or depth > _MOST_DEPTH:
            return
        old, new = self._entries(before), self._entries(after)
        gone = {name: (mode, raw) for mode, name, raw in old - new}
        come = {name: (mode, raw) for mode, name, raw in new - old}
        for name in gone.keys() | come.keys():
            sides = [each.get(name) for each in (gone, come)]
            folders = [_tree(each) for each in sides]
            if any(folders):
                self._compare(folders[0], folders[1], prefix + name + b"/", found, depth + 1)
            if any(each is not None and each[0] != _FOLDER for each in sides):
                found.add(prefix + name)

    def _entries(self, name: ObjectID | None) -> _Entries:
        if name is None:
            return _NONE
        known = self._read.get(name)
        if known is None:
            kind, data = self._store.get_raw(name)
            if kind != _TREE:
                raise ObjectFormatException("a tree object is invalid")
            known = self._read[name] = frozenset(_ENTRY.findall(data))
            if len(self._read) > _KEPT:
                self._read.popitem(last=False)
        self._read.move_to_end(name)
        return known


def _tree(side: tuple[bytes, bytes] | None) -> ObjectID | None:
    if side is None or side[0] != _FOLDER:
        return None
    raw: RawObjectID = side[1]  # type: ignore[assignment]  # what the expression found
    return sha_to_hex(raw)
