"""The process that reads files for checks. It is started by `reading_processes` and killed when a file takes too long.

Run as `python -m tribal.adapters.local.reading_worker SECONDS BYTES`: the time that one file may take, and the memory
of the process.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import sys
from contextlib import suppress
from typing import IO

from tribal.capabilities.knowledge.policies.file_names import ReadRequest, names_tables, read_file

_NICENESS = 5
"""Answers of the server go first."""
_SPARE_SECONDS = 1.0
_LARGE_CHARS = 10_000
"""From which a file leaves so much garbage that it is collected at once; else the interpreter decides."""
STARTED = "started"
"""Sent before the first file of its kind is read, once everything that reading it needs is imported."""


def serve(requests: IO[bytes], replies: IO[bytes], seconds: float) -> None:
    """Read files until there are no more requests."""
    prepared: set[str] = set()
    while True:
        try:
            request = pickle.load(requests)  # noqa: S301 - the other end is this program
        except EOFError:
            return
        if not isinstance(request, ReadRequest):
            raise TypeError(f"a file is asked for by a ReadRequest, not by {type(request).__name__}")
        if (needed := needed_for(request)) not in prepared:
            _import_parser(needed)
            prepared.add(needed)
            _send(replies, STARTED)
        # The process ends by itself even when the one that would kill it has died.
        _set_alarm(seconds + _SPARE_SECONDS)
        gc.disable()
        names = read_file(request)
        gc.enable()
        _set_alarm(0)
        _send(replies, names)
        if len(request.text) > _LARGE_CHARS:
            # Between files, not among the nodes of a growing tree, where it takes a quarter of the time.
            gc.collect()


def needed_for(request: ReadRequest) -> str:
    """What a process imports to read a file: the parser of a dialect of SQL, or nothing."""
    return request.dialect if names_tables(request.path) else ""


def _import_parser(dialect: str) -> None:
    if not dialect:
        return
    import sqlglot

    import tribal.capabilities.knowledge.policies.sql

    assert tribal.capabilities.knowledge.policies.sql
    sqlglot.Dialect.get_or_raise(dialect)
    gc.freeze()


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


def main(seconds: float, limit_bytes: int) -> None:
    """Serve over standard input and output."""
    replies = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # Whatever a library prints must not get into the replies.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    with suppress(AttributeError, OSError):
        os.nice(_NICENESS)
    limit_memory(limit_bytes)
    try:
        serve(sys.stdin.buffer, replies, seconds)
    except (MemoryError, BrokenPipeError):
        # Nothing is reliable once memory has run out, and no one reads from a broken pipe.
        os._exit(1)


if __name__ == "__main__":
    main(float(sys.argv[1]), int(sys.argv[2]))
