"""The MCP function: implements the protocol, and calls the functions with the tools on behalf of the caller."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import anyio
from aws_lambda_powertools import Logger, Metrics, Tracer

from functions.callers import caller_of
from functions.contexts import LambdaContext
from functions.mcp.configuration import McpDeployment, load_mcp_deployment
from functions.mcp.requests import answer_request
from functions.offering import answered_by, offered_tools
from functions.tool_requests import answered
from tribal.app.parts import system_clock
from tribal.app.remote.function_tools import tools_of_functions
from tribal.edges.http.identity import METADATA_PATH, resource_metadata
from tribal.edges.http.messages import Response, refusal
from tribal.edges.mcp.http import CALLER, McpEndpoint
from tribal.errors import RequestRefused
from tribal.tools.remote import RemoteTools

MCP = "/mcp"

logger, tracer, metrics = Logger(), Tracer(), Metrics()


@logger.inject_lambda_context
@tracer.capture_lambda_handler
@metrics.log_metrics(capture_cold_start_metric=True)
def handle(event: dict[str, Any], _context: LambdaContext) -> dict[str, Any]:
    """Answer a request from API Gateway."""
    if event["path"] == METADATA_PATH:
        return _metadata(event["requestContext"])
    return anyio.run(_answer, event)


async def _answer(event: dict[str, Any]) -> dict[str, Any]:
    # Stateless: the next request may reach another instance of this function.
    try:
        caller = caller_of(event)
    except RequestRefused as error:
        return answered(refusal(error, system_clock().published()))
    endpoint = McpEndpoint(_tools(), offered_tools(), sessions=False)
    async with endpoint.running():
        return await answer_request(endpoint, event, {CALLER: caller})


def _metadata(context: dict[str, Any]) -> dict[str, Any]:
    """The public metadata that names the token issuer (RFC 9728)."""
    base = f"https://{context['domainName']}{context['path'].removesuffix(METADATA_PATH)}"
    metadata = json.dumps(resource_metadata(base, MCP, _deployment().issuer)).encode()
    return answered(Response(200, metadata, headers={"Cache-Control": "public, max-age=3600"}))


@cache
def _tools() -> RemoteTools:
    deployment = _deployment()
    own = answered_by()
    others = {tool: arn for function, arn in deployment.others.items() for tool in own[function]}
    return tools_of_functions(deployment.retriever, deployment.region, offered_tools(), others)


@cache
def _deployment() -> McpDeployment:
    return load_mcp_deployment()
