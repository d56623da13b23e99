"""Logs requests, and reports to CloudWatch the metrics that `tribal serve` offers to Prometheus.

CloudWatch extracts them from the log (embedded metric format): `Requests` and `Milliseconds` by tool and status, and
for the process, `MemoryMegabytes` and `IndexAgeSeconds` with the index's manifest.
"""

from __future__ import annotations

import resource
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from aws_lambda_powertools import Logger
from aws_lambda_powertools.metrics import EphemeralMetrics, MetricUnit

from tribal.edges.http.audit import RequestLog
from tribal.edges.http.messages import Request
from tribal.edges.http.routes import ROUTES, TOOLS
from tribal.edges.http.routing import Route, template_of
from tribal.tools.registry import EVERYTHING

if TYPE_CHECKING:
    from tribal.ports.application import Application
    from tribal_contracts import ToolCall

MCP = "/mcp"
"""The path of calls from the MCP function in logs and metrics."""
_KILOBYTES_A_MEGABYTE = 1024


def request_log_of(request: Request, request_id: str, routes: Sequence[Route] = ROUTES) -> RequestLog:
    """The log record of a request."""
    parent, _, name = request.path.rstrip("/").rpartition("/")
    tool = name if parent == TOOLS and name in EVERYTHING.tools else None
    return RequestLog(request_id, template_of(request.path, routes) or "other", request.caller.subject, tool)


def request_log_of_call(call: ToolCall, request_id: str) -> RequestLog:
    """The log record of a call from the MCP function; as in requests, only known tools are named."""
    return RequestLog(request_id, MCP, call.caller.subject, call.tool if call.tool in EVERYTHING.tools else None)


def record(logger: Logger, seen: RequestLog, method: str, status: int, seconds: float) -> None:
    """Write the log line and the metrics of an answered request."""
    fields = seen.fields(method, status, seconds)
    log = logger.error if status >= 500 else logger.warning if seen.is_slow(seconds) else logger.info
    log("request", extra=fields)
    metrics = EphemeralMetrics()
    metrics.add_dimension(name="tool", value=seen.tool or "none")
    metrics.add_dimension(name="status", value=str(status))
    metrics.add_metric(name="Requests", unit=MetricUnit.Count, value=1)
    metrics.add_metric(name="Milliseconds", unit=MetricUnit.Milliseconds, value=round(seconds * 1_000, 1))
    metrics.add_metadata(key="request_id", value=seen.request_id)
    metrics.flush_metrics()


def record_index(app: Application) -> None:
    """Write the metrics of the process and of its index, if any."""
    metrics = EphemeralMetrics()
    # Peak memory; in kilobytes on Linux.
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _KILOBYTES_A_MEGABYTE
    metrics.add_metric(name="MemoryMegabytes", unit=MetricUnit.Megabytes, value=round(memory, 1))
    metadata = app.index().metadata()
    if metadata is not None:
        age = app.clock.real() - datetime.fromisoformat(metadata.last_full_index)
        metrics.add_metric(name="IndexAgeSeconds", unit=MetricUnit.Seconds, value=max(0.0, age.total_seconds()))
        metrics.add_metadata(key="manifest_hash", value=metadata.manifest_hash)
    metrics.flush_metrics()
