"""Reads files for checks in processes that are killed when a file takes too much time or memory."""

from __future__ import annotations

import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import IO

from tribal.adapters.local.reading_worker import needed_for
from tribal.policies.reading import FileNames, ReadRequest, not_read

FILE_SECONDS = 1.5
"""For one file. The largest files within the other limits take about 1 s on one core."""
MEMORY_BYTES = 256 << 20
"""Of one process. With the interpreter and its libraries it stays below 300 MB."""
MOST_PROCESSES = 4
"""As many as the server answers at once."""
_START_SECONDS = 30.0
"""For a process to start and import what it needs, which takes about 1 s."""
_MODULE = "tribal.adapters.local.reading_worker"


class ReadingProcesses:
    """The `FileReader` that reads in processes of this machine, each started when it is needed and used again.

    Args:
        file_seconds: what one file may take.
        memory_bytes: what a process may take.
    """

    def __init__(self, file_seconds: float = FILE_SECONDS, memory_bytes: int = MEMORY_BYTES) -> None:
        self._file_seconds = file_seconds
        self._memory_bytes = memory_bytes
        self._free = threading.Semaphore(MOST_PROCESSES)
        self._lock = threading.Lock()
        self._idle: list[_Process] = []
        self._all: set[_Process] = set()
        self._closed = False

    def read(self, requests: Sequence[ReadRequest], seconds: float | None) -> list[FileNames]:
        """Read files one after the other in one process; see `FileReader`."""
        end = None if seconds is None else time.monotonic() + seconds
        with self._free:
            return [self._read(each, end, seconds) for each in requests]

    def close(self) -> None:
        """Kill every process."""
        with self._lock:
            self._closed = True
            processes = [*self._all]
        for each in processes:
            self._end(each)

    def _read(self, request: ReadRequest, end: float | None, seconds: float | None) -> FileNames:
        left = self._file_seconds if end is None else end - time.monotonic()
        if left <= 0:
            return _over(request, f"the files before it took the {seconds:g} s of a check; check fewer files at once")
        allowed = min(left, self._file_seconds)
        process = self._take()
        try:
            names = process.read(request, allowed)
        except _TooSlowError:
            self._replace(process)
            return _over(request, f"reading it took longer than {allowed:.2g} s")
        except _GoneError:
            self._replace(process)
            return _over(request, f"reading it took more than {self._memory_bytes >> 20} MB, or failed")
        except BaseException:
            self._end(process)
            raise
        with self._lock:
            self._idle.append(process)
        return names

    def _take(self) -> _Process:
        with self._lock:
            if self._idle:
                return self._idle.pop()
        return self._start()

    def _start(self) -> _Process:
        process = _Process(self._file_seconds, self._memory_bytes)
        with self._lock:
            self._all.add(process)
            closed = self._closed
        if closed:
            self._end(process)
        return process

    def _replace(self, process: _Process) -> None:
        """End a process, and start the next one, which imports what it needs while nobody waits."""
        self._end(process)
        with self._lock:
            if self._closed:
                return
        started = self._start()
        with self._lock:
            self._idle.append(started)

    def _end(self, process: _Process) -> None:
        with self._lock:
            self._all.discard(process)
        process.kill()


class _TooSlowError(Exception):
    """A file took too long, and the process was killed."""


class _GoneError(Exception):
    """The process ended by itself."""


class _Process:
    """One process and the pipes to it."""

    def __init__(self, file_seconds: float, memory_bytes: int) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
            [sys.executable, "-P", "-m", _MODULE, str(file_seconds), str(memory_bytes)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # What a parser prints about a hostile file belongs on nobody's terminal.
            stderr=subprocess.DEVNULL,
            # Ctrl-C must reach only the process that closes this one.
            start_new_session=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._to, self._from = self._process.stdin, self._process.stdout
        self._prepared: set[str] = set()

    def read(self, request: ReadRequest, seconds: float) -> FileNames:
        """Read a file; the time counts from when the process is ready."""
        try:
            pickle.dump(request, self._to, pickle.HIGHEST_PROTOCOL)
            self._to.flush()
        except OSError as error:
            raise _GoneError from error
        if (needed := needed_for(request)) not in self._prepared:
            self._receive(_START_SECONDS)
            self._prepared.add(needed)
        names = self._receive(seconds)
        if not isinstance(names, FileNames):
            raise TypeError(f"a process that reads files answered {type(names).__name__}")
        return names

    def kill(self) -> None:
        """End the process at once."""
        self._process.kill()
        self._process.wait()
        for stream in (self._to, self._from):
            with suppress(OSError):
                stream.close()

    def _receive(self, seconds: float) -> object:
        killed = threading.Event()

        def kill() -> None:
            killed.set()
            self._process.kill()

        timer = threading.Timer(seconds, kill)
        timer.daemon = True
        timer.start()
        try:
            return _load(self._from)
        except (EOFError, OSError, ValueError, pickle.UnpicklingError) as error:
            raise (_TooSlowError if killed.is_set() else _GoneError) from error
        finally:
            timer.cancel()


def _load(stream: IO[bytes]) -> object:
    return pickle.load(stream)  # noqa: S301 - the other end is this program


def _over(request: ReadRequest, reason: str) -> FileNames:
    return not_read(request.path, reason, is_over_limit=True)
