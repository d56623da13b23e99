"""A process that reads files. `reading_processes` starts it, and kills it when a file takes too long.

Run as `python -m tribal.adapters.local.reading_worker MODULE SECONDS BYTES`: the module that reads a file (see
`FileFunctions`), the time that one file may take, and the memory of the process.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import sys
from contextlib import suppress
from importlib import import_module
from typing import IO, Any, Protocol, cast

_NICENESS = 5
"""Lower priority than the server's own answers."""
_SPARE_SECONDS = 1.0
_LARGE_CHARS = 10_000
"""Files of this size leave so much garbage that it is collected at once; otherwise the interpreter decides."""
STARTED = "started"
"""Sent before the first file of its kind is read, once everything that reading it needs is imported."""


class FileFunctions(Protocol):
    """A module that reads files. Requests and answers can be pickled."""

    def parser_for(self, request: Any) -> str:
        """The parser that reading a file needs; empty when it needs none."""
        ...

    def load_parser(self, name: str) -> None:
        """Import a parser."""
        ...

    def read_file(self, request: Any) -> Any:
        """Read one file."""
        ...

    def not_read(self, path: str, reason: str) -> Any:
        """The answer for a file that could not be read."""
        ...


def functions_of(module: str) -> FileFunctions:
    """The functions of a module."""
    return cast(FileFunctions, import_module(module))


def serve(functions: FileFunctions, requests: IO[bytes], replies: IO[bytes], seconds: float) -> None:
    """Read files until there are no more requests."""
    prepared: set[str] = set()
    while True:
        try:
            request = pickle.load(requests)  # noqa: S301 - the other end is this program
        except EOFError:
            return
        if (needed := functions.parser_for(request)) not in prepared:
            if needed:
                functions.load_parser(needed)
                gc.freeze()
            prepared.add(needed)
            _send(replies, STARTED)
        # The process ends by itself even when the one that would kill it has died.
        _set_alarm(seconds + _SPARE_SECONDS)
        gc.disable()
        names = functions.read_file(request)
        gc.enable()
        _set_alarm(0)
        _send(replies, names)
        if len(request.text) > _LARGE_CHARS:
            # Between files, not among the nodes of a growing tree, where it takes a quarter of the time.
            gc.collect()


def _send(replies: IO[bytes], message: object) -> None:
    pickle.dump(message, replies, pickle.HIGHEST_PROTOCOL)
    replies.flush()


def _set_alarm(seconds: float) -> None:
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)


def limit_memory(limit_bytes: int) -> None:
    """Let allocations fail beyond a limit, where the platform can."""
    with suppress(ImportError, AttributeError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (limit_bytes, limit_bytes))


def main(module: str, seconds: float, limit_bytes: int) -> None:
    """Serve over standard input and output."""
    replies = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # Whatever a library prints must not get into the replies.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    with suppress(AttributeError, OSError):
        os.nice(_NICENESS)
    limit_memory(limit_bytes)
    try:
        serve(functions_of(module), sys.stdin.buffer, replies, seconds)
    except (MemoryError, BrokenPipeError):
        # Nothing is reliable once memory has run out, and no one reads from a broken pipe.
        os._exit(1)


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), int(sys.argv[3]))
