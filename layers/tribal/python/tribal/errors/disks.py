"""What to do about a disk that refuses a write."""

from __future__ import annotations

import errno
import os

from tribal.errors.kinds import StoreUnwritable

_HINTS = {
    errno.EACCES: "give this user the right to write there, or choose another folder",
    errno.EPERM: "give this user the right to write there, or choose another folder",
    errno.EROFS: "the file system is read-only: choose another folder",
    errno.ENOSPC: "make room on that disk and run again to resume",
    errno.EDQUOT: "this user's quota is used up: make room and run again to resume",
    errno.EFBIG: "this user may not write a file of that size: raise the limit (`ulimit -f`) and run again",
    errno.ENOTDIR: "a file is where a folder should be; move it away",
    errno.EEXIST: "a file is where a folder should be; move it away",
    errno.EISDIR: "a folder is where a file should be; move it away",
    errno.ENAMETOOLONG: "choose a folder with a shorter path",
}


def unwritable(path: str | os.PathLike[str], exc: OSError) -> StoreUnwritable:
    """The error for a failed write: what could not be written, why, and what to do."""
    hint = _HINTS.get(exc.errno or 0, "choose another folder")
    return StoreUnwritable(f"cannot write {os.fspath(path)!r}: {exc.strerror or exc}; {hint}")


def is_refused_write(exc: OSError) -> bool:
    """Whether an error is one that `unwritable` has advice for."""
    return exc.errno in _HINTS
