"""The schemas of a model's answers, and whether an answer fits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from tribal_contracts.contribution.cycles import ReviewKind
from tribal_contracts.contribution.handoffs import Difficulty, IssueType

HARD = "hard"
"""A difficulty that no hand-off has: the issue is left to people."""


def _object(**properties: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


def _list(items: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


def _one_of(*values: str) -> dict[str, Any]:
    return {"type": "string", "enum": [*values]}


_TEXT, _NUMBER, _TRUTH = {"type": "string"}, {"type": "integer"}, {"type": "boolean"}
_DIFFICULTY = _one_of(*get_args(Difficulty), HARD)
SCOUT = _object(
    suitable=_TRUTH, problem=_TEXT, difficulty=_DIFFICULTY, type=_one_of(*get_args(IssueType)), read=_list(_TEXT)
)
ANALYST = _object(
    clear=_TRUTH,
    problem=_TEXT,
    title=_TEXT,
    summary=_TEXT,
    complexity=_DIFFICULTY,
    risk=_one_of("low", "medium", "high"),
    breaking=_TRUTH,
    requirements=_list(_TEXT),
    files=_list(_object(path=_TEXT, change=_one_of("create", "edit"), why=_TEXT)),
    lines=_NUMBER,
    steps=_list(_TEXT),
)
EDITOR = _object(
    edits=_list(_object(path=_TEXT, search=_TEXT, replace=_TEXT)),
    notes=_list(_object(path=_TEXT, name=_TEXT, text=_TEXT)),
)
REVIEW = _object(kind=_one_of(*get_args(ReviewKind)), reply=_TEXT, edits=EDITOR["properties"]["edits"])


_TYPES: Mapping[str, type] = {"string": str, "integer": int, "boolean": bool, "object": dict, "array": list}


def fits(value: object, schema: Mapping[str, Any]) -> bool:
    """Whether a value has the types, fields and literals of a schema of this module."""
    kind = _TYPES[schema["type"]]
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        return False
    if isinstance(value, dict):
        properties = schema["properties"]
        return all(name in value and fits(value[name], each) for name, each in properties.items())
    if isinstance(value, list):
        return all(fits(each, schema["items"]) for each in value)
    return value in schema.get("enum", [value])
