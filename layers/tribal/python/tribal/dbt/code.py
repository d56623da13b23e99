"""What the code of a model or snapshot says about itself, read without running it."""

from __future__ import annotations

import ast
import re
from itertools import islice, pairwise
from typing import Any

_CALLS = {"sql": re.compile(r"\{\{-?\s*(config\s*\()"), "py": re.compile(r"\bdbt\.(config\s*\()")}
_CLOSING = re.compile(r"\)")
_KEYWORD = re.compile(r"\b(\w+)\s*=(?!=)")
_SNAPSHOT_TAG = re.compile(r"\{%-?\s*(?:snapshot\s+(\w+)|endsnapshot)\s*-?%\}")
_MAX_CALL, _MAX_CALLS, _MAX_ENDS = 10_000, 10, 50
"""Limits of what is read: characters of a call, calls, and parentheses that may close one."""
UNKNOWN = object()
"""A value that only dbt can compute."""


def read_config(code: str, language: str) -> dict[str, Any]:
    """Read the keywords of the calls of `config` in a file; a value that is not a literal is `UNKNOWN`."""
    text = _without_comments(code) if language == "sql" else code
    found: dict[str, Any] = {}
    for call in islice(_CALLS[language].finditer(text), _MAX_CALLS):
        found |= _keywords(text[call.start(1) : call.start(1) + _MAX_CALL])
    return found


def snapshots(code: str) -> dict[str, str]:
    """Return the code of each snapshot block in a file, by name."""
    text = _without_comments(code)
    tags = list(_SNAPSHOT_TAG.finditer(text))
    return {tag[1]: text[tag.end() : end.start()] for tag, end in pairwise(tags) if tag[1] and not end[1]}


def _without_comments(code: str) -> str:
    """Remove the comments of Jinja."""
    parts = code.split("{#")
    return parts[0] + "".join(part.partition("#}")[2] for part in parts[1:])


def _keywords(text: str) -> dict[str, Any]:
    """Parse the call that a text starts with as Python, which is how its arguments read in Jinja too."""
    for tried, end in enumerate(_CLOSING.finditer(text)):
        if tried == _MAX_ENDS:
            break
        try:
            call = ast.parse(text[: end.end()].lstrip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        if isinstance(call, ast.Call):
            return {each.arg: _literal(each.value) for each in call.keywords if each.arg}
    return dict.fromkeys(_KEYWORD.findall(text.partition("}}")[0]), UNKNOWN)


def _literal(value: ast.expr) -> Any:
    if isinstance(value, ast.Name) and value.id in ("true", "false", "none"):
        return {"true": True, "false": False, "none": None}[value.id]
    if isinstance(value, ast.Dict) and all(isinstance(key, ast.Constant) for key in value.keys):
        pairs = zip(value.keys, value.values, strict=True)
        return {key.value: _literal(each) for key, each in pairs if isinstance(key, ast.Constant)}
    return value.value if isinstance(value, ast.Constant) else UNKNOWN
