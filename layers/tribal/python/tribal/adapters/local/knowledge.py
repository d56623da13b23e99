"""Knowledge in a folder."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from tribal.errors import ItemUnusable, SourceFailed
from tribal.ports.remembering.knowledge_source import MOST_BYTES, SourceEntry, SourceTree, name_problem
from tribal_contracts.knowledge import HistoryEntry, ItemFailure

MOST_FILES = 20_000
"""Limit of files of any kind in a source; a folder with more is probably a mistake."""
_SKIPPED = frozenset({".git", ".hg", ".svn", "node_modules", ".venv", "__pycache__"})


class KnowledgeFolder:
    """A `KnowledgeSource` without history.

    Args:
        folder: what it is in.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def location(self) -> str:
        """The folder."""
        return str(self._folder)

    def tree(self) -> SourceTree:
        """The files as they are now; links are refused."""
        if not self._folder.is_dir():
            raise SourceFailed(f"there is no folder {str(self._folder)!r}; correct `knowledge.repository`")
        entries: list[SourceEntry] = []
        refused: list[ItemFailure] = []
        for path, found in self._files():
            problem = name_problem(path)
            if problem is not None:
                shown = path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
                refused.append(ItemFailure(path=shown, line=None, reason=problem))
            elif stat.S_ISLNK(found.st_mode):
                refused.append(ItemFailure(path=path, line=None, reason="it is a link, and links are not followed"))
            elif stat.S_ISREG(found.st_mode):
                entries.append(self._entry(path, found))
            if len(entries) + len(refused) > MOST_FILES:
                raise SourceFailed(
                    f"{self.location!r} has more than {MOST_FILES:,} files; name the folder that holds the items"
                )
        return SourceTree(None, sorted(entries, key=lambda each: each.path), refused)

    def read(self, entry: SourceEntry) -> bytes:
        """The bytes of a file, if it is still the one that was listed."""
        try:
            data = self._data(entry.path)
        except OSError as error:
            raise ItemUnusable(f"it cannot be read: {error.strerror}", None) from error
        if sha256(data).hexdigest() != entry.version:
            raise ItemUnusable("it was changed while it was read; sync again", None)
        return data

    def history(self, paths: Collection[str]) -> Mapping[str, Sequence[HistoryEntry]]:  # noqa: ARG002 - files have no history
        """Empty: a folder has no history."""
        return {}

    def _files(self) -> Iterator[tuple[str, os.stat_result]]:
        def fail(error: OSError) -> None:
            raise SourceFailed(f"{error.filename!r} cannot be read: {error.strerror}") from error

        for here, folders, files in os.walk(self._folder, onerror=fail):
            links = [each for each in folders if Path(here, each).is_symlink()]
            folders[:] = sorted(each for each in folders if each not in _SKIPPED and each not in links)
            for name in sorted([*files, *links]):
                whole = Path(here, name)
                yield whole.relative_to(self._folder).as_posix(), whole.lstat()

    def _entry(self, path: str, found: os.stat_result) -> SourceEntry:
        modified = datetime.fromtimestamp(int(found.st_mtime), UTC).isoformat().replace("+00:00", "Z")
        try:
            version = sha256(self._data(path)).hexdigest()
        except OSError:
            version = ""
        return SourceEntry(path, version, found.st_size, modified)

    def _data(self, path: str) -> bytes:
        # A file that is too large is refused by its size, without reading it.
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)
        descriptor = os.open(self._folder / path, flags)
        with os.fdopen(descriptor, "rb") as file:
            return file.read(MOST_BYTES + 1)
