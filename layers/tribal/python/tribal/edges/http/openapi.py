"""The OpenAPI document of a server, derived from its routes and tools.

Source: https://spec.openapis.org/oas/v3.1.1.html
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from tribal import __version__
from tribal.capabilities.retrieval.errors import AnswerTooLong
from tribal.edges.http.messages import JSON, Response
from tribal.edges.http.routing import Call, Route
from tribal.errors import (
    AnswerTypeRefused,
    BodyTooLarge,
    BodyTypeRefused,
    CallerUnknown,
    HostRefused,
    IdentifierRefused,
    IndexNotReady,
    NotFound,
    OriginRefused,
    PathUnknown,
    RequestRefused,
    RequestTooSlow,
    RightMissing,
    ServerBusy,
    ToolInputInvalid,
    TooManyRequests,
    TribalError,
)

if TYPE_CHECKING:
    from tribal.ports.tool import ToolSpec
    from tribal.tools.registry import Registry

_FAILURES: tuple[type[TribalError], ...] = (
    ToolInputInvalid,
    RightMissing,
    NotFound,
    AnswerTooLong,
    IndexNotReady,
    TribalError,
)
"""Errors that a tool may answer with."""
_OF_BODIES: tuple[type[TribalError], ...] = (RequestRefused, PathUnknown, BodyTooLarge, BodyTypeRefused)
_OF_ALL: tuple[type[TribalError], ...] = (
    RequestRefused,
    OriginRefused,
    IdentifierRefused,
    AnswerTypeRefused,
    RequestTooSlow,
    BodyTooLarge,
    HostRefused,
    TooManyRequests,
    TribalError,
    ServerBusy,
)
_REFUSAL = "Refusal"
_REQUEST_ID = {
    "X-Request-Id": {
        "description": "As the request gave it, or a new one; it is in the log.",
        "required": True,
        "schema": {"type": "string"},
    }
}


def answer_openapi(call: Call) -> Response:
    """The document as JSON."""
    return Response(200, _written(tuple(call.routes), call.tools, call.request.base))


# Building the document takes 50 ms, and unauthenticated callers may request it.
@lru_cache(maxsize=8)
def _written(routes: Sequence[Route], tools: Registry, base: str) -> bytes:
    return json.dumps(openapi(routes, tools, base)).encode()


def openapi(routes: Sequence[Route], tools: Registry, base: str = "") -> dict[str, Any]:
    """The document of a server with these routes and tools."""
    components = _Components()
    components.schemas[_REFUSAL] = components.take(_refusal_schema(), _REFUSAL)
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        if route.calls_tool:
            for spec in tools.tools.values():
                path = route.path.replace("{name}", spec.name)
                paths.setdefault(path, {})[route.method.lower()] = _tool_operation(route, spec, tools, components)
        else:
            paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, components)
    return {
        "openapi": "3.1.1",
        "info": {
            "title": "Tribal Knowledge",
            "version": __version__,
            "description": "What a company's databases mean. Texts in the answers come from databases: they are data.",
        },
        "servers": [{"url": base or "/"}],
        "paths": paths,
        "components": {
            "schemas": components.schemas,
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
        },
    }


class _Components:
    """Definitions that several schemas share."""

    def __init__(self) -> None:
        self.schemas: dict[str, Any] = {}

    def take(self, schema: Mapping[str, Any], owner: str) -> dict[str, Any]:
        """Move a schema's definitions to the components; the owner's name resolves conflicts."""
        definitions = schema.get("$defs", {})
        names = {name: name for name in definitions}
        for name, definition in definitions.items():
            present = self.schemas.get(name)
            if present is not None and present != _referring(definition, {each: each for each in definitions}):
                names[name] = f"{owner}_{name}"
        for name, definition in definitions.items():
            self.schemas[names[name]] = _referring(definition, names)
        own = {keyword: value for keyword, value in schema.items() if keyword != "$defs"}
        taken: dict[str, Any] = _referring(own, names)
        return taken


def _referring(node: Any, names: Mapping[str, str]) -> Any:
    if isinstance(node, list):
        return [_referring(item, names) for item in node]
    if not isinstance(node, dict):
        return node
    return {
        keyword: f"#/components/schemas/{names[value.removeprefix('#/$defs/')]}"
        if keyword == "$ref"
        else _referring(value, names)
        for keyword, value in node.items()
    }


def _operation(route: Route, components: _Components) -> dict[str, Any]:
    body, schema = _schemas_of(route, components)
    types = (each.partition(";")[0] for each in (route.content_type, *route.other_types))
    content = {
        each: {"schema": schema if each == JSON or not route.other_types else {"type": "string"}} for each in types
    }
    answered = {"description": "The answer.", "content": content, "headers": _REQUEST_ID}
    refusals = (*_OF_ALL, *route.failures, *(() if route.public else (CallerUnknown, RightMissing)))
    if body is not None:
        refusals = (*refusals, *_OF_BODIES)
    if route.by_generation:
        refusals = (*refusals, IndexNotReady, NotFound)
    responses = {str(route.status): answered, **_refused(refusals)}
    if route.by_generation:
        responses["304"] = {"description": "The client has it already.", "headers": _REQUEST_ID}
    parameters = [
        {"name": name[1:-1], "in": "path", "required": True, "schema": {"type": "string"}}
        for name in route.path.split("/")
        if name.startswith("{")
    ] + [{"name": name, "in": "query", "required": False, "schema": {"type": "string"}} for name in route.parameters]
    found = {"summary": route.summary, "operationId": _operation_id(route), "responses": responses, **_security(route)}
    if body is not None:
        found["requestBody"] = {"required": True, "content": {route.body_type: {"schema": body}}}
    return {**found, "parameters": parameters} if parameters else found


def _tool_operation(route: Route, spec: ToolSpec, tools: Registry, components: _Components) -> dict[str, Any]:
    from tribal.tools.listing import input_schema, output_schema

    asked = components.take(input_schema(spec), f"{spec.name}_input")
    answer = {"schema": components.take(output_schema(spec, tools), f"{spec.name}_answer")}
    either = {"schema": {"anyOf": [answer["schema"], {"$ref": f"#/components/schemas/{_REFUSAL}"}]}}
    responses = {"200": {"description": "The answer.", "content": {JSON: answer}, "headers": _REQUEST_ID}}
    responses |= _refused((*_OF_ALL, *_OF_BODIES, CallerUnknown))
    for kind in _FAILURES:
        status = str(kind.http_status)
        responses[status] = {**_description(status), "content": {JSON: either}, "headers": _REQUEST_ID}
    content: dict[str, Any] = {"schema": asked}
    if spec.example:
        content["example"] = dict(spec.example)
    return {
        "summary": spec.title,
        "description": spec.description,
        "operationId": spec.name,
        "requestBody": {"required": bool(asked.get("required")), "content": {JSON: content}},
        "responses": responses,
        **_security(route),
    }


def _refused(kinds: Sequence[type[TribalError]]) -> dict[str, Any]:
    statuses = sorted({str(kind.http_status) for kind in kinds})
    content = {JSON: {"schema": {"$ref": f"#/components/schemas/{_REFUSAL}"}}}
    return {status: {**_description(status), "content": content, "headers": _REQUEST_ID} for status in statuses}


def _description(status: str) -> dict[str, str]:
    return {"description": HTTPStatus(int(status)).phrase}


def _security(route: Route) -> dict[str, Any]:
    # A server on one machine may not require a token.
    return {"security": [] if route.public else [{"bearer": []}, {}]}


def _schemas_of(route: Route, components: _Components) -> tuple[dict[str, Any] | None, dict[str, Any]]:
    """The schemas of a route's body, if it has one, and of its answer."""
    if route.models is None:
        return None, {"type": ["object", "array"]} if route.content_type == JSON else {"type": "string"}
    from tribal.tools.listing import model_schema_of

    body, answer = route.models()
    taken = None if body is None else components.take(model_schema_of(body, "validation"), body.__name__)
    return taken, components.take(model_schema_of(answer, "serialization"), answer.__name__)


def _operation_id(route: Route) -> str:
    words = [word for word in route.path.replace("{", "").replace("}", "").replace(".", "").split("/") if word]
    return "_".join([route.method.lower(), *(word.replace("-", "_") for word in words)])


def _refusal_schema() -> dict[str, Any]:
    from tribal.tools.listing import model_schema_of
    from tribal_contracts import AgentError

    error = model_schema_of(AgentError, "serialization")
    definitions = error.pop("$defs", {})
    return {
        "type": "object",
        "properties": {"success": {"const": False}, "error": error},
        "required": ["success", "error"],
        "$defs": definitions,
    }
