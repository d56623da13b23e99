"""The official Python and TypeScript clients call `ask` and each tool of interrogation, failures included."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import StdioServerParameters

from tests.edges.http.served import Served
from tests.edges.mcp.asked import Arguments, Schemas, index_project
from tests.edges.mcp.python_client import Server, ToolClient, asking, over_one_connection, stdio_server
from tests.edges.mcp.typescript_client import GENERATIONS, answers_to, clients_fixture  # noqa: F401
from tribal.capabilities.chat.tools import CHAT
from tribal.capabilities.interrogation.tools import INTERROGATION

MISSING = "3f0c1c5e-8a53-4a0e-9a57-1c2b7c0e6b1d"
HYPOTHESIS = "how many order lines does each customer have?"
ANSWERED: list[tuple[str, Arguments]] = [
    ("ask", {"question": "what was ordered"}),
    ("ask", {"question": "customers", "database": "shop"}),
    ("ask", {"question": "which customers ordered something?", "collection": "catalog"}),
    ("ask", {"question": "what is the weather in Paris on sundays", "collection": "catalog"}),
    ("start_interrogation", {"hypothesis": HYPOTHESIS}),
    ("start_interrogation", {"hypothesis": "customers", "iterationLimit": 5, "database": "shop", "domain": "sales"}),
    ("list_interrogations", {}),
    ("list_interrogations", {"status": "failed", "limit": 1}),
    (
        "mark_answer",
        {"question": "which orders are late?", "why": "It counts cancelled ones.", "tables": ["crm.customer"]},
    ),
]
REFUSED: list[tuple[str, Arguments, str]] = [
    ("ask", {}, "CHAT_QUESTION_INVALID"),
    ("ask", {"question": " "}, "RET_QUERY_INVALID"),
    ("ask", {"question": "customers", "database": "nowhere"}, "RET_DATABASE_NOT_FOUND"),
    ("ask", {"question": "customers", "collection": "nowhere"}, "CHAT_COLLECTION_NOT_FOUND"),
    ("ask", {"question": "customers", "collection": "catalog", "database": "shop"}, "CHAT_QUESTION_INVALID"),
    ("start_interrogation", {"hypothesis": " "}, "INT_HYPOTHESIS_INVALID"),
    ("start_interrogation", {"hypothesis": "x" * 2_001}, "INT_HYPOTHESIS_INVALID"),
    ("start_interrogation", {"hypothesis": "password=hunter2-4711-xyz"}, "INT_HYPOTHESIS_INVALID"),
    ("start_interrogation", {"hypothesis": "customers", "iterationLimit": 4}, "INT_HYPOTHESIS_INVALID"),
    ("stop_interrogation", {"sessionId": MISSING}, "INT_SESSION_NOT_FOUND"),
    ("get_interrogation", {"sessionId": MISSING}, "INT_SESSION_NOT_FOUND"),
    ("get_interrogation", {"sessionId": "../../etc/passwd"}, "INT_SESSION_NOT_FOUND"),
    ("list_interrogations", {"limit": 0}, "INT_HYPOTHESIS_INVALID"),
    ("mark_answer", {"question": "which?", "why": "It is wrong.", "tables": []}, "INT_HYPOTHESIS_INVALID"),
    ("mark_answer", {"question": "which?", "why": "It is wrong.", "tables": ["nowhere"]}, "RET_TABLE_NOT_FOUND"),
    ("close_mark", {"mark": MISSING}, "INT_SESSION_NOT_FOUND"),
]
CALLS = [*ANSWERED, *((tool, arguments) for tool, arguments, _ in REFUSED)]


@pytest.fixture(name="server", scope="module")
def server_fixture(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("project")
    index_project(folder)
    if request.param == "stdio":
        yield stdio_server(folder)
        return
    with Served(folder, "--write") as running:
        yield f"{running.address}/mcp"


@pytest.fixture(name="asker", scope="module")
def asker_fixture(server: Server, request: pytest.FixtureRequest) -> Iterator[ToolClient]:
    with asking(server, request.param) as asker:
        yield asker


def check(answers: list[Any], failed: list[bool]) -> None:
    """Compare the answers to every call with what is expected."""
    schemas = Schemas()
    for (tool, _), answer in zip(CALLS, answers, strict=True):
        schemas.validate(tool, answer)
    assert failed == [False] * len(ANSWERED) + [True] * len(REFUSED)
    question, _, collection, refused, whole, narrow, listed, none, marked = answers[: len(ANSWERED)]
    assert question["statements"][0]["sources"] == collection["statements"][0]["sources"] == ["1"]
    assert (refused["verdict"], refused["law_violated"], refused["statements"]) == ("refused", "scope", [])
    assert (whole["status"], whole["hypothesis"]) == ("completed", HYPOTHESIS)
    # Earlier clients have left theirs.
    assert {session["id"] for session in listed["sessions"]} >= {whole["sessionId"], narrow["sessionId"]}
    assert (listed["total"] >= 2, none["total"]) == (True, 0)
    assert marked["tables"] == ["shop.crm.customer"]
    for (*call, code), answer in zip(REFUSED, answers[len(ANSWERED) :], strict=True):
        assert set(answer) == {"success", "tokens_used", "error"}, call
        assert (answer["success"], answer["error"]["code"]) == (False, code), call


def test_every_tool_is_called_and_refused() -> None:
    # What is answered about one session or mark is in the next test.
    about_one = {"get_interrogation", "stop_interrogation", "close_mark"}
    assert {tool for tool, _ in ANSWERED} | about_one == {tool for tool, *_ in REFUSED}
    assert {tool for tool, *_ in REFUSED} == {spec.name for spec in (*CHAT.tools, *INTERROGATION.tools)}


@over_one_connection
def test_the_python_client_asks_starts_reads_stops_and_lists(asker: ToolClient) -> None:
    results = [asker.call(tool, arguments) for tool, arguments in CALLS]
    for result in results:
        assert json.loads(result.content[0].text) == result.structured_content  # type: ignore[union-attr]
    check([result.structured_content for result in results], [bool(result.is_error) for result in results])

    whole = results[CALLS.index(("start_interrogation", {"hypothesis": HYPOTHESIS}))]
    session_id = whole.structured_content["sessionId"]
    first = asker.call("get_interrogation", {"sessionId": session_id}).structured_content
    assert (
        first["session"]["auditResult"]["consistencyScore"]
        == whole.structured_content["auditResult"]["consistencyScore"]
    )
    assert "qaPairs" not in first["session"]
    assert (len(first["qaPairs"]), first["returned"]) == (min(first["total"], 5), min(first["total"], 5))
    Schemas().validate("get_interrogation", first)
    stopped = asker.call("stop_interrogation", {"sessionId": session_id}).structured_content
    assert (stopped["status"], stopped["stopping"]) == ("completed", False)
    (marked,) = [result for (tool, _), result in zip(CALLS, results, strict=True) if tool == "mark_answer"][:1]
    mark = {"mark": marked.structured_content["mark"]}
    closed = asker.call("close_mark", mark).structured_content
    Schemas().validate("close_mark", closed)
    assert (closed["success"], closed["mark"]) == (True, mark["mark"])
    assert asker.call("close_mark", mark).structured_content["error"]["code"] == "INT_SESSION_NOT_FOUND"


@pytest.mark.verify
@pytest.mark.xdist_group("typescript")
@pytest.mark.parametrize("server", ["stdio", "http"], indirect=True)
@pytest.mark.parametrize("generation", GENERATIONS)
def test_the_typescript_client_asks_starts_and_lists(
    clients: Path, server: Server, tmp_path: Path, generation: str
) -> None:
    command = [server.command, *server.args] if isinstance(server, StdioServerParameters) else [server]
    seen = answers_to(CALLS, clients, generation, command, tmp_path)
    assert all(answer["valid"] == [True, True] for answer in seen["answers"])
    answers = [json.loads(answer["text"]) for answer in seen["answers"]]
    check(answers, [bool(answer["isError"]) for answer in seen["answers"]])
