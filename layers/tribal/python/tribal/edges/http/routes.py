"""The routes: `GET /health`, `GET /v1/tools` and `POST /v1/tools/{name}`.

The request body is the tool's input, the response body its output; errors show in the body and in the status code.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tribal.edges.http.messages import Request, Response
from tribal.errors import code_outcome
from tribal.tools.call import call_tool
from tribal.tools.registry import REGISTRY, Registry

if TYPE_CHECKING:
    from tribal.ports.application import Application

LARGEST_BODY_BYTES = 64 * 1024

_TOOLS = "/v1/tools"


def respond(request: Request, app: Application, tools: Registry = REGISTRY) -> Response:
    """Answer a request; trailing slashes in the path are ignored."""
    path = request.path.rstrip("/")
    if (request.method, path) == ("GET", "/health"):
        return _health(app)
    if (request.method, path) == ("GET", _TOOLS):
        return _listed(tools)
    parent, _, name = path.rpartition("/")
    if (request.method, parent) == ("POST", _TOOLS):
        return _called(name, request, app, tools)
    return Response(404, b'{"statusCode":404,"message":"Not found"}')


def _health(app: Application) -> Response:
    """Report whether there is a usable index; that there is none yet is no fault, so the status is 200 either way."""
    metadata = app.index().metadata()
    ready = metadata is not None
    told = {
        "ready": ready,
        "indexed_at": metadata.last_full_index if metadata else None,
        "manifest_hash": metadata.manifest_hash if metadata else None,
    }
    return _json(200, told)


def _listed(tools: Registry) -> Response:
    """List every tool with its input and output schemas, as MCP does."""
    from tribal.tools.schemas import input_schema, output_schema

    listed = [
        {
            "name": spec.name,
            "title": spec.title,
            "description": spec.description,
            "input_schema": input_schema(spec),
            "output_schema": output_schema(spec, tools),
            "annotations": spec.effect.hints,
        }
        for spec in tools.tools.values()
    ]
    return _json(200, {"tools": listed})


def _called(name: str, request: Request, app: Application, tools: Registry) -> Response:
    if name not in tools.tools:
        return _json(404, {"error": f"there is no tool {name!r}; there is {', '.join(sorted(tools.tools))}"})
    if len(request.body) > LARGEST_BODY_BYTES:
        return _json(413, {"error": f"the body is larger than {LARGEST_BODY_BYTES} bytes; ask for less at once"})
    arguments = _object(request.body or b"{}")
    if arguments is None:
        return _json(400, {"error": 'the body is no JSON object; it is the tool\'s input, such as {"query": "..."}'})
    answer = call_tool(name, arguments, request.caller, app, tools)
    error = tools.capability_of(name).error_of(answer)
    status = 200 if error is None else code_outcome(error.code).http_status
    return Response(status, answer.to_compact_json(), tool_failed=error is not None)


def _object(body: bytes) -> dict[str, Any] | None:
    try:
        # Lone surrogates are rejected by the call, with a message.
        value = json.loads(body.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _json(status: int, content: Any) -> Response:
    return Response(status, json.dumps(content).encode())
