"""The git objects of a repository at the stand-in, as the API shows them."""

from __future__ import annotations

import base64
import io
import stat
import tarfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, cast

from dulwich.object_store import commit_tree_changes, iter_tree_contents
from dulwich.objects import S_ISGITLINK, Blob, Commit, ObjectID, Tree
from dulwich.refs import Ref
from dulwich.repo import MemoryRepo, Repo

from tests.adapters.git.clones import merge_commit
from tests.adapters.git.repositories import Files, commit

HEADS = "refs/heads/"


class GitObjects:
    """A repository in memory.

    Args:
        files: of the first commit of main.
    """

    def __init__(self, files: Files) -> None:
        self.repository = cast(Repo, MemoryRepo())
        self._store = self.repository.object_store
        self._seconds = 1_700_000_000
        if files:
            commit(self.repository, files, "First")

    def commit(self, files: Files, branch: str = "main", message: str = "Change") -> str:
        """Commit a whole tree to a branch."""
        return commit(self.repository, files, message, f"{HEADS}{branch}".encode()).decode()

    def merge(self, name: str) -> str:
        """Merge a commit into main."""
        merge_commit(self.repository, ObjectID(name.encode()))
        found = self.tip("main")
        assert found is not None
        return found

    @property
    def is_empty(self) -> bool:
        """Whether it has no branch."""
        return not self.branches()

    def branches(self) -> list[str]:
        """Names of all branches."""
        return sorted(name.decode() for name in self.repository.refs.subkeys(Ref(b"refs/heads")))

    def tip(self, branch: str) -> str | None:
        """The commit of a branch."""
        found = self.repository.refs.read_ref(Ref(f"{HEADS}{branch}".encode()))
        return None if found is None else found.decode()

    def files(self, branch: str) -> dict[str, bytes]:
        """The files of a branch."""
        tip = self.get(self.tip(branch) or "")
        return {
            path.decode(): self.get(each.decode(), Blob).data
            for path, _, each in iter_tree_contents(self._store, tip.tree)
        }

    def add_branch(self, ref: str, name: str) -> bool:
        """Create a ref; `False` if it exists."""
        return self.repository.refs.add_if_new(Ref(ref.encode()), ObjectID(name.encode()))

    def move_branch(self, branch: str, name: str) -> None:
        """Move a branch to a commit."""
        self.repository.refs[Ref(f"{HEADS}{branch}".encode())] = ObjectID(name.encode())

    def has(self, name: str, kind: type[Any] = Commit) -> bool:
        """Whether there is such an object."""
        return self.get(name, kind) is not None

    def get(self, name: str, kind: type[Any] = Commit) -> Any:
        """An object of a kind; `None` if it does not exist."""
        try:
            found = self._store[ObjectID(name.encode())]
        except (KeyError, ValueError, AssertionError):
            return None
        return found if isinstance(found, kind) else None

    def add_blob(self, data: bytes) -> str:
        """Store the bytes of a file."""
        made = Blob.from_string(data)
        self._store.add_object(made)
        return made.id.decode()

    def add_tree(self, base: str, items: Sequence[Mapping[str, Any]]) -> str | None:
        """Store a tree like another one; `None` if it removes what does not exist, or names what does not."""
        changes = []
        for item in items:
            if item["sha"] is not None and not self.has(item["sha"], Blob):
                return None
            name = None if item["sha"] is None else ObjectID(item["sha"].encode())
            changes.append((item["path"].encode(), int(item["mode"], 8), name))
        try:
            return commit_tree_changes(self._store, ObjectID(base.encode()), changes).decode()
        except KeyError:
            return None

    def add_commit(self, body: Mapping[str, Any]) -> str | None:
        """Store a commit, by default of now, which is always later than before; `None` if it lacks something."""
        if not self.has(body["tree"], Tree) or not all(map(self.has, body["parents"])):
            return None
        self._seconds += 1
        author = body.get("author") or {}
        made = Commit()
        made.tree = ObjectID(body["tree"].encode())
        made.parents = [ObjectID(each.encode()) for each in body["parents"]]
        made.author = made.committer = (
            f"{author.get('name', 'robot')} <{author.get('email', 'r@example.com')}>".encode()
        )
        date = author.get("date")
        made.author_time = made.commit_time = (
            self._seconds if date is None else int(datetime.fromisoformat(date).timestamp())
        )
        made.author_timezone = made.commit_timezone = 0
        made.message = body["message"].encode()
        self._store.add_object(made)
        return made.id.decode()

    def shown_commit(self, name: str) -> dict[str, Any] | None:
        """A commit."""
        found = self.get(name)
        if found is None:
            return None
        who, _, address = found.author.decode().removesuffix(">").partition(" <")
        signature = {"name": who, "email": address, "date": f"{datetime.fromtimestamp(found.author_time, UTC):%FT%TZ}"}
        return {
            "sha": name,
            "tree": {"sha": found.tree.decode()},
            "message": found.message.decode(),
            "parents": [{"sha": each.decode()} for each in found.parents],
            "author": signature,
            "committer": signature,
        }

    def shown_tree(self, name: str) -> dict[str, Any] | None:
        """A tree and all below it."""
        if not self.has(name, Tree):
            return None
        items = []
        for path, mode, each in iter_tree_contents(self._store, ObjectID(name.encode()), include_trees=True):
            kind = "commit" if S_ISGITLINK(mode) else "tree" if stat.S_ISDIR(mode) else "blob"
            item: dict[str, Any] = {
                "path": path.decode("utf-8", "replace"),
                "mode": f"{mode:06o}",
                "type": kind,
                "sha": each.decode(),
            }
            if kind == "blob":
                item["size"] = len(self.get(each.decode(), Blob).data)
            items.append(item)
        return {"sha": name, "tree": [item for item in items if item["path"]], "truncated": False}

    def shown_blob(self, name: str) -> dict[str, Any] | None:
        """The bytes of a file, in lines."""
        found = self.get(name, Blob)
        if found is None:
            return None
        content = base64.encodebytes(found.data).decode()
        return {"sha": name, "size": len(found.data), "encoding": "base64", "content": content}

    def ancestors(self, name: str) -> set[str]:
        """A commit, and all that it is based on."""
        seen: set[str] = set()
        left = [name]
        while left:
            if (each := left.pop()) not in seen:
                seen.add(each)
                left += [parent.decode() for parent in self.get(each).parents]
        return seen

    def compared(self, base: str, head: str) -> dict[str, Any] | None:
        """Two commits; `None` if they have nothing in common."""
        if not self.has(base) or not self.has(head):
            return None
        bases, heads = self.ancestors(base), self.ancestors(head)
        ahead, behind = len(heads - bases), len(bases - heads)
        if not bases & heads:
            return None
        status = {
            (True, True): "diverged",
            (True, False): "ahead",
            (False, True): "behind",
            (False, False): "identical",
        }
        return {
            "status": status[bool(ahead), bool(behind)],
            "ahead_by": ahead,
            "behind_by": behind,
            "total_commits": ahead,
            "commits": [],
            "files": [],
        }

    def archive(self, name: str, changes: Mapping[str, bytes | None]) -> bytes:
        """A commit's archive, as `git archive` makes it.

        Args:
            name: the commit.
            changes: files that its attributes leave out (`None`) or change.
        """
        written = io.BytesIO()
        root = f"acme-shop-{name[:7]}"
        with tarfile.open(
            fileobj=written, mode="w:gz", format=tarfile.PAX_FORMAT, pax_headers={"comment": name}
        ) as archive:
            archive.addfile(_member(root, tarfile.DIRTYPE))
            for raw, mode, each in iter_tree_contents(self._store, self.get(name).tree):
                path = raw.decode("utf-8", "surrogateescape")
                data = changes.get(path, b"" if S_ISGITLINK(mode) else self.get(each.decode(), Blob).data)
                if data is None:
                    continue
                if S_ISGITLINK(mode):
                    archive.addfile(_member(f"{root}/{path}", tarfile.DIRTYPE))
                elif stat.S_ISLNK(mode):
                    archive.addfile(_member(f"{root}/{path}", tarfile.SYMTYPE, link=data.decode()))
                else:
                    archive.addfile(_member(f"{root}/{path}", tarfile.REGTYPE, len(data)), io.BytesIO(data))
        return written.getvalue()


def _member(path: str, kind: bytes, size: int = 0, link: str = "") -> tarfile.TarInfo:
    made = tarfile.TarInfo(path)
    made.type, made.size, made.linkname = kind, size, link
    return made
