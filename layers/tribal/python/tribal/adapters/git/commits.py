"""Writes commits as loose objects, as git does: a killed process leaves at most a file that `git gc` removes."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from dulwich.objects import Blob, Commit, ObjectID, ShaFile, Tree

from tribal.adapters.git.clone_settings import identity
from tribal.adapters.git.commit_contents import check_path, encode
from tribal.errors import RepositoryUnusable

if TYPE_CHECKING:
    from dulwich.object_store import DiskObjectStore

    from tribal.ports.repositories import NewCommit

_FILE, _FOLDER = 0o100644, 0o040000
_READ_ONLY = 0o444
_Changes = dict[bytes, "_Changes | bytes | None"]
"""New contents by name, nested by folder; `None` removes a file."""


def write_commit(store: DiskObjectStore, parent: Commit, new: NewCommit) -> ObjectID:
    """Write the objects of a commit, its own last; objects that exist stay.

    Raises:
        RepositoryUnusable: when a path or a text cannot be in a commit.
        OSError: when it cannot be written.
    """
    changes = _nest(new.files)
    message = encode(new.message, "the message")
    name, _, address = new.author.partition(" <")
    made = Commit()
    made.tree = _write_folder(store, parent.tree, changes, "") or _write_object(store, Tree())
    made.parents = [ObjectID(new.base.encode())]
    made.author = made.committer = identity(name, address)
    at = datetime.fromisoformat(new.at)
    made.author_time = made.commit_time = int((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp())
    made.author_timezone = made.commit_timezone = 0
    made.message = message
    return _write_object(store, made)


def _nest(files: Mapping[str, bytes | None]) -> _Changes:
    root: _Changes = {}
    for path, content in files.items():
        check_path(path)
        *folders, name = path.encode().split(b"/")
        here = root
        for folder in folders:
            below = here.setdefault(folder, {})
            if not isinstance(below, dict):
                raise RepositoryUnusable(f"{path!r} is below another file of the commit")
            here = below
        if name in here:
            raise RepositoryUnusable(f"{path!r} is a file and a folder of the commit")
        here[name] = content
    return root


def _write_folder(store: DiskObjectStore, before: ObjectID | None, changes: _Changes, prefix: str) -> ObjectID | None:
    """Write a changed folder and what is new below it; `None` if nothing is left in it."""
    tree = Tree() if before is None else store[before]
    assert isinstance(tree, Tree)
    entries = {entry.path: (entry.mode, entry.sha) for entry in tree.iteritems()}
    for name, change in changes.items():
        path = f"{prefix}{name.decode()}"
        mode, known = entries.get(name, (None, None))
        if isinstance(change, dict):
            if mode is not None and not stat.S_ISDIR(mode):
                raise RepositoryUnusable(f"{path!r} is not a folder; nothing can be written below it")
            below = _write_folder(store, known, change, f"{path}/")
            if below is not None:
                tree[name] = (_FOLDER, below)
            else:
                del tree[name]
            continue
        if mode is None and change is None:
            raise RepositoryUnusable(f"{path!r} does not exist and cannot be removed")
        if mode is not None and not stat.S_ISREG(mode):
            raise RepositoryUnusable(f"{path!r} is a folder, a link or a submodule, not a file")
        if change is None:
            del tree[name]
        else:
            tree[name] = (mode or _FILE, _write_object(store, Blob.from_string(change)))
    return _write_object(store, tree) if len(tree) else None


def _write_object(store: DiskObjectStore, made: ShaFile) -> ObjectID:
    """Write an object through to the disk under git's own temporary name.

    Dulwich would lock the object: the lock of a killed process has to be removed by hand.
    """
    name = ObjectID(made.get_id(store.object_format))
    place = Path(os.fsdecode(store.path), name[:2].decode(), name[2:].decode())
    if place.exists():
        return name
    place.parent.mkdir(exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(prefix="tmp_obj_", dir=place.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(made.as_legacy_object())
            file.flush()
            os.fsync(descriptor)
        Path(temporary).chmod(_READ_ONLY)
        Path(temporary).replace(place)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return name
