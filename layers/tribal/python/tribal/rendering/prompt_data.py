"""JSON that cannot break out of its place in a prompt."""

from __future__ import annotations

import json
import re
from typing import Any

from tribal.sql.visibility import is_visible

# What could close a tag or a fence, or begin an entity.
_MARKS = re.compile(r"[<>&`]")


def data_json(value: Any) -> str:
    """Compact JSON on one line, with markup and invisible characters escaped."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if not (text.isascii() and text.isprintable()):
        text = "".join(char if is_visible(char) else _escaped(char) for char in text)
    return _MARKS.sub(lambda found: _escaped(found.group()), text)


def _escaped(char: str) -> str:
    data = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{int.from_bytes(data[at : at + 2], 'big'):04x}" for at in range(0, len(data), 2))
