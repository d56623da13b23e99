"""The real command on a terminal of a given width."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import termios
from pathlib import Path

from tests.edges.cli.tribal_command import TRIBAL, clean_environment


def on_terminal(*command: object, cwd: Path, width: int, with_errors: bool = False) -> str:
    """Everything that a command writes to a terminal of this many columns; what goes to standard error too, if asked.

    The command has to succeed.
    """
    environment = clean_environment(TERM="xterm-256color")
    del environment["COLUMNS"]
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
    process = subprocess.Popen(
        [TRIBAL, *map(str, command)],
        cwd=cwd,
        env=environment,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs if with_errors else subprocess.DEVNULL,
    )
    os.close(theirs)
    written = b""
    while True:
        try:
            data = os.read(ours, 65_536)
        except OSError:
            break
        if not data:
            break
        written += data
    os.close(ours)
    assert process.wait(timeout=60) == 0, written.decode(errors="replace")
    return written.decode()
