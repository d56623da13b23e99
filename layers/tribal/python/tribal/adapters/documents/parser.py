"""Reads files, each in a process of its own that is killed at its limits."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from tribal.adapters.documents.frames import END, FAILED, HEADER, LARGEST_PAGE_BYTES, OUT_OF_MEMORY, PAGE, problem_of
from tribal.errors import missing_package
from tribal.ports.passages import ParseLimits, ParsingFailed
from tribal_contracts.chat.collections import FileKind

CHILD = "tribal.adapters.documents.child"
_NEEDED: Mapping[FileKind, tuple[str, str]] = {"pdf": ("pypdfium2", "PDFs"), "docx": ("mammoth", ".docx files")}
"""The package that reads files of a type, and what they are called; the standard library reads the others."""
_LARGEST_MESSAGE_BYTES = 1_000
_END_SECONDS = 5.0
"""How long a process may take to end after it has closed its output."""
_OVER_CPU_TIME = -getattr(signal, "SIGXCPU", 0)
"""The exit code of a process that exceeded its limit of CPU time."""


class DocumentProcesses:
    """Reads the text of files. A `DocumentParser`.

    Args:
        child: the module that reads a file; see `tribal.adapters.documents.child`.
    """

    def __init__(self, child: str = CHILD) -> None:
        self._child = child

    def pages(self, file: Path, kind: FileKind, limits: ParseLimits, first: int = 1) -> Iterator[str]:
        """The text of each page; see `DocumentParser`. Only the time counts in which a page is waited for."""
        _require_reader(kind)
        arguments = [kind, first, limits.pages, limits.seconds, limits.memory_mb]
        with (
            # Next to the file, where the caller knows what to do about a full disk.
            tempfile.TemporaryDirectory(prefix="reading-", dir=file.parent) as folder,
            file.open("rb") as source,
            _Child([self._child, *map(str, arguments)], source, Path(folder), limits) as child,
        ):
            for number, page in enumerate(child.pages(), start=first):
                if number > limits.pages:
                    raise ParsingFailed("too_many_pages", f"it has more than {limits.pages:,} pages")
                yield page


def _require_reader(kind: FileKind) -> None:
    name, files = _NEEDED.get(kind, (None, ""))
    # It is imported only by the process that reads the file.
    if name is not None and find_spec(name) is None:
        raise ParsingFailed("not_installed", missing_package(name, f"reading {files}", "chat"))


class _Child:
    """A process that reads one file, which it has as its standard input."""

    def __init__(self, command: list[str], source: IO[bytes], folder: Path, limits: ParseLimits) -> None:
        self._limits = limits
        self._left = limits.seconds
        self._is_late = False
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
            # It may write no files, so no bytecode either.
            [sys.executable, "-B", "-P", "-m", *command],
            stdin=source,
            stdout=subprocess.PIPE,
            # What a library prints about a hostile file stays off the terminal.
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env=_environment(),
            # Ctrl-C must reach only the process that ends this one.
            start_new_session=True,
        )
        assert self._process.stdout is not None
        self._from = self._process.stdout

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()
        self._from.close()

    def pages(self) -> Iterator[str]:
        """Its pages as it reads them."""
        while (page := self._next_page()) is not None:
            yield page

    def _next_page(self) -> str | None:
        with self._timed():
            kind, length = HEADER.unpack(self._receive(HEADER.size))
            if kind == END:
                return None
            if kind not in (PAGE, FAILED) or length > (LARGEST_PAGE_BYTES if kind == PAGE else _LARGEST_MESSAGE_BYTES):
                raise ParsingFailed("unreadable", "its reader failed")
            data = self._receive(length)
        try:
            text = data.decode()
        except UnicodeDecodeError:
            raise ParsingFailed("unreadable", "its reader failed") from None
        if kind == PAGE:
            return text
        problem, _, message = text.partition("\n")
        raise ParsingFailed(problem_of(problem), message)

    def _receive(self, size: int) -> bytes:
        data = self._from.read(size)
        if len(data) < size:
            raise self._failure()
        return data

    def _failure(self) -> ParsingFailed:
        """Why the process ended before its time."""
        try:
            code = self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            return ParsingFailed("unreadable", "its reader failed")
        if self._is_late or code == _OVER_CPU_TIME:
            return ParsingFailed("too_slow", f"reading it took longer than {self._limits.seconds:g} s")
        memory = f"{self._limits.memory_mb:,} MB"
        if code == OUT_OF_MEMORY:
            return ParsingFailed("too_large", f"reading it needs more than {memory}")
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        return ParsingFailed("unreadable", f"its reader failed ({how}): it is damaged, or needs more than {memory}")

    @contextmanager
    def _timed(self) -> Iterator[None]:
        """Kill the process when its time is over in a block; the time between blocks is that of the caller."""
        timer = threading.Timer(max(self._left, 0.0), self._expire)
        timer.daemon = True
        began = time.monotonic()
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            self._left -= time.monotonic() - began

    def _expire(self) -> None:
        self._is_late = True
        self._process.kill()


def _environment() -> Mapping[str, str]:
    """What the process needs to start, and none of the secrets that this process may have."""
    variables = {"PYTHONPATH": os.pathsep.join(str(Path(each).resolve()) for each in sys.path if each)}
    if sysconfig.get_config_var("Py_ENABLE_SHARED"):
        variables["LD_LIBRARY_PATH"] = str(sysconfig.get_config_var("LIBDIR"))
    return variables
