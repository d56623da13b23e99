"""What the process that reads a file writes: frames of a kind, a length and a text."""

from __future__ import annotations

import struct
from typing import IO, get_args

from tribal.ports.passages import ParseProblem, ParsingFailed

PAGE, END, FAILED = b"P", b"E", b"F"
LARGEST_PAGE_BYTES = 8 << 20
"""The most text of a page, or of a file without pages, in UTF-8. The longest novels have 4 MB."""
OUT_OF_MEMORY = 77
"""The exit code of a process that ran out of memory, when it can no longer write a frame."""
HEADER = struct.Struct(">cI")
_PROBLEMS = get_args(ParseProblem)


def write_frame(stream: IO[bytes], kind: bytes, data: bytes = b"") -> None:
    """Write one frame."""
    stream.write(HEADER.pack(kind, len(data)) + data)
    stream.flush()


def problem_of(name: str) -> ParseProblem:
    """A problem by its name; `unreadable` if it is not one."""
    return next((each for each in _PROBLEMS if each == name), "unreadable")


def too_much_text() -> ParsingFailed:
    """The failure of a page that is too long."""
    megabytes = LARGEST_PAGE_BYTES >> 20
    return ParsingFailed("too_large", f"a page of it, or all of it without pages, has more than {megabytes} MB of text")
