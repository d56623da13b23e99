"""What the retriever's log tells of a request, and what CloudWatch reads out of it."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from typing import Any

import pytest
from aws_lambda_powertools import Logger

from functions.recording import record, record_index, request_log_of
from tests.fakes import MemoryStore, application_over
from tests.functions.calls import Context
from tests.sample_shop.indexed import index_all, shop_tables, write_documentation
from tribal.adapters.sqlite.index import SqliteIndex
from tribal.edges.http.messages import Request, Response
from tribal.edges.http.routes import respond
from tribal.ports import Application, Caller


@pytest.fixture(name="shop")
def shop_fixture(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Application]:
    monkeypatch.setenv("POWERTOOLS_METRICS_NAMESPACE", "Test")
    monkeypatch.setenv("POWERTOOLS_SERVICE_NAME", "retriever")
    store, index = MemoryStore(), SqliteIndex(tmp_path / "index.db")
    write_documentation(store, shop_tables())
    index_all(store, index)
    yield application_over(index)
    index.close()


def recorded(request: Request, response: Response, seconds: float) -> dict[str, Any]:
    stream = io.StringIO()
    # A logger of a name is made once, with its first stream.
    record(
        Logger(service=f"retriever-{seconds}", stream=stream),
        request_log_of(request, "id-1"),
        request.method,
        response.status,
        seconds,
    )
    line: dict[str, Any] = json.loads(stream.getvalue())
    assert "secretword" not in stream.getvalue()
    return line


def test_a_request_is_one_line_and_two_figures_by_tool_and_status(
    shop: Application, capsys: pytest.CaptureFixture[str]
) -> None:
    request = Request("POST", "/v1/tools/search_tables", Caller("ada"), b'{"query": "secretword"}')
    line = recorded(request, respond(request, shop), 0.0125)
    told = {name: line[name] for name in ("request_id", "method", "path", "status", "milliseconds", "subject", "tool")}
    assert told == {
        "request_id": "id-1",
        "method": "POST",
        "path": "/v1/tools/{name}",
        "status": 200,
        "milliseconds": 12.5,
        "subject": "ada",
        "tool": "search_tables",
    }
    assert (line["level"], "slow" in line) == ("INFO", False)
    figures = json.loads(capsys.readouterr().out)
    assert (figures["tool"], figures["status"], figures["Requests"], figures["Milliseconds"]) == (
        "search_tables",
        "200",
        [1.0],
        [12.5],
    )
    (directive,) = figures["_aws"]["CloudWatchMetrics"]
    assert set(directive["Dimensions"][0]) == {"tool", "status", "service"}


def test_a_call_of_the_function_for_mcp_is_reported_too_and_without_its_arguments(
    shop: Application,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("POWERTOOLS_TRACE_DISABLED", "1")
    # Powertools reads the environment when the module is loaded.
    from functions.retriever import handler

    monkeypatch.setattr(handler, "application", lambda: shop)
    caller = {"subject": "ada", "rights": ["documentation:read"]}
    for table, status in (("shop.crm.customer", 200), ("secretword", 404)):
        caplog.clear()
        call = {"tool": "get_table_schema", "arguments": {"table": table}, "caller": caller}
        answer = handler.handle({"tool_call": call}, Context())
        assert answer["success"] == (status == 200)
        (line,) = [vars(each) for each in caplog.records if each.message == "request"]
        assert (line["path"], line["tool"], line["status"], line["subject"], line["request_id"]) == (
            "/mcp",
            "get_table_schema",
            status,
            "ada",
            Context().aws_request_id,
        )
        printed = capsys.readouterr().out
        assert "secretword" not in printed + str(line)
        figures = [json.loads(each) for each in printed.splitlines()]
        assert [each["ToolErrors"] for each in figures if "ToolErrors" in each] == [[float(status != 200)]]


@pytest.mark.parametrize(
    ("path", "seconds", "level", "tool"),
    [("/v1/tools/search_tables", 1.5, "WARNING", "search_tables"), ("/v1/secretword", 0.1, "INFO", "none")],
)
def test_what_is_slow_is_named_and_unknown_paths_and_tools_are_not(
    shop: Application, capsys: pytest.CaptureFixture[str], path: str, seconds: float, level: str, tool: str
) -> None:
    request = Request("POST", path, Caller("ada"), b'{"query": "customer"}')
    line = recorded(request, respond(request, shop), seconds)
    assert (line["level"], line.get("slow")) == (level, True if seconds > 1 else None)
    assert json.loads(capsys.readouterr().out)["tool"] == tool


def test_the_age_of_the_index_and_the_memory_are_reported(
    shop: Application, capsys: pytest.CaptureFixture[str]
) -> None:
    record_index(shop)
    figures = json.loads(capsys.readouterr().out)
    assert figures["IndexAgeSeconds"][0] >= 0
    assert figures["MemoryMegabytes"][0] > 10
    assert len(figures["manifest_hash"]) == 64
