"""Opens repositories on this machine without what their settings name."""

from __future__ import annotations

from pathlib import Path

from dulwich.config import ConfigFile
from dulwich.repo import Repo

_READ_SETTINGS = (
    (b"core", b"repositoryformatversion"),
    (b"extensions", b"objectformat"),
    (b"extensions", b"refstorage"),
)
"""The only settings of a repository that are used: how its objects and references are stored."""


class LocalRepository(Repo):
    """A repository on this machine, read without its settings, except those of its format."""

    def get_config(self) -> ConfigFile:
        """The settings of its format; files that it includes are not opened."""
        found = ConfigFile()
        try:
            whole = ConfigFile.from_path(Path(self.commondir(), "config"), expand_includes=False)
        except FileNotFoundError:
            return found
        for section, name in _READ_SETTINGS:
            try:
                found.set((section,), name, whole.get((section,), name))
            except KeyError:
                continue
        return found
