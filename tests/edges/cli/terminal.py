"""The command on a terminal of a given width."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time
from pathlib import Path
from typing import Self

from tests.edges.cli.in_process import run_in_process
from tests.edges.cli.tribal_command import TRIBAL, clean_environment

_PRESSED_AT_MOST = 3
_PATIENCE_SECONDS = 10
_QUIET_SECONDS = 1


class Dialogue:
    """A command on a terminal, and someone who types.

    Args:
        command: without `tribal`. cwd: where it runs. width: columns of the terminal.
        with_errors: whether standard error goes to the terminal too. program: what runs instead of `tribal`.
        environment: more variables.
    """

    def __init__(
        self,
        *command: object,
        cwd: Path,
        width: int = 120,
        with_errors: bool = True,
        program: str | Path = TRIBAL,
        **environment: str,
    ) -> None:
        variables = clean_environment(TERM="xterm-256color", **environment)
        del variables["COLUMNS"]
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
        self._process = subprocess.Popen(
            [program, *map(str, command)],
            cwd=cwd,
            env=variables,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs if with_errors else subprocess.DEVNULL,
        )
        os.close(theirs)
        self._written = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._ours)
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()

    def until(self, text: str) -> str:
        """Everything written so far, once a text is among it."""
        while text.encode() not in self._written:
            assert self._read(), f"it ended before {text!r}: {self.shown}"
        return self.shown

    def type(self, text: str) -> None:
        """Type something."""
        os.write(self._ours, text.encode())

    def interrupt(self) -> None:
        """Press Ctrl-C; again if nothing comes of it.

        Python misses it in the instant after a prompt is written and before an answer is waited for.
        """
        for _ in range(_PRESSED_AT_MOST):
            self._read_what_is_written()
            self._process.send_signal(signal.SIGINT)
            if select.select([self._ours], [], [], _PATIENCE_SECONDS)[0]:
                return

    def _read_what_is_written(self) -> None:
        """Read the rest of a prompt, which would pass for a reaction. A bar may be drawn again and again."""
        ends = time.monotonic() + _QUIET_SECONDS
        while select.select([self._ours], [], [], max(ends - time.monotonic(), 0))[0] and self._read():
            pass

    def end(self) -> tuple[int, str]:
        """The exit code, and everything written."""
        while self._read():
            pass
        return self._process.wait(timeout=60), self.shown

    @property
    def shown(self) -> str:
        """Everything written so far."""
        return self._written.decode(errors="replace")

    def _read(self) -> bool:
        try:
            data = os.read(self._ours, 65_536)
        except OSError:
            return False
        self._written += data
        return bool(data)


def on_terminal(*command: object, cwd: Path, width: int, **environment: str) -> str:
    """What a command in this process writes to standard output, a terminal of this many columns; it has to succeed."""
    variables = clean_environment(TERM="xterm-256color", **environment) | {"COLUMNS": str(width)}
    ran = run_in_process([str(TRIBAL), *map(str, command)], cwd=cwd, environment=variables, is_terminal=True)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def on_real_terminal(*command: object, cwd: Path, width: int, with_errors: bool = False, **environment: str) -> str:
    """What a process writes to a terminal of this many columns; it has to succeed.

    With `with_errors`, what goes to standard error is part of it.
    """
    with Dialogue(*command, cwd=cwd, width=width, with_errors=with_errors, **environment) as dialogue:
        code, shown = dialogue.end()
    assert code == 0, shown
    return shown
