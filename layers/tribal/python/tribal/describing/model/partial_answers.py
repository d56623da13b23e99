"""The complete parts of an answer that ended early."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from tribal.describing.model.questions import Question

_DECODER = json.JSONDecoder()
_GAP = re.compile(r"[\s,]*")
_COLON = re.compile(r"\s*:\s*")


def whole_parts(text: str) -> dict[str, Any]:
    """Return what is complete of a JSON object that was cut: its members, and the items of the list `columns`."""
    found: dict[str, Any] = {}
    for name, at in _members(text):
        if name == "columns" and text.startswith("[", at):
            found[name] = list(_items(text, at + 1))
            continue
        with suppress(ValueError, RecursionError):
            found[name] = _DECODER.raw_decode(text, at)[0]
    return found


def unfinished(question: Question, parts: dict[str, Any]) -> list[str] | None:
    """Return what is left to ask of a table: names of columns, and an empty one for its text.

    Models write columns in order, so those before the last complete one were left empty on purpose. `None` if the parts
    answer nothing that was asked.
    """
    columns = parts.get("columns")
    numbers = [each.get("n") for each in columns if isinstance(each, dict)] if isinstance(columns, list) else []
    last = max((number for number in numbers if isinstance(number, int) and number in question.columns), default=0)
    has_text = question.asks_text and isinstance(parts.get("text"), str)
    if question.kind != "table" or not (last or has_text):
        return None
    left = [name for number, name in sorted(question.columns.items()) if number > last]
    return left if has_text or not question.asks_text else ["", *left]


def _members(text: str) -> Iterator[tuple[str, int]]:
    """The names of an object's members, and where the value of each begins; ends where one is not complete."""
    at = text.find("{") + 1
    while at:
        try:
            name, end = _DECODER.raw_decode(text, _skip(_GAP, text, at))
            at = _skip(_COLON, text, end)
            if not isinstance(name, str):
                return
            yield name, at
            at = _DECODER.raw_decode(text, at)[1]
        except (ValueError, RecursionError):
            return


def _items(text: str, at: int) -> Iterator[Any]:
    while True:
        try:
            item, at = _DECODER.raw_decode(text, _skip(_GAP, text, at))
        except (ValueError, RecursionError):
            return
        yield item


def _skip(what: re.Pattern[str], text: str, at: int) -> int:
    found = what.match(text, at)
    return found.end() if found else at
