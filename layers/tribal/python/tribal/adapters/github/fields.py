"""Reads fields of answers, whose shape is checked as far as it is used."""

from __future__ import annotations

import json
import re
from typing import Any

from tribal.adapters.github.transport import Answer, NoAnswerError
from tribal.errors import ForgeUnreachable

_COMMIT = re.compile("[0-9a-f]{40}")


def parse_answer(answer: Answer) -> Any:
    """Return the object or list that an answer is.

    Raises:
        NoAnswerError: when it is neither.
    """
    try:
        found = json.loads(answer.body)
    except (ValueError, RecursionError) as error:
        raise NoAnswerError("it did not send complete JSON") from error
    if not isinstance(found, dict | list):
        raise NoAnswerError("it sent neither an object nor a list")
    return found


def text_at(value: Any, *path: str) -> str:
    """Return a text below a path of names."""
    found = optional_text_at(value, *path)
    return _raise_unexpected(path) if found is None else found


def number_at(value: Any, *path: str) -> int:
    """Return a whole number."""
    found = _at(value, path)
    return found if isinstance(found, int) and not isinstance(found, bool) else _raise_unexpected(path)


def object_name_at(value: Any, *path: str) -> str:
    """Return the name of a git object."""
    found = text_at(value, *path)
    return found if _COMMIT.fullmatch(found) else _raise_unexpected(path)


def list_at(value: Any, *path: str) -> list[Any]:
    """Return a list."""
    found = _at(value, path)
    return found if isinstance(found, list) else _raise_unexpected(path)


def optional_text_at(value: Any, *path: str) -> str | None:
    """Return a text; `None` where something else is, or nothing. What UTF-8 cannot hold is replaced."""
    found = _at(value, path)
    return found.encode("utf-8", "replace").decode() if isinstance(found, str) else None


def is_object_name(name: str) -> bool:
    """Whether a text can be the name of a commit on GitHub."""
    return _COMMIT.fullmatch(name) is not None


def _at(value: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _raise_unexpected(path: tuple[str, ...]) -> Any:
    raise ForgeUnreachable(
        f"an answer of the API has no usable {'.'.join(path)!r}; check `api_url`, and proxies in between"
    )
