"""The retriever: tools over HTTPS. The body of a call is the tool's input, the answer its output."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from aws_lambda_powertools import Logger, Metrics, Tracer
from aws_lambda_powertools.event_handler import APIGatewayRestResolver, Response, content_types
from aws_lambda_powertools.metrics import MetricUnit

from functions.contexts import LambdaContext
from functions.retriever.callers import scope_of
from tribal.app.deployed import deployed_application
from tribal.errors import code_outcome
from tribal.retrieval.toolbox import Toolbox
from tribal.settings.deployment import load_deployment
from tribal.tools.registry import TOOLS, call_tool

LARGEST_BODY_BYTES = 64 * 1024

logger, tracer, metrics = Logger(), Tracer(), Metrics()
app = APIGatewayRestResolver()
_kept: dict[str, Toolbox] = {}


@logger.inject_lambda_context
@tracer.capture_lambda_handler
@metrics.log_metrics(capture_cold_start_metric=True)
def handle(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Answer a request of API Gateway."""
    answer: dict[str, Any] = app.resolve(event, context)  # type: ignore[arg-type]  # it asks for more of the context
    return answer


@app.get("/health")
def health() -> Response[str]:
    """Whether there is an index to ask."""
    metadata = _toolbox().index.metadata()
    ready = metadata is not None
    told = {
        "ready": ready,
        "indexed_at": metadata.last_full_index if metadata else None,
        "manifest_hash": metadata.manifest_hash if metadata else None,
    }
    return _json(200 if ready else 503, told)


@app.get("/v1/tools")
def tools() -> Response[str]:
    """Every tool with the schemas of its input and output."""
    listed = [
        {
            "name": spec.name,
            "title": spec.title,
            "description": spec.description,
            "input_schema": spec.input_model.model_json_schema(),
            "output_schema": spec.output_model.model_json_schema(mode="serialization"),
        }
        for spec in TOOLS.values()
    ]
    return _json(200, {"tools": listed})


@app.post("/v1/tools/<name>")
def call(name: str) -> Response[str]:
    """Answer one tool; what went wrong is in its `error`, and in the status."""
    if name not in TOOLS:
        return _json(404, {"error": f"there is no tool {name!r}; there is {', '.join(sorted(TOOLS))}"})
    body = app.current_event.decoded_body or "{}"
    if len(body.encode("utf-8", "surrogatepass")) > LARGEST_BODY_BYTES:
        return _json(413, {"error": f"the body is larger than {LARGEST_BODY_BYTES} bytes; ask for less at once"})
    try:
        arguments = json.loads(body)
    except (ValueError, RecursionError):
        arguments = None
    if not isinstance(arguments, dict):
        return _json(400, {"error": 'the body is no JSON object; it is the tool\'s input, such as {"query": "..."}'})
    answer = call_tool(name, arguments, _toolbox())
    metrics.add_metric("ToolErrors", MetricUnit.Count, int(answer.error is not None))
    status = 200 if answer.error is None else code_outcome(answer.error.code).http_status
    return Response(status, content_types.APPLICATION_JSON, answer.to_compact_json().decode())


def _toolbox() -> Toolbox:
    """The index and the model stay open between calls; what the caller may see is told anew."""
    if "all" not in _kept:
        parts = deployed_application(load_deployment())
        _kept["all"] = Toolbox(index=parts.index(), embedder=parts.embedder(), clock=parts.clock)
    return replace(_kept["all"], scope=scope_of(app.current_event.request_context.authorizer))


def _json(status: int, content: Any) -> Response[str]:
    return Response(status, content_types.APPLICATION_JSON, json.dumps(content))
