"""A run that asks a model in a process of its own, which someone kills, or which dies in the middle of a write."""

from __future__ import annotations

import itertools
import os
import signal
from collections.abc import Iterator
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import SimpleNamespace

from tests.forked import forked
from tests.runs.model.made import over_folder
from tribal.adapters.local.folder import FolderStore
from tribal.ports import Clock

TABLES = 12
CALLS_AT_ONCE = 4


class DyingStore(FolderStore):
    """Kills its process halfway through the write of that number, from 1, below a folder; with 0 it never does."""

    def __init__(self, root: Path, below: str, number: int) -> None:
        super().__init__(root)
        self._below = below
        self._number = number
        self._writes = itertools.count(1)

    def put(self, key: str, data: bytes, *, if_match: str | None = None, if_absent: bool = False) -> str:
        """Write a file, or die of it."""
        if key.startswith(self._below) and next(self._writes) == self._number:
            return super().put_lines(key, _half_of(data))
        return super().put(key, data, if_match=if_match, if_absent=if_absent)


def _half_of(data: bytes) -> Iterator[bytes]:
    yield data[: len(data) // 2]
    os.kill(os.getpid(), signal.SIGKILL)


def process_of_run(folder: Path, address: str, clock: Clock, below: str = "", number: int = 0) -> BaseProcess:
    """A process, not yet started, that plans and documents; see `DyingStore`."""
    return forked(_run, folder, address, clock, below, number)


def _run(folder: Path, address: str, clock: Clock, below: str, number: int) -> None:
    store = DyingStore(folder, below, number)
    over_folder(store, SimpleNamespace(address=address), clock, TABLES, CALLS_AT_ONCE).run()
