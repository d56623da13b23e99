"""Reads the state of a git checkout from its files: no program, filter or hook that it configures runs.

Source: git's documentation of gitignore, gitrepository-layout and index-format.
"""

from __future__ import annotations

import os
import re
import stat
import zlib
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from dulwich.errors import ChecksumMismatch, FileFormatException, NotGitRepository
from dulwich.ignore import IgnoreFilterManager
from dulwich.index import ConflictedIndexEntry, UnsupportedIndexFormat, read_index_dict
from dulwich.object_store import iter_tree_contents
from dulwich.objects import S_ISGITLINK, Commit, ObjectID
from dulwich.objectspec import AmbiguousShortId, parse_commit, parse_object
from dulwich.repo import UnsupportedExtension, UnsupportedVersion

from tribal.adapters.git.repository import LocalRepository
from tribal.errors import ConfigurationError

if TYPE_CHECKING:
    from dulwich.index import IndexEntry

_LONGEST_REVISION = 250
_REVISION = re.compile(r"(?P<start>.+?)(?P<steps>(?:[~^]\d*|\^\{(?:commit)?\})*)")
_STEP = re.compile(r"([~^])(\d*)(?!\{)")
_CHUNK = 1 << 20
_DAMAGE = (LookupError, ValueError, AssertionError, OSError, zlib.error, ChecksumMismatch, FileFormatException)


class GitCheckout:
    """A checkout: its root, its files, and which of them changed since a commit.

    Args:
        repository: opened at the root.
        root: an absolute path without links.
    """

    def __init__(self, repository: LocalRepository, root: Path) -> None:
        self._repository = repository
        self.root = root

    @classmethod
    def find(cls, folder: Path) -> GitCheckout | None:
        """The checkout that a folder is in, also of a submodule or another work tree; `None` outside of any.

        Raises:
            ConfigurationError: when its `.git` cannot be read.
        """
        for root in (folder.resolve(), *folder.resolve().parents):
            if not (root / ".git").exists():
                continue
            try:
                repository = LocalRepository(str(root))
            except NotGitRepository:
                continue
            except (UnsupportedExtension, UnsupportedVersion, *_DAMAGE) as error:
                raise _unreadable(root, error) from error
            if not repository.bare and Path(repository.controldir()).is_dir():
                return cls(repository, root)
            repository.close()
        return None

    def close(self) -> None:
        """Close the repository."""
        self._repository.close()

    def ignores(self, folder: Path) -> bool:
        """Whether git ignores a folder of this checkout as a whole."""
        relative = self._relative(folder)
        return relative != "" and self._ignored.may_prune_directory(relative)

    def files(self, folder: Path) -> Iterator[str]:
        """The files below a folder, relative to the root, in no order: in the index, or new and not ignored.

        A submodule, and a repository within the checkout, is one path.
        """
        inside = self._relative(folder)
        prefix = os.fsencode(inside) + b"/" if inside else b""
        for name in self._index:
            if name and name.startswith(prefix) and os.path.lexists(self.root / os.fsdecode(name)):
                yield os.fsdecode(name)
        for here, folders, names in os.walk(self.root / inside):
            parent = PurePath(here).relative_to(self.root)
            kept = []
            for each in folders:
                path = (parent / each).as_posix()
                if each == ".git" or self._ignored.may_prune_directory(path):
                    continue
                place = Path(here, each)
                if place.is_symlink() or (place / ".git").exists():
                    names.append(each)
                else:
                    kept.append(each)
            folders[:] = kept
            for each in names:
                path = (parent / each).as_posix()
                if each != ".git" and os.fsencode(path) not in self._index and not self._ignored.is_ignored(path):
                    yield path

    def changed(self, folder: Path, since: str | None) -> Iterator[str]:
        """The files below a folder whose bytes differ from those in a commit, or that it lacks.

        Git's filters do not run, so a file that only a filter changes counts as changed, unless the index shows that it
        was not touched since git wrote it.

        Args:
            folder: in the checkout.
            since: a commit, in git's spelling; the one that is checked out when unset.

        Raises:
            ConfigurationError: when there is no such commit, or it cannot be read.
        """
        known = self._files_of(self._commit(since))
        for path in self.files(folder):
            raw = os.fsencode(path)
            if raw not in known or self._differs(path, known[raw], self._index.get(raw)):
                yield path

    def _relative(self, folder: Path) -> str:
        relative = folder.resolve().relative_to(self.root).as_posix()
        return "" if relative == "." else relative

    @cached_property
    def _index(self) -> dict[bytes, IndexEntry | ConflictedIndexEntry]:
        """The entries of the index by path. A split or sparse index yields only the entries in its own file."""
        try:
            with Path(self._repository.index_path()).open("rb") as file:
                # The checksum is not compared: dulwich 1.2 cannot skip the extensions of split and sparse indexes.
                return read_index_dict(file, self._repository.object_format)
        except FileNotFoundError:
            return {}
        except (UnsupportedIndexFormat, *_DAMAGE) as error:
            raise _unreadable(self.root, error) from error

    @cached_property
    def _ignored(self) -> IgnoreFilterManager:
        # The user's own list of ignored files is read too, from the settings of the user.
        return IgnoreFilterManager.from_repo(self._repository)

    def _commit(self, since: str | None) -> Commit | None:
        """The commit to compare with; `None` if none was named and the branch has no commit yet."""
        name = "HEAD" if since is None else since
        try:
            if len(name) > _LONGEST_REVISION:
                raise ValueError(name)
            return _resolve(self._repository, name)
        except (AmbiguousShortId, NotImplementedError, *_DAMAGE) as error:
            if since is None and self._is_unborn():
                return None
            raise ConfigurationError(f"git has no commit {name!r}") from error

    def _is_unborn(self) -> bool:
        try:
            self._repository.head()
        except KeyError:
            return True
        return False

    def _files_of(self, commit: Commit | None) -> dict[bytes, ObjectID]:
        if commit is None:
            return {}
        try:
            entries = iter_tree_contents(self._repository.object_store, commit.tree)
            return {entry.path: entry.sha for entry in entries}
        except _DAMAGE as error:
            raise _unreadable(self.root, error) from error

    def _differs(self, path: str, known: ObjectID, entry: IndexEntry | ConflictedIndexEntry | None) -> bool:
        place = self.root / path
        found = place.lstat()
        if entry is not None and not isinstance(entry, ConflictedIndexEntry):
            if S_ISGITLINK(entry.mode):
                return _head_of(place) != known
            if self._is_untouched(found, entry):
                return entry.sha != known
        return self._hash(place, found) != known

    def _is_untouched(self, found: os.stat_result, entry: IndexEntry) -> bool:
        """Whether a file is as git wrote or read it: same size and time, a time before that of the index.

        Source: git's documentation of racy-git.
        """
        seconds, nanoseconds = entry.mtime if isinstance(entry.mtime, tuple) else (int(entry.mtime), 0)
        time = seconds * 1_000_000_000 + nanoseconds
        return found.st_size == entry.size and found.st_mtime_ns == time and time < self._index_time

    @cached_property
    def _index_time(self) -> int:
        return Path(self._repository.index_path()).stat().st_mtime_ns

    def _hash(self, place: Path, found: os.stat_result) -> bytes | None:
        """The name of the object that the bytes of a file, or the target of a link, would be."""
        digest = self._repository.object_format.new_hash()
        try:
            if stat.S_ISLNK(found.st_mode):
                target = os.fsencode(place.readlink())
                digest.update(b"blob %d\0%s" % (len(target), target))
            elif stat.S_ISREG(found.st_mode):
                digest.update(b"blob %d\0" % found.st_size)
                with place.open("rb") as file:
                    while chunk := file.read(_CHUNK):
                        digest.update(chunk)
            else:
                return None
        except OSError:
            return None
        return digest.hexdigest().encode()


