"""Compact schemas for tool lists, because every conversation pays for them.

Input schemas are listed in full. Output schemas are reduced to fields, types and descriptions, without limits and
patterns, without nested `required`, and without fields that the group's instructions explain. A value that is valid
for the full output schema is valid for the listed one.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tribal.ports.tool import ToolSpec
from tribal.tools.registry import REGISTRY, Registry
from tribal.tools.schemas import input_schema, output_schema

__all__ = ["input_schema", "listed_output_schema"]

_CHECKS = frozenset({"pattern", "format", "minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems"})
_NULL = {"type": "null"}

Schema = dict[str, Any]


def listed_output_schema(spec: ToolSpec, tools: Registry = REGISTRY) -> Schema:
    """The shape of a tool's answers, failures included."""
    explained = tools.group_of(spec.name).explained
    whole = output_schema(spec, tools)
    shape: Schema = _mapped(whole, lambda schema: _bare(schema, explained))
    required = [name for name in whole.get("required", ()) if name not in explained]
    definitions = {name: _without_note(inner) for name, inner in shape.pop("$defs", {}).items()}
    listed: Schema = _inlined(shape, definitions)
    return listed | ({"required": required} if required else {}) | _shared(listed, definitions)


def _mapped(schema: Any, change: Callable[[Schema], Schema]) -> Any:
    """Every schema below and this one, changed; the keys of properties and definitions are no keywords."""
    if isinstance(schema, list):
        return [_mapped(item, change) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return change(
        {
            keyword: {name: _mapped(inner, change) for name, inner in value.items()}
            if keyword in ("properties", "$defs")
            else _mapped(value, change)
            for keyword, value in schema.items()
        }
    )


def _bare(schema: Schema, explained: frozenset[str]) -> Schema:
    bare = {keyword: value for keyword, value in schema.items() if keyword not in _CHECKS and keyword != "required"}
    if "properties" in bare:
        bare["properties"] = {name: inner for name, inner in bare["properties"].items() if name not in explained}
    match bare.get("anyOf"):
        case [{"type": str(kind), **rest}, null] if null == _NULL and not rest:
            del bare["anyOf"]
            bare["type"] = [kind, "null"]
    return bare


def _without_note(definition: Schema) -> Schema:
    return {keyword: value for keyword, value in definition.items() if keyword != "description"}


def _references(schema: Any, name: str) -> int:
    return json.dumps(schema).count(json.dumps({"$ref": f"#/$defs/{name}"}))


def _inlined(schema: Schema, definitions: dict[str, Schema]) -> Any:
    """A schema with each definition that is used once, or is anything at all, in its place."""
    everything = [schema, *definitions.values()]

    def put(inner: Schema) -> Schema:
        name = inner.get("$ref", "").rpartition("/")[2]
        if name not in definitions or (definitions[name] and _references(everything, name) > 1):
            return inner
        replaced: Schema = _mapped(definitions[name], put)
        return replaced | {keyword: value for keyword, value in inner.items() if keyword != "$ref"}

    for name in definitions:
        definitions[name] = _mapped(definitions[name], put)
    return _mapped(schema, put)


def _shared(schema: Schema, definitions: dict[str, Schema]) -> dict[str, dict[str, Schema]]:
    used: dict[str, Schema] = {}
    pending: list[Any] = [schema]
    while pending:
        text = pending.pop()
        for name, definition in definitions.items():
            if name not in used and _references(text, name):
                used[name] = definition
                pending.append(definition)
    return {"$defs": used} if used else {}
