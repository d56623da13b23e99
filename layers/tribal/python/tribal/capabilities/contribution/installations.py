"""Installs the packages that checks need, once for all agents of a process that check the same commit."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable
from functools import cached_property
from pathlib import Path


class Installations:
    """Folders with what was installed; they are removed at the end of the process."""

    def __init__(self) -> None:
        self._made: dict[tuple[str, str], tuple[Path, str]] = {}
        # Agents that work side by side wait for one installation.
        self._lock = threading.Lock()

    def of(self, commit: str, command: str, install: Callable[[Path], str]) -> tuple[Path, str]:
        """The folder of an installation, and why it failed, or an empty text.

        Args:
            commit: that it is for.
            command: that installs.
            install: called with an empty folder unless that was done before; returns why it failed, or an empty text.
        """
        with self._lock:
            if (commit, command) not in self._made:
                folder = Path(tempfile.mkdtemp(dir=self._root.name))
                self._made[commit, command] = folder, install(folder)
            return self._made[commit, command]

    @cached_property
    def _root(self) -> tempfile.TemporaryDirectory[str]:
        return tempfile.TemporaryDirectory(prefix="tribal-installed-")