def _resolve(repository: LocalRepository, name: str) -> Commit:
    """The commit with a name, such as `main~2`, `v1.0^{commit}` or `HEAD@{1}`."""
    found = _REVISION.fullmatch(name)
    if found is None:
        raise KeyError(name)
    start = "HEAD" if found["start"] == "@" else found["start"]
    named = parse_object(repository, start) if "@{" in start else parse_commit(repository, start)
    commit = parse_commit(repository, named.id)
    for operator, number in _STEP.findall(found["steps"]):
        count = int(number or 1)
        if operator == "^" and count:
            commit = _commit_of(repository, commit.parents[count - 1])
        for _ in range(count if operator == "~" else 0):
            commit = _commit_of(repository, commit.parents[0])
    return commit


def _commit_of(repository: LocalRepository, name: ObjectID) -> Commit:
    found = repository[name]
    assert isinstance(found, Commit)
    return found


def _head_of(submodule: Path) -> bytes | None:
    """The commit that is checked out in a submodule."""
    try:
        with LocalRepository(str(submodule)) as repository:
            return repository.head()
    except (NotGitRepository, UnsupportedExtension, UnsupportedVersion, *_DAMAGE):
        return None


def _unreadable(root: Path, error: Exception) -> ConfigurationError:
    return ConfigurationError(
        f"cannot read the git repository of {str(root)!r}: {type(error).__name__}; `git fsck` shows what it lacks"
    )
