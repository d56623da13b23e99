"""A local clone, opened without what its configuration names, and the branches that contributions start from."""

from __future__ import annotations

import re
import shlex
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

from dulwich.config import ConfigFile
from dulwich.errors import ChecksumMismatch, FileFormatException, MissingCommitError, NotGitRepository
from dulwich.file import FileLocked
from dulwich.objects import Commit, ObjectID
from dulwich.refs import Ref, SymrefLoop
from dulwich.repo import UnsupportedExtension, UnsupportedVersion
from dulwich.walk import Walker

from tribal.adapters.git.clone_settings import read_settings
from tribal.adapters.git.repository import LocalRepository
from tribal.errors import RepositoryUnreadable, RepositoryUnusable

BRANCH_PREFIX = "tribal/"
HEADS = "refs/heads/"
_ORIGIN = "refs/remotes/origin/"
_USUAL_NAMES = ("main", "master")
_HEX = re.compile("[0-9a-f]+")
_KNOWN_EXTENSIONS = {"objectformat", "partialclone", "preciousobjects", "relativeworktrees", "worktreeconfig"}
_DAMAGE = (ValueError, IndexError, AssertionError, zlib.error, ChecksumMismatch, FileFormatException, SymrefLoop)


class Clone:
    """A clone with a work tree, opened when it is first used.

    Args:
        path: its root, or that of one of its work trees.
        base: the branch that contributions start from; the default branch when unset.
    """

    def __init__(self, path: Path, base: str | None) -> None:
        self.path = path
        self.git = f"git -C {shlex.quote(str(path))}"
        """How a command begins that a person runs here."""
        self._base = base

    @cached_property
    def repository(self) -> LocalRepository:
        """The opened repository.

        Raises:
            RepositoryUnreadable: when it does not exist, or cannot be read.
            RepositoryUnusable: when it is bare or shallow, or its format is not supported.
        """
        if not self.path.is_dir():
            raise RepositoryUnreadable(f"the folder {str(self.path)!r} does not exist; check `path` of the repository")
        try:
            with self.translate_errors():
                opened = LocalRepository(str(self.path))
        except NotGitRepository as error:
            raise RepositoryUnreadable(
                f"{str(self.path)!r} is not the root of a git repository; `path` must name the folder that has `.git`"
            ) from error
        except (UnsupportedExtension, UnsupportedVersion) as error:
            raise RepositoryUnusable(f"the format of {str(self.path)!r} is not supported: {error}") from error
        self._check_form(opened)
        return opened

    def close(self) -> None:
        """Close the repository."""
        opened = self.__dict__.pop("repository", None)
        if opened is not None:
            opened.close()

    @contextmanager
    def translate_errors(self) -> Iterator[None]:
        """Report missing objects, damage and refused access to the repository as our errors."""
        try:
            yield
        except NotGitRepository:
            raise
        except FileLocked as error:
            raise RepositoryUnreadable(
                f"another process writes to {str(self.path)!r}; if none does, remove {_shown(error.lockfilename)!r}"
            ) from error
        except (KeyError, MissingCommitError) as error:
            raise RepositoryUnusable(
                f"{str(self.path)!r} lacks objects of its own history; if it is a partial clone, run"
                f" `{self.git} fetch --refetch --no-filter`"
            ) from error
        except OSError as error:
            raise RepositoryUnreadable(
                f"cannot access the repository {str(self.path)!r}: {error.strerror or type(error).__name__}"
            ) from error
        except _DAMAGE as error:
            raise RepositoryUnreadable(
                f"{str(self.path)!r} is damaged ({type(error).__name__}); run `{self.git} fsck`"
            ) from error

    def settings(self) -> ConfigFile:
        """Read the clone's settings as data."""
        return read_settings(Path(self.repository.commondir(), "config"))

    def ref(self, name: str) -> ObjectID | None:
        """The object that a full reference name leads to; `None` if it does not exist."""
        try:
            return self.repository.refs[Ref(name.encode("utf-8", "surrogateescape"))]
        except KeyError:
            return None

    def commit(self, name: ObjectID) -> Commit:
        """Read a commit."""
        found = self.repository.object_store[name]
        if not isinstance(found, Commit):
            raise FileFormatException("it is not a commit")
        return found

    def require_commit(self, name: str) -> Commit:
        """Read a commit by its name in hexadecimal.

        Raises:
            RepositoryUnusable: when it does not exist.
        """
        if _HEX.fullmatch(name) and len(name) == self.repository.object_format.hex_length:
            try:
                found = self.repository.object_store[ObjectID(name.encode())]
            except KeyError:
                found = None
            if isinstance(found, Commit):
                return found
        raise RepositoryUnusable(f"{str(self.path)!r} has no commit {name!r}; fetch it, or prepare again")

    @property
    def default_branch(self) -> str:
        """The remote's default branch if the clone knows it, else the base branch, `main`, `master`, or HEAD's branch.

        HEAD comes last, so that switching branches does not change the answer.

        Raises:
            RepositoryUnusable: when HEAD is on no branch, and none of the others exists.
        """
        if (name := self._remote_default) is not None:
            return name
        current = self.current_branch
        known = (self._base, *(name for name in _USUAL_NAMES if self.ref(HEADS + name)), current)
        for found in known:
            if found is not None and not found.startswith(BRANCH_PREFIX):
                return found
        raise RepositoryUnusable(f"cannot tell the default branch of {str(self.path)!r}; set `base` of the repository")

    @property
    def default_tip(self) -> ObjectID | None:
        """The newest commit of the default branch: of the remote's as last fetched, if the clone knows it."""
        remote = self._remote_default
        return self.ref(_ORIGIN + remote) if remote is not None else self.ref(HEADS + self.default_branch)

    @property
    def base_branch(self) -> str:
        """The branch that contributions start from."""
        return self._base or self.default_branch

    @property
    def base_tip(self) -> ObjectID:
        """The newest commit of the local base branch.

        Raises:
            RepositoryUnusable: when there is no commit or no such branch.
        """
        name = self.base_branch
        found = self.ref(HEADS + name)
        if found is not None:
            return found
        if not self.repository.refs.subkeys(Ref(HEADS.encode())):
            raise RepositoryUnusable(f"{str(self.path)!r} has no commit on any branch; commit its files first")
        create = f"`{self.git} branch {name} origin/{name}`" if self.ref(_ORIGIN + name) else "set `base`"
        raise RepositoryUnusable(f"{str(self.path)!r} has no branch {name!r}; {create}")

    def check_up_to_date(self) -> None:
        """Check that the base branch has every commit that its remote was last seen with.

        Raises:
            RepositoryUnusable: when it is behind, or the two have diverged.
        """
        name, local = self.base_branch, self.base_tip
        remote = self.ref(_ORIGIN + name)
        if remote is None or self.contains(local, remote):
            return
        if not self.contains(remote, local):
            raise RepositoryUnusable(
                f"the branch {name!r} of {str(self.path)!r} and origin/{name} have diverged; rebase or merge, and push"
            )
        update = "pull" if self.current_branch == name else f"fetch origin {name}:{name}"
        raise RepositoryUnusable(
            f"the branch {name!r} of {str(self.path)!r} is behind origin/{name}; run `{self.git} {update}`"
        )

    def contains(self, tip: ObjectID, wanted: ObjectID) -> bool:
        """Whether a commit is another one or its ancestor; walks only what the parents of that one do not contain."""
        walked = Walker(self.repository.object_store, [tip], exclude=self.commit(wanted).parents)
        return any(entry.commit.id == wanted for entry in walked)

    @property
    def current_branch(self) -> str | None:
        """The branch that is checked out; `None` if HEAD is detached."""
        return self._target("HEAD", HEADS)

    @property
    def _remote_default(self) -> str | None:
        name = self._target(f"{_ORIGIN}HEAD", _ORIGIN)
        return name if name is not None and self.ref(_ORIGIN + name) else None

    def _target(self, symbolic: str, prefix: str) -> str | None:
        """The branch that a symbolic reference names."""
        content = self.repository.refs.read_ref(Ref(symbolic.encode())) or b""
        start = f"ref: {prefix}".encode()
        return content.removeprefix(start).decode("utf-8", "surrogateescape") if content.startswith(start) else None

    def _check_form(self, opened: LocalRepository) -> None:
        with self.translate_errors():
            settings = read_settings(Path(opened.commondir(), "config"))
            extensions = {name.decode().lower(): value for name, value in settings.items((b"extensions",))}
            is_shallow = any(
                place.is_file() and place.stat().st_size
                for place in (Path(opened.commondir(), "shallow"), Path(opened.controldir(), "shallow"))
            )
            is_main = Path(self.path, ".git").is_dir()
            is_bare = opened.bare or (is_main and settings.get_boolean((b"core",), b"bare", False))
        problem = None
        if is_bare:
            problem = "is bare; name a clone or a work tree that has the files"
        elif is_shallow:
            problem = f"is a shallow clone; run `{self.git} fetch --unshallow`"
        elif extensions.pop("refstorage", b"files") != b"files":
            problem = (
                f"stores its branches as reftable; run `{self.git} refs migrate --ref-format=files`, or use"
                " another clone"
            )
        elif unknown := sorted(extensions.keys() - _KNOWN_EXTENSIONS):
            problem = f"uses git extensions that are not supported: {', '.join(unknown)}; use another clone"
        if problem is not None:
            opened.close()
            raise RepositoryUnusable(f"{str(self.path)!r} {problem}")


def _shown(name: str | bytes) -> str:
    return name if isinstance(name, str) else name.decode("utf-8", "replace")
