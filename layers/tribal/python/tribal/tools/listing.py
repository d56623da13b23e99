"""The published schemas of a tool, identical over HTTP and MCP, and compact schemas for tool lists.

Clients must support JSON Schema 2020-12, but many support only draft-07. Contracts use nothing that the two interpret
differently, so schemas are sent without `$schema` and `$id`, with definitions under `$defs`, where both find them.
Titles and sources are left out: models do not need them, and every conversation pays for the tokens in a tool list.

Input schemas are listed in full. Output schemas are reduced to the names and types of fields, without those that the
group's instructions explain: a model reads what they mean in the answers. A value that is valid for the full output
schema is valid for the listed one.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from tribal.ports.tool import ToolSpec
from tribal.tools.registry import REGISTRY, Registry
from tribal_contracts.schemas import model_schema

if TYPE_CHECKING:
    from tribal_contracts import Contract


__all__ = ["input_schema", "listed_output_schema"]

_LISTED = frozenset({"type", "properties", "items", "additionalProperties", "anyOf", "$ref", "$defs"})
"""Keywords of output schemas in lists."""
_NULL = {"type": "null"}

Schema = dict[str, Any]


def listed_output_schema(spec: ToolSpec, tools: Registry = REGISTRY) -> Schema:
    """The shape of a tool's answers, failures included."""
    explained = tools.group_of(spec.name).explained
    shape: Schema = _mapped(output_schema(spec, tools), lambda schema: _bare(schema, explained))
    definitions = shape.pop("$defs", {})
    listed: Schema = _inlined(shape, definitions)
    return listed | _shared(listed, definitions)


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
    bare = {keyword: value for keyword, value in schema.items() if keyword in _LISTED}
    if "properties" in bare:
        bare["properties"] = {name: inner for name, inner in bare["properties"].items() if name not in explained}
    match bare.get("anyOf"):
        case [{"type": str(kind), **rest}, null] if null == _NULL and not rest:
            del bare["anyOf"]
            bare["type"] = [kind, "null"]
    return bare


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


_NAMED_SCHEMAS = ("properties", "$defs")
_LEFT_OUT = ("$schema", "$id", "title")
_FIRST = ("type", "properties", "required")
"""Keywords in the order of the newest MCP protocol, so that HTTP sends the same bytes."""
_SOURCE = "Source: "
_EXTENSION = "Extension: "
_NO_NOTE = "Extension."


def input_schema(spec: ToolSpec) -> dict[str, Any]:
    """The schema of a tool's input."""
    return _published(model_schema(spec.input_model, mode="validation"))


def model_schema_of(model: type[Contract], mode: Literal["validation", "serialization"]) -> dict[str, Any]:
    """The schema of a contract that does not belong to a tool, published in the same way."""
    return _published(model_schema(model, mode=mode))


def output_schema(spec: ToolSpec, tools: Registry = REGISTRY) -> dict[str, Any]:
    """The schema of a tool's answers, failures included, because clients validate those too."""
    failure = tools.group_of(spec.name).failure_model()
    if failure is None:
        return _published(model_schema(spec.output_model, mode="serialization"))
    either = model_schema(spec.output_model, failure, mode="serialization")
    return {"type": "object", **_published(either)}


def _published(schema: dict[str, Any]) -> dict[str, Any]:
    schema["$defs"] = schema.pop("definitions", {})
    plain: dict[str, Any] = _plain(schema)
    if not plain["$defs"]:
        del plain["$defs"]
    first = {keyword: plain.pop(keyword) for keyword in _FIRST if keyword in plain}
    return first | plain


def _plain(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_plain(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    plain: dict[str, Any] = {}
    for keyword, value in schema.items():
        if keyword in _NAMED_SCHEMAS:
            # The keys here are field names, which may coincide with keywords.
            plain[keyword] = {name: _plain(inner) for name, inner in value.items()}
        elif keyword == "description":
            text = value.removeprefix(_EXTENSION).removeprefix(_NO_NOTE).partition(_SOURCE)[0].strip()
            plain |= {"description": text} if text else {}
        elif keyword == "$ref":
            plain[keyword] = value.replace("#/definitions/", "#/$defs/")
        elif keyword not in _LEFT_OUT:
            plain[keyword] = _plain(value)
    return plain
