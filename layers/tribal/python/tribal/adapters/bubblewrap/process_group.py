"""The processes of a running sandbox, seen from outside, where they cannot interfere."""

from __future__ import annotations

import mmap
import os
import select
import signal
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from tribal.adapters.bubblewrap.command_line import WRITABLE
from tribal.ports.sandbox import SandboxLimit, SandboxLimits

_SMALLEST_FILE_BYTES = 4096
_THREADS, _RESIDENT_PAGES = 17, 21
"""Fields of `/proc/PID/stat` after the name. Source: proc_pid_stat(5)."""


@dataclass(frozen=True, slots=True)
class _Process:
    id: str
    threads: int
    resident_bytes: int


class ProcessGroup:
    """The processes and files of a sandbox, through its first process, whose end ends all others.

    Args:
        first: its process id; it runs, and has mounted all of its folders.
    """

    def __init__(self, first: int) -> None:
        with ExitStack() as opened:
            self._first = _open(opened, os.pidfd_open(first))
            # They stay valid, and the files stay readable, after the last process has ended.
            root = f"/proc/{first}/root"
            self._processes = _open(opened, os.open(f"{root}/proc", os.O_RDONLY | os.O_DIRECTORY))
            self._folders = [_open(opened, os.open(f"{root}{path}", os.O_RDONLY | os.O_DIRECTORY)) for path in WRITABLE]
            self._opened = opened.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()
        self._opened.close()

    def kill(self) -> None:
        """End all processes, and return once they have ended."""
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._first, signal.SIGKILL)
        ended = select.poll()
        ended.register(self._first, select.POLLIN)
        ended.poll()

    def reached_limit(self, limits: SandboxLimits) -> SandboxLimit | None:
        """The limit that the processes have reached together, except for time."""
        if self.is_disk_full(limits):
            return "disk"
        stats = list(self._stats())
        if sum(each.threads for each in stats) >= limits.processes:
            return "processes"
        # Pages that processes share count once for each here. The exact sum takes longer, and is taken twice: it is too
        # large while processes that share pages end.
        if sum(each.resident_bytes for each in stats) > limits.memory_bytes and all(
            sum(map(self._proportional_bytes, stats)) > limits.memory_bytes for _ in range(2)
        ):
            return "memory"
        return None

    def is_disk_full(self, limits: SandboxLimits) -> bool:
        """Whether the files reach their limit; also known after the processes have ended."""
        systems = [os.statvfs(folder) for folder in self._folders]
        written = sum((each.f_blocks - each.f_bfree) * each.f_frsize for each in systems)
        files = sum(each.f_files - each.f_ffree for each in systems)
        return max(written, files * _SMALLEST_FILE_BYTES) >= limits.disk_bytes

    def _stats(self) -> Iterator[_Process]:
        for process in filter(str.isdigit, os.listdir(self._processes)):  # noqa: PTH208 - pathlib takes no file descriptor
            # A process may end at any time.
            with suppress(OSError, IndexError):
                fields = self._read(f"{process}/stat").rpartition(b")")[2].split()
                yield _Process(process, int(fields[_THREADS]), int(fields[_RESIDENT_PAGES]) * mmap.PAGESIZE)

    def _proportional_bytes(self, process: _Process) -> int:
        """Memory of a process, with its share of pages that it shares; 0 if it has ended."""
        try:
            lines = self._read(f"{process.id}/smaps_rollup").splitlines()
        except PermissionError:
            return process.resident_bytes
        except OSError:
            return 0
        return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(b"Pss:")), 0)

    def _read(self, path: str) -> bytes:
        descriptor = os.open(path, os.O_RDONLY, dir_fd=self._processes)
        try:
            return os.read(descriptor, 1 << 16)
        finally:
            os.close(descriptor)


def _open(stack: ExitStack, descriptor: int) -> int:
    stack.callback(os.close, descriptor)
    return descriptor
