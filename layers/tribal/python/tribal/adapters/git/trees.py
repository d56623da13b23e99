"""Compares git trees without reading what they have in common.

Source: git's documentation of gitformat-pack and gitglossary, "tree object".
"""

from __future__ import annotations

import re
from collections import OrderedDict
from typing import TYPE_CHECKING

from dulwich.errors import ObjectFormatException
from dulwich.objects import Commit, ObjectID, sha_to_hex

if TYPE_CHECKING:
    from dulwich.object_store import BaseObjectStore
    from dulwich.objects import RawObjectID

_ENTRY = re.compile(rb"([0-7]+) ([^\0]+)\0(.{20})", re.DOTALL)
_FOLDER = b"40000"
_KEPT = 512
_TREE = 2
_MOST_DEPTH = 50
_Entries = frozenset[tuple[bytes, bytes, bytes]]
"""Mode, name and raw id of each."""
_NONE: _Entries = frozenset()


class Trees:
    """Compares trees, of which those that were read last are kept: a commit is compared with its parents, in turn.

    Args:
        store: where they are.
    """

    def __init__(self, store: BaseObjectStore) -> None:
        self._store = store
        self._read: OrderedDict[bytes, _Entries] = OrderedDict()

    def of_commit(self, name: ObjectID) -> ObjectID | None:
        """The tree of a commit; `None` when the commit is not there, as in a history that was cut."""
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
