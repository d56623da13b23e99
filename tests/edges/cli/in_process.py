"""The command `tribal` in this process, with the streams, folder and environment that a process of its own would have.

Starting a process takes longer than most commands. Real processes remain for what only they show: signals, terminals,
encodings, kills, and what a fresh interpreter imports.
"""

from __future__ import annotations

import gc
import io
import logging
import os
import signal
import subprocess
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, chdir, contextmanager
from pathlib import Path
from typing import TextIO

from tribal.edges.cli.start import main

_READ_ONCE = ("LANG", "LC_", "PYTHON", "TMPDIR", "TZ")
"""Python reads these variables when it starts, or once."""
_LONGEST_SECONDS = 30.0
_SHARED_THREADS = frozenset({"model-calls"})
"""Threads that serve every command of a process."""


def run_in_process(
    arguments: Sequence[str],
    *,
    cwd: Path,
    environment: Mapping[str, str],
    is_terminal: bool = False,
    piped: str = "",
    program: Callable[[], None] = main,
) -> subprocess.CompletedProcess[str]:
    """Run the command to its end and restore the state of this process.

    Caches of functions stay: what they hold depends on the arguments alone.

    Args:
        arguments: the name of the program and its arguments.
        cwd: the folder that the command runs in.
        environment: every variable that the command sees.
        is_terminal: whether standard output is a terminal; `COLUMNS` says how wide.
        piped: standard input.
        program: the entry point.
    """
    assert threading.current_thread() is threading.main_thread(), "signals need the main thread; start a process"
    changed = {name for name in {*os.environ, *environment} if os.environ.get(name) != environment.get(name)}
    unseen = sorted(name for name in changed if name.startswith(_READ_ONCE))
    assert not unseen, f"Python has read {', '.join(unseen)} already; start a process"
    stdin, stdout, stderr = io.StringIO(piped), _Stream(is_terminal=is_terminal), _Stream()
    with ExitStack() as stack:
        for context in (
            chdir(cwd),
            _variables(environment),
            _streams(arguments, stdin, stdout, stderr),
            _fresh_interpreter(),
            _own_threads_ended(),
        ):
            stack.enter_context(context)
        code = _exit_code(program)
    return subprocess.CompletedProcess(list(arguments), code, stdout.text(), stderr.text())


class _Stream(io.TextIOWrapper):
    """A standard stream in memory."""

    def __init__(self, *, is_terminal: bool = False) -> None:
        self._bytes = io.BytesIO()
        self._is_terminal = is_terminal
        super().__init__(self._bytes, encoding="utf-8", write_through=True)

    def isatty(self) -> bool:
        return self._is_terminal

    def text(self) -> str:
        """Everything written, decoded as `subprocess` does it."""
        return io.TextIOWrapper(io.BytesIO(self._bytes.getvalue()), encoding="utf-8").read()


def _exit_code(program: Callable[[], None]) -> int:
    try:
        program()
    except SystemExit as ended:
        if ended.code is None or isinstance(ended.code, int):
            return ended.code or 0
        print(ended.code, file=sys.stderr)  # noqa: T201 - as the interpreter does
        return 1
    except Exception:  # noqa: BLE001 - the interpreter prints what nothing caught
        traceback.print_exc()
        return 1
    return 0


@contextmanager
def _variables(wanted: Mapping[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    _set_variables(wanted)
    try:
        yield
    finally:
        _set_variables(before)


def _set_variables(wanted: Mapping[str, str]) -> None:
    """Set and remove only what differs: other threads read the environment meanwhile."""
    for name in [name for name in os.environ if name not in wanted]:
        del os.environ[name]
    for name, value in wanted.items():
        if os.environ.get(name) != value:
            os.environ[name] = value


@contextmanager
def _streams(arguments: Sequence[str], stdin: TextIO, stdout: _Stream, stderr: _Stream) -> Iterator[None]:
    before = (sys.argv, sys.stdin, sys.stdout, sys.stderr)
    sys.argv, sys.stdin, sys.stdout, sys.stderr = list(arguments), stdin, stdout, stderr
    try:
        yield
    finally:
        sys.argv, sys.stdin, sys.stdout, sys.stderr = before


@contextmanager
def _fresh_interpreter() -> Iterator[None]:
    """Signals, hooks, logging, warnings and garbage collection as in a fresh interpreter; restored afterwards."""
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    hooks = sys.excepthook, sys.unraisablehook, threading.excepthook
    collecting, thresholds = gc.isenabled(), gc.get_threshold()
    root = logging.getLogger()
    logged, level = root.handlers[:], root.level
    sys.excepthook, sys.unraisablehook, threading.excepthook = (
        sys.__excepthook__,
        sys.__unraisablehook__,
        threading.__excepthook__,
    )
    root.handlers[:] = []
    root.setLevel(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.resetwarnings()
            for category in (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning):
                warnings.simplefilter("ignore", category)
            warnings.showwarning = _show_warning
            yield
    finally:
        root.handlers[:] = logged
        root.setLevel(level)
        gc.set_threshold(*thresholds)
        if collecting:
            gc.enable()
        sys.excepthook, sys.unraisablehook, threading.excepthook = hooks
        for number, handler in handlers.items():
            signal.signal(number, handler)


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    (file or sys.stderr).write(warnings.formatwarning(message, category, filename, lineno, line))


@contextmanager
def _own_threads_ended() -> Iterator[None]:
    """Wait for the threads that the command started; one that never ends would work on in the next test."""
    before = set(threading.enumerate())
    yield
    started = [thread for thread in threading.enumerate() if thread not in before and _is_ours(thread)]
    for thread in started:
        thread.join(_LONGEST_SECONDS)
    left = [thread.name for thread in started if thread.is_alive()]
    assert not left, f"the command left threads behind: {', '.join(left)}"


def _is_ours(thread: threading.Thread) -> bool:
    module = getattr(getattr(thread, "_target", None), "__module__", None) or ""
    return module.partition(".")[0] == "tribal" and thread.name not in _SHARED_THREADS
