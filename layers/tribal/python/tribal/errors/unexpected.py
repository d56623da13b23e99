"""Describes errors that no one foresaw, so that a report of one says where to look."""

from __future__ import annotations

import traceback
from pathlib import PurePath

_PACKAGE = "tribal"


def describe_unexpected(error: Exception) -> str:
    """The class of an error, what it says, and the last line of this package that it passed.

    What it says may quote what was read: redact it before it is stored.
    """
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if _PACKAGE in PurePath(frame.filename).parts]
    said = " ".join(str(error).split())
    what = f"{type(error).__name__}: {said}" if said else type(error).__name__
    if not own:
        return what
    parts = PurePath(own[-1].filename).parts
    inside = parts[len(parts) - parts[::-1].index(_PACKAGE) :]
    return f"{what}, in {'/'.join(inside)} line {own[-1].lineno}"
