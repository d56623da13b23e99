"""The chat: answers questions in pieces, or in one piece where the environment says so, and the tool `ask`."""

from __future__ import annotations

from collections.abc import Generator
from functools import cache, partial
from typing import Any

from aws_lambda_powertools import Logger, Metrics, Tracer
from aws_lambda_powertools.metrics import MetricUnit

from functions.chat.measuring import measure_answer, measure_spending, write_metrics
from functions.contexts import LambdaContext
from functions.offering import fault_metric_of, tools_of
from functions.tool_requests import ToolRequests
from tribal.app.deployed import deployed_application
from tribal.capabilities.chat.events import ChatEvent, Finished
from tribal.edges.http.chat.routes import QUESTIONS, chat_routes, open_chat
from tribal.edges.http.chat.whole_events import EventSource
from tribal.edges.http.messages import Response
from tribal.edges.http.routes import ROUTES
from tribal.edges.http.routing import Route
from tribal.errors import StoreError
from tribal.ports import Application, Caller, StopToken
from tribal.settings.deployment import Deployment, load_deployment
from tribal.tools.registry import Registry
from tribal_contracts import BudgetRecord
from tribal_contracts.chat.requests import ChatRequest

NAME = "chat"
BUDGET_KEY = "progress/budget.json"
_FIRST_FAULT = 500

logger, tracer, metrics = Logger(), Tracer(), Metrics()


# Answers are not traced: traces may be read by others than conversations.
@logger.inject_lambda_context(clear_state=True)
@tracer.capture_lambda_handler(capture_response=False)
@metrics.log_metrics(capture_cold_start_metric=True)
def handle(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Answer a request from API Gateway, or a call from the MCP function, in one piece."""
    metrics.add_metric("Calls", MetricUnit.Count, 1)
    return _requests().answer(event, context)


@logger.inject_lambda_context(clear_state=True)
@tracer.capture_lambda_handler(capture_response=False)
@metrics.log_metrics(capture_cold_start_metric=True)
def stream(event: dict[str, Any], context: LambdaContext) -> Response | dict[str, Any]:
    """Answer a question in pieces; answer anything else as `handle` does."""
    metrics.add_metric("Calls", MetricUnit.Count, 1)
    if event.get("path", "").rstrip("/") == QUESTIONS:
        return _requests().open(event)
    return _requests().answer(event, context)


def _requests() -> ToolRequests:
    return ToolRequests(application(), _tools(), logger, _count_call, _routes())


@cache
def _routes() -> tuple[Route, ...]:
    """The routes of this instance, whose limits on callers hold for it alone."""
    return (*ROUTES, *chat_routes(_open_chat))


def _open_chat(app: Application, caller: Caller, request: ChatRequest) -> EventSource:
    return partial(_measured, open_chat(app, caller, request), app)


def _measured(source: EventSource, app: Application, stop: StopToken) -> Generator[ChatEvent, None, None]:
    """The same events; measures how they end."""
    finished: Finished | None = None
    try:
        for event in source(stop):
            finished = event if isinstance(event, Finished) else finished
            yield event
    finally:
        measure_answer(finished, stop)
        _measure_spending(app)


def _measure_spending(app: Application) -> None:
    chat = _deployment().sections.get("chat")
    if chat is None or not chat.has_models:
        return
    try:
        found = app.store().get(BUDGET_KEY)
        measure_spending(BudgetRecord.from_json(found.data))
    except (StoreError, ValueError) as error:
        # Nothing has been spent yet, or the next answer measures it.
        logger.info("spending was not measured", reason=str(error))


def _count_call(status: int, failed: bool) -> None:
    write_metrics({}, {"ToolErrors": int(failed), str(fault_metric_of(NAME)): int(status >= _FIRST_FAULT)})


@cache
def _tools() -> Registry:
    return tools_of(NAME)


@cache
def _deployment() -> Deployment:
    return load_deployment()


@cache
def application() -> Application:
    """The application, whose index and passages stay open between invocations; the caller comes with each request."""
    return deployed_application(_deployment())
