"""Describes unexpected errors for bug reports."""

from __future__ import annotations

import traceback
from pathlib import PurePath

_PACKAGE = "tribal"


def describe_unexpected(error: Exception) -> str:
    """The class and message of an error, and the last line of this package in its traceback.

    The message may quote data: redact it before storing it.
    """
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if _PACKAGE in PurePath(frame.filename).parts]
    said = " ".join(str(error).split())
    what = f"{type(error).__name__}: {said}" if said else type(error).__name__
    if not own:
        return what
    parts = PurePath(own[-1].filename).parts
    inside = parts[len(parts) - parts[::-1].index(_PACKAGE) :]
    return f"{what}, in {'/'.join(inside)} line {own[-1].lineno}"
