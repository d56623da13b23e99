"""The process that reads one file. `parser` starts it.

Run as `python -m tribal.adapters.documents.child KIND FIRST PAGES SECONDS MEGABYTES`: reads the file that is its
standard input and writes its pages from page FIRST on as frames, within limits of pages, CPU time and memory.
"""

from __future__ import annotations

import gc
import math
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import IO

from tribal.adapters.documents.cleaning import cleaned
from tribal.adapters.documents.frames import (
    END,
    FAILED,
    LARGEST_PAGE_BYTES,
    OUT_OF_MEMORY,
    PAGE,
    too_much_text,
    write_frame,
)
from tribal.ports.passages import ParsingFailed

_MOST_OPEN_FILES = 32
"""Enough to import modules."""


def main(kind: str, first: int, pages: int, seconds: float, megabytes: int) -> None:
    """Read standard input and write frames to standard output."""
    frames = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # What a library prints must not get between the frames.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    limit_process(seconds, megabytes << 20)
    # The trees of one file are all in use until the process ends; looking for unused ones takes half of its time.
    gc.disable()
    try:
        for page in read_pages(kind, sys.stdin.buffer, first, pages):
            write_frame(frames, PAGE, _within_limit(cleaned(page)))
        write_frame(frames, END)
    except BrokenPipeError:
        # The reader has closed the pipe: it wants no more pages.
        os._exit(0)
    except ParsingFailed as error:
        _fail(frames, error.problem, error.message)
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    except RecursionError:
        _fail(frames, "unreadable", "it is nested too deeply")
    except Exception:  # noqa: BLE001 - whatever a library does about a file becomes the file's problem
        _fail(frames, "unreadable", f"it is damaged, or not a .{kind}")


def limit_process(seconds: float, memory_bytes: int) -> None:
    """Limit what this process may take, as far as the platform can; it can no longer write files."""
    with suppress(ImportError):
        import resource

        cpu = math.ceil(seconds) + 1
        limits = {
            "RLIMIT_AS": (memory_bytes, memory_bytes),
            # The first ends the process with a signal of its own, by which the other end knows why.
            "RLIMIT_CPU": (cpu, cpu + 1),
            "RLIMIT_CORE": (0, 0),
            "RLIMIT_FSIZE": (0, 0),
            "RLIMIT_NOFILE": (_MOST_OPEN_FILES, _MOST_OPEN_FILES),
            "RLIMIT_NPROC": (0, 0),
        }
        for name, limit in limits.items():
            with suppress(AttributeError, OSError, ValueError):
                resource.setrlimit(getattr(resource, name), limit)


def read_pages(kind: str, file: IO[bytes], first: int, most: int) -> Iterator[str]:
    """The pages of a file from page `first` on. Each reader is imported only for its type."""
    if kind == "pdf":
        from tribal.adapters.documents.pdf import pdf_pages

        yield from pdf_pages(file, first, most)
    elif first == 1:
        yield _whole_text(kind, file)


def _whole_text(kind: str, file: IO[bytes]) -> str:
    if kind == "docx":
        from tribal.adapters.documents.docx import docx_text

        return docx_text(file)
    if kind == "html":
        from tribal.adapters.documents.html import html_text

        return html_text(file)
    from tribal.adapters.documents.text import plain_text

    return plain_text(file)


def _within_limit(page: str) -> bytes:
    data = page.encode()
    if len(data) > LARGEST_PAGE_BYTES:
        raise too_much_text()
    return data


def _fail(frames: IO[bytes], problem: str, message: str) -> None:
    write_frame(frames, FAILED, f"{problem}\n{message}".encode())


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]), int(sys.argv[5]))
