"""The routes `GET /health`, `GET /v1/tools`, `POST /v1/tools/{name}`, and their documentation.

The request body is the tool's input, the response body its output. Errors set both body and status code.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from tribal import __version__
from tribal.edges.http.bodies import accepts, json_object, require_json
from tribal.edges.http.messages import HTML, Request, Response, refusal
from tribal.edges.http.routing import Call, Route, find_route, largest_body
from tribal.errors import AnswerTypeRefused, BodyTooLarge, PathUnknown, TribalError, doing
from tribal.identity.hashing import object_hash
from tribal.ports.application import Application
from tribal.ports.capability import Capability, load
from tribal.tools.call import call_tool
from tribal.tools.error_classes import error_class_of
from tribal.tools.registry import REGISTRY, Registry

TOOLS = "/v1/tools"
_NAMED_CHARS = 100


def respond(
    request: Request, app: Application, tools: Registry = REGISTRY, routes: Sequence[Route] | None = None
) -> Response:
    """Answer a request with the given routes, by default the common ones; trailing slashes are ignored."""
    try:
        with doing("retrieving"):
            return _answered(request, app, tools, ROUTES if routes is None else routes)
    except TribalError as error:
        allowed = (error.context or {}).get("allowed")
        headers = {"Allow": ", ".join(map(str, allowed))} if isinstance(allowed, list) else None
        return _without_body_for_head(request, refusal(error, app.clock.published(), headers))


def _answered(request: Request, app: Application, tools: Registry, routes: Sequence[Route]) -> Response:
    route, values = find_route(request.method, request.path, routes)
    if not any(accepts(request.headers.get("accept"), each) for each in route.types):
        raise AnswerTypeRefused(f"the answer is {' or '.join(route.types)}, which the Accept header does not allow")
    tag = _entity_tag(request, app) if route.by_generation else None
    if tag is not None and _matches(request.headers.get("if-none-match"), tag):
        return Response(304, b"", route.content_type, headers={"ETag": tag})
    response = route.answer(Call(request, app, tools, values, routes))
    if tag is not None and response.status == 200:
        response = replace(response, headers={**response.headers, "ETag": tag})
    return _without_body_for_head(request, response)


def _without_body_for_head(request: Request, response: Response) -> Response:
    return replace(response, body=b"", events=None) if request.method == "HEAD" else response


def _health(call: Call) -> Response:
    """Report whether there is a usable index; a missing one is not a fault, so the status is 200 either way."""
    metadata = call.app.index().metadata()
    ready = metadata is not None
    body = {
        "ready": ready,
        "indexed_at": metadata.last_full_index if metadata else None,
        "manifest_hash": metadata.manifest_hash if metadata else None,
    }
    return _json(200, body)


def _listed(call: Call) -> Response:
    """List every tool with its input and output schemas, as MCP does."""
    return Response(200, _list_of(call.tools))


# Deriving the schemas takes longer than most answers, and all callers get the same tools.
@lru_cache(maxsize=8)
def _list_of(tools: Registry) -> bytes:
    from tribal.tools.listing import input_schema, listed_output_schema

    listed = [
        {
            "name": spec.name,
            "title": spec.title,
            "description": spec.description,
            "input_schema": input_schema(spec),
            "output_schema": listed_output_schema(spec, tools),
            "annotations": spec.effect.hints,
        }
        for spec in tools.tools.values()
    ]
    return json.dumps({"tools": listed}).encode()


def _called(call: Call) -> Response:
    name, request, tools = call.values["name"], call.request, call.tools
    if name not in tools.tools:
        raise PathUnknown(f"unknown tool {name[:_NAMED_CHARS]!r}; the tools are {', '.join(sorted(tools.tools))}")
    require_json(request.headers.get("content-type"))
    largest = largest_body(request.path, ROUTES, tools)
    if len(request.body) > largest:
        raise BodyTooLarge(f"the body is larger than {largest} bytes; send a smaller request")
    answer = call_tool(name, json_object(request.body), request.caller, call.app, tools)
    error = tools.group_of(name).error_of(answer)
    status = 200 if error is None else error_class_of(error.code).http_status
    return Response(status, answer.to_compact_json(), tool_failed=error is not None)


def _openapi(call: Call) -> Response:
    # Imported here, as is the page below: most function processes never need them.
    from tribal.edges.http.openapi import answer_openapi

    return answer_openapi(call)


def _docs(call: Call) -> Response:
    from tribal.edges.http.docs_page import answer_docs

    return answer_docs(call)


def _json(status: int, content: Any) -> Response:
    return Response(status, json.dumps(content).encode())


ROUTES: tuple[Route, ...] = (
    Route("GET", "/health", _health, "Whether there is a usable index.", public=True),
    Route("GET", TOOLS, _listed, "Every tool with the schemas of its input and output."),
    Route("POST", f"{TOOLS}/{{name}}", _called, "Call a tool.", calls_tool=True),
    Route("GET", "/openapi.json", _openapi, "The API as an OpenAPI 3.1 document.", public=True),
    Route("GET", "/docs", _docs, "The API reference as a page.", public=True, content_type=HTML),
)
"""The routes that Lambda and `tribal serve` share."""


def capability_routes(among: Iterable[Capability]) -> tuple[Route, ...]:
    """The routes of some capabilities, for one process."""
    return tuple(route for each in among if each.routes is not None for route in load(each.routes)())


_DIGITS = 32


def _entity_tag(request: Request, app: Application) -> str:
    """A weak tag that depends on index generation, request, caller's scope and program version.

    Raises:
        IndexNotReady: when there is no usable index.
    """
    caller = request.caller
    scope, rights = caller.scope, caller.rights
    seen = [
        None if scope.databases is None else sorted(scope.databases),
        None if scope.schemas is None else sorted(scope.schemas),
        None if rights is None else sorted(rights),
    ]
    asked = [request.path, sorted(request.query.items())]
    return f'W/"{object_hash([__version__, repr(app.index().generation()), asked, seen])[:_DIGITS]}"'


def _matches(if_none_match: str | None, tag: str) -> bool:
    """Whether the `If-None-Match` header contains the tag, by weak comparison."""
    if not if_none_match:
        return False
    opaque = tag.removeprefix("W/")
    return any(one.strip().removeprefix("W/") in (opaque, "*") for one in if_none_match.split(","))
