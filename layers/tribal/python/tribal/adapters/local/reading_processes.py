"""Reads files in processes that are killed when a file takes too much time or memory."""

from __future__ import annotations

import math
import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import IO, Any

from tribal.adapters.local.reading_worker import FileFunctions, functions_of

FILE_SECONDS = 1.25
"""Limit for one file. The largest files within the other limits take about .8 s on one core."""
MEMORY_BYTES = 256 << 20
"""Limit for one process. With the interpreter and its libraries it stays below 300 MB."""
MOST_PROCESSES = 4
"""As many as the server's concurrent requests."""
_SLOW_SECONDS = 0.2
"""After this time, a spare process is started in case this one is killed."""
_START_SECONDS = 30.0
"""Limit for a process to start and import its modules, which takes about 1 s."""
_MODULE = "tribal.adapters.local.reading_worker"


class ReadingProcesses:
    """Reads files in processes of this machine, which are started when they are needed and used again.

    Args:
        module: reads a file; see `FileFunctions`.
        file_seconds: what one file may take.
        memory_bytes: what a process may take.
    """

    def __init__(self, module: str, file_seconds: float = FILE_SECONDS, memory_bytes: int = MEMORY_BYTES) -> None:
        self._module, self._functions = module, functions_of(module)
        self._file_seconds = file_seconds
        self._memory_bytes = memory_bytes
        self._free = threading.Semaphore(MOST_PROCESSES)
        self._lock = threading.Lock()
        self._idle: list[_Process] = []
        self._all: set[_Process] = set()
        self._closed = False

    def read(self, requests: Sequence[Any], seconds: float | None) -> list[Any]:
        """Read files one after the other in one process; the answers have their order.

        Args:
            requests: what the module reads.
            seconds: for all of them together; `None` for no limit.
        """
        budget = _Budget(seconds)
        with self._free:
            return [self._read(each, budget) for each in requests]

    def close(self) -> None:
        """Kill every process."""
        with self._lock:
            self._closed = True
            processes = [*self._all]
        for each in processes:
            self._end(each)

    def _read(self, request: Any, budget: _Budget) -> Any:
        allowed = min(budget.left, self._file_seconds)
        if allowed <= 0:
            return self._over(
                request, f"earlier files used up the {budget.seconds:g} s of a check; check fewer at once"
            )
        process = self._take()
        try:
            process.prepare(request)
            with budget.spending():
                names = process.read(allowed, lambda: self._prepare_spare(request))
        except _TooSlowError:
            self._end(process)
            return self._over(request, f"reading it took longer than {allowed:.3g} s")
        except _GoneError:
            self._end(process)
            return self._over(request, f"reading it took more than {self._memory_bytes >> 20} MB, or failed")
        except BaseException:
            self._end(process)
            raise
        self._release(process)
        return names

    def _over(self, request: Any, reason: str) -> Any:
        return self._functions.not_read(request.path, reason)

    def _prepare_spare(self, request: Any) -> None:
        """Start a spare process for the files after one that may be given up."""
        with self._lock:
            if self._idle or self._closed:
                return
        spare = self._start()
        try:
            spare.prepare(replace(request, text=""))
            spare.read(_START_SECONDS)
        except (_TooSlowError, _GoneError):
            self._end(spare)
        else:
            self._release(spare)

    def _release(self, process: _Process) -> None:
        with self._lock:
            is_needed = not self._closed and len(self._idle) < MOST_PROCESSES
            if is_needed:
                self._idle.append(process)
        if not is_needed:
            self._end(process)

    def _take(self) -> _Process:
        with self._lock:
            if self._idle:
                return self._idle.pop()
        return self._start()

    def _start(self) -> _Process:
        process = _Process(self._module, self._functions, self._file_seconds, self._memory_bytes)
        with self._lock:
            self._all.add(process)
            closed = self._closed
        if closed:
            self._end(process)
        return process

    def _end(self, process: _Process) -> None:
        with self._lock:
            self._all.discard(process)
        process.kill()


class _Budget:
    """What is left of the time in which the files of a check are read; that for starting processes does not count.

    Args:
        seconds: all of it; `None` for no limit.
    """

    def __init__(self, seconds: float | None) -> None:
        self.seconds = math.inf if seconds is None else seconds
        self.left = self.seconds

    @contextmanager
    def spending(self) -> Iterator[None]:
        """Count the time of a block."""
        began = time.monotonic()
        try:
            yield
        finally:
            self.left -= time.monotonic() - began


class _TooSlowError(Exception):
    """A file took too long, and the process was killed."""


class _GoneError(Exception):
    """The process ended by itself."""


class _Process:
    """One process and the pipes to it."""

    def __init__(self, module: str, functions: FileFunctions, file_seconds: float, memory_bytes: int) -> None:
        self._functions = functions
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
            [sys.executable, "-P", "-m", _MODULE, module, str(file_seconds), str(memory_bytes)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # Keep what a parser prints about a hostile file off the terminal.
            stderr=subprocess.DEVNULL,
            # Ctrl-C must reach only the process that closes this one.
            start_new_session=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._to, self._from = self._process.stdin, self._process.stdout
        self._prepared: set[str] = set()

    def prepare(self, request: Any) -> None:
        """Send a file, and wait until the process has imported what reading it needs."""
        try:
            pickle.dump(request, self._to, pickle.HIGHEST_PROTOCOL)
            self._to.flush()
        except (OSError, ValueError) as error:
            raise _GoneError from error
        if (needed := self._functions.parser_for(request)) not in self._prepared:
            self._receive(_START_SECONDS)
            self._prepared.add(needed)

    def read(self, seconds: float, when_slow: Callable[[], None] = lambda: None) -> Any:
        """What the prepared file names; `when_slow` is called in a thread of its own."""
        return self._receive(seconds, when_slow)

    def kill(self) -> None:
        """End the process at once."""
        self._process.kill()
        self._process.wait()
        for stream in (self._to, self._from):
            with suppress(OSError):
                stream.close()

    def _receive(self, seconds: float, when_slow: Callable[[], None] = lambda: None) -> object:
        received, killed = threading.Event(), threading.Event()

        def watch() -> None:
            if received.wait(min(_SLOW_SECONDS, seconds)):
                return
            threading.Thread(target=when_slow, daemon=True).start()
            if not received.wait(max(0.0, seconds - _SLOW_SECONDS)):
                killed.set()
                self._process.kill()

        threading.Thread(target=watch, daemon=True).start()
        try:
            return _load(self._from)
        except (EOFError, OSError, ValueError, pickle.UnpicklingError) as error:
            raise (_TooSlowError if killed.is_set() else _GoneError) from error
        finally:
            received.set()


def _load(stream: IO[bytes]) -> object:
    return pickle.load(stream)  # noqa: S301 - the other end is this program
