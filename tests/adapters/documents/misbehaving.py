"""A process that reads a file as no reader should. The file says what it does."""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path

from tribal.adapters.documents.child import limit_process
from tribal.adapters.documents.frames import END, HEADER, PAGE, write_frame


def main() -> None:
    """Do what standard input says."""
    what = sys.stdin.read().strip()
    frames = sys.stdout.buffer
    if what == "kill":
        write_frame(frames, PAGE, b"before")
        os.kill(os.getpid(), signal.SIGKILL)
    elif what == "hang":
        write_frame(frames, PAGE, b"before")
        threading.Event().wait()
    elif what == "spin":
        limit_process(0, 1 << 30)
        while True:
            pass
    elif what == "huge":
        frames.write(HEADER.pack(PAGE, 2**32 - 1))
        frames.flush()
        threading.Event().wait()
    elif what == "silent":
        os.close(frames.fileno())
        threading.Event().wait()
    elif what == "garbage":
        frames.write(b"Traceback (most recent call last):\n")
    elif what == "bytes":
        write_frame(frames, PAGE, b"\xff\xfe\x00")
    elif what == "endless":
        while True:
            write_frame(frames, PAGE, b"more")
    elif what == "surroundings":
        write_frame(frames, PAGE, "\n".join(os.environ).encode())
        write_frame(frames, PAGE, str(Path.cwd()).encode())
        write_frame(frames, PAGE, "\n".join(map(str, Path().iterdir())).encode())
        write_frame(frames, END)
    elif what == "write":
        limit_process(60, 1 << 30)
        write_frame(frames, PAGE, _outcome_of_writing().encode())
        write_frame(frames, END)


def _outcome_of_writing() -> str:
    try:
        with Path("written").open("wb") as file:
            file.write(b"x")
    except OSError:
        return "refused"
    return "written"


if __name__ == "__main__":
    main()
