"""The published schemas of a tool, identical over HTTP and MCP.

Clients must support JSON Schema 2020-12, but many support only draft-07. Contracts use nothing that the two interpret
differently, so schemas are sent without `$schema` and `$id`, with definitions under `$defs`, where both find them.
Titles and sources are left out: they tell a model nothing, and every conversation pays for the tokens in a tool list.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from tribal.ports.tool import ToolSpec
from tribal.tools.registry import REGISTRY, Registry
from tribal_contracts.schemas import model_schema

if TYPE_CHECKING:
    from tribal_contracts import Contract

_NAMED_SCHEMAS = ("properties", "$defs")
_LEFT_OUT = ("$schema", "$id", "title")
_FIRST = ("type", "properties", "required")
"""Keywords in the order of the newest MCP protocol, so that HTTP sends the same bytes."""
_SOURCE = "Source: "
_EXTENSION = "Extension: "


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
            text = value.removeprefix(_EXTENSION).partition(_SOURCE)[0].strip()
            plain |= {"description": text} if text else {}
        elif keyword == "$ref":
            plain[keyword] = value.replace("#/definitions/", "#/$defs/")
        elif keyword not in _LEFT_OUT:
            plain[keyword] = _plain(value)
    return plain
