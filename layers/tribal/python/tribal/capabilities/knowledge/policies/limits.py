"""Limits on the text of one file. A file beyond one of them cannot be evaluated, and the check says so.

They bound the memory of the readers, whose time is proportional to the text. Measured by
`python -m tests.attack --area "files to check"`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

MAX_FILE_BYTES = 1 << 20
"""Source: docs/contracts.md, Knowledge."""
MAX_PYTHON_TOKENS = 200_000
"""Words and signs in a file of Python, which take about 1 s and 150 MB."""
MAX_PARTS = 20
"""Parts of a name. Patterns are matched against the name and each of its prefixes or suffixes."""
MAX_NAMES = 20_000
"""Different names in a file."""

_MAX_REASON_CHARS = 200
_PLACE = re.compile(r" \(?at (?:line \d+, column \d+|end of document)\)?$")
_TOKEN = re.compile(r"\w+|[^\w\s]")

Item = TypeVar("Item")


class OverLimit(Exception):
    """A file is over the limit named in the message."""


def describe(error: Exception) -> str:
    """What a parser says about a text, without the place, which is shown with the file."""
    text = error.msg if isinstance(error, SyntaxError | json.JSONDecodeError) else str(error)
    return _PLACE.sub("", text)[:_MAX_REASON_CHARS] or "it has an unexpected format"


def require_few_bytes(text: str) -> None:
    """Raise `OverLimit` if a text is too long."""
    if len(text) > MAX_FILE_BYTES or len(text.encode("utf-8", "surrogatepass")) > MAX_FILE_BYTES:
        raise OverLimit(f"it is larger than {MAX_FILE_BYTES:,} bytes")


def require_few_tokens(text: str, most: int) -> None:
    """Raise `OverLimit` if a text has more tokens."""
    if len(text) > most and sum(1 for _ in _TOKEN.finditer(text)) > most:
        raise OverLimit(f"it has more than {most:,} tokens")


def require_few_parts(parts: Sequence[str]) -> None:
    """Raise `OverLimit` if a name has too many parts."""
    if len(parts) > MAX_PARTS:
        raise OverLimit(f"the name {'.'.join(parts[:3])[:60]!r}... has more than {MAX_PARTS} parts")


def first_of_each(items: Iterable[Item], key: Callable[[Item], Hashable]) -> list[Item]:
    """The first item of each key, in order.

    Raises:
        OverLimit: when there are too many.
    """
    first: dict[Hashable, Item] = {}
    for each in items:
        first.setdefault(key(each), each)
        if len(first) > MAX_NAMES:
            raise OverLimit(f"it has more than {MAX_NAMES:,} different names")
    return [*first.values()]
