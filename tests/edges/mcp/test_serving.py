"""How the server lives: with an index that comes and goes, with clients that misbehave, and to a clean end."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cases import each_case
from tests.edges.cli.tribal_command import TRIBAL, tribal
from tests.edges.mcp.asked import Schemas, index_project, server_command, server_environment
from tests.edges.mcp.raw_session import (
    HELLO,
    INITIALIZED,
    RawSession,
    call_message,
    hear_interrupts,
    run_server,
    served_in_process,
)
from tests.fakes import application_over
from tests.sample_shop.indexed import shop_tables, table_document
from tribal.adapters.sqlite.index import SqliteIndex
from tribal.identity.locations import INDEX_FILE

PARSE_ERROR, INVALID_REQUEST, INVALID_PARAMS = -32700, -32600, -32602


@pytest.fixture(name="project", scope="module")
def project_fixture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    index_project(folder)
    return folder


@pytest.fixture(name="shared", scope="module")
def shared_fixture(project: Path) -> Iterator[RawSession]:
    with RawSession(project) as session:
        yield session


def names(answer: dict[str, Any]) -> set[str]:
    return {table["name"] for table in answer["tables"]}


def databases(answer: dict[str, Any]) -> set[str]:
    return {table["database"] for table in answer["tables"]}


def test_a_server_that_was_started_before_the_first_run_says_so_and_then_answers(tmp_path: Path) -> None:
    with RawSession(tmp_path) as session:
        missing = session.call("search_tables", {"query": "customer"})["result"]
        Schemas().check("search_tables", missing["structuredContent"])
        assert missing["isError"] is True
        assert missing["structuredContent"]["error"]["code"] == "RET_INDEX_NOT_READY"
        assert missing["structuredContent"]["error"]["recoverable"] is True
        assert "`tribal run`" in missing["structuredContent"]["error"]["message"]
        index_project(tmp_path)
        assert "shop.crm.customer" in names(session.answer("search_tables", {"query": "customer"}))


def test_the_next_call_sees_what_a_run_has_written_meanwhile(tmp_path: Path) -> None:
    few = [table for table in shop_tables() if table.database == "web"]
    index_project(tmp_path, few)
    with RawSession(tmp_path) as session:
        assert databases(session.answer("search_tables", {"query": "customer"})) == {"web"}
        index_project(tmp_path)
        assert "shop.crm.customer" in names(session.answer("search_tables", {"query": "customer"}))
        (tmp_path / INDEX_FILE).unlink()
        assert session.answer("list_domains", {})["error"]["code"] == "RET_INDEX_NOT_READY"
        index_project(tmp_path, few)
        assert databases(session.answer("search_tables", {"query": "customer"})) == {"web"}


@each_case("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_clients_of_older_versions_are_served_and_find_the_answer_as_text_too(project: Path, version: str) -> None:
    index = SqliteIndex(project / INDEX_FILE)
    with served_in_process(application_over(index), version) as wire:
        result = wire.call("list_domains", {})["result"]
        answer = json.loads(result["content"][0]["text"])
        Schemas().check("list_domains", answer)
        assert answer["domains"] != []
        assert result.get("structuredContent", answer) == answer
    index.close()


def test_answers_keep_to_the_limit_of_the_project(tmp_path: Path) -> None:
    columns = " ".join(f"column_{number}" for number in range(20))
    index_project(tmp_path, [table_document("shop.s.wide", columns, domain="d")])
    (tmp_path / "databases.yaml").write_text("databases: [{name: shop}]\nlimits: {answer_tokens: 500}\n")
    with RawSession(tmp_path) as session:
        page = session.answer("get_table_schema", {"table": "wide"})
        assert (page["truncated"], page["tokens_used"] <= 500) == (True, True)
        rest = session.answer("get_table_schema", {"table": "wide", "cursor": page["next_cursor"]})
        assert page["returned"] + rest["returned"] == page["total"]


def test_a_scope_bounds_every_answer(project: Path) -> None:
    with RawSession(project, "--schema", "shop.stock") as session:
        assert session.answer("get_table_schema", {"table": "web.public.visit"})["error"]["code"] == (
            "RET_TABLE_NOT_FOUND"
        )
        assert names(session.answer("search_tables", {"query": "customer product order"})) <= {
            table.name for table in shop_tables() if (table.database, table.schema_) == ("shop", "stock")
        }
    with RawSession(project, "--database", "web") as session:
        assert session.answer("list_domains", {})["domains"] != []
        assert session.answer("list_domains", {"database": "shop"})["error"]["code"] == "RET_DATABASE_NOT_FOUND"


def test_tools_that_are_named_are_the_only_ones_that_are_offered(project: Path) -> None:
    with RawSession(project, "--tools", "list_domains", "--tools", "search_tables") as session:
        session.send({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}})
        assert [tool["name"] for tool in session.receive()["result"]["tools"]] == ["search_tables", "list_domains"]
        assert session.call("get_join_path", {})["error"]["code"] == INVALID_PARAMS


def test_a_tool_that_is_none_is_refused_at_the_start_with_those_that_there_are(tmp_path: Path) -> None:
    ended = tribal("mcp", "--tools", "drop_tables", cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "get_domain_overview" in ended.stderr


@each_case("schema", ["shop", "a.b.c", "shop.", 'shop."x'])
def test_a_schema_that_is_none_is_refused_at_the_start(schema: str, tmp_path: Path) -> None:
    ended = tribal("mcp", "--schema", schema, cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "DATABASE.SCHEMA" in ended.stderr


def test_a_schema_of_a_database_that_is_left_out_is_refused_instead_of_showing_nothing(tmp_path: Path) -> None:
    ended = tribal("mcp", "--database", "web", "--schema", "shop.crm", cwd=tmp_path)
    assert ended.returncode == 2
    assert "--database excludes" in ended.stderr


@each_case(
    ("line", "identity", "code"),
    [
        (b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"\\ud800"}}', 7, PARSE_ERROR),
        (b'{"method":"tools/call","params":{"id":1,"x":"\\udc00"},"jsonrpc":"2.0","id":8}', 8, PARSE_ERROR),
        (b'{"jsonrpc":"2.0","id":"nine","method":"x","params":' + b"[" * 100_000, "nine", PARSE_ERROR),
        (b'{"jsonrpc":"2.0","id":10,"method":"x","params":"\xff\xfe"}', 10, PARSE_ERROR),
        (b'{"jsonrpc":"2.0","id":11,"method":"x","params":[1]}', 11, INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":12,"method":{},"params":{}}', 12, INVALID_REQUEST),
        (b"hello", None, PARSE_ERROR),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', None, INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":13,"method":"x","params":"' + b"y" * 5_000_000 + b'"}', 13, INVALID_REQUEST),
        (b'{"method":"x","params":"' + b'\\"' * 3_000_000 + b'","jsonrpc":"2.0","id":14}', 14, INVALID_REQUEST),
        (b'{"method":"x","params":"' + b"y" * 5_000_000, None, INVALID_REQUEST),
    ],
    ids=["half", "half-id-last", "deep", "bytes", "params", "method", "text", "batch", "long", "long-id-last", "cut"],
)
def test_a_line_that_cannot_be_read_is_refused_under_its_own_id_and_the_session_goes_on(
    shared: RawSession, line: bytes, identity: object, code: int
) -> None:
    shared.send_line(b"  ")
    shared.send_line(line)
    refusal = shared.receive()
    assert (refusal["id"], refusal["error"]["code"]) == (identity, code)
    assert shared.answer("list_domains", {})["success"] is True


@each_case("identity", ["null", "1.5", "1.0", "1e3", "true", "{}", "[]", '["a"]'])
def test_a_request_whose_id_is_no_string_and_no_integer_is_refused_without_an_id(
    shared: RawSession, identity: str
) -> None:
    for line in (
        f'{{"jsonrpc":"2.0","id":{identity},"method":"tools/list"}}',
        f'{{"jsonrpc":"2.0","method":"ping","id":{identity}}}',
    ):
        shared.send_line(line.encode())
        answer = shared.receive()
        assert (answer["id"], answer["error"]["code"]) == (None, INVALID_REQUEST)
    assert "result" in shared.call("list_domains", {})


@each_case("outcome", [{"result": {}}, {"error": {"code": -1, "message": "no"}}])
def test_an_answer_to_nothing_that_was_asked_is_passed_over(shared: RawSession, outcome: dict[str, Any]) -> None:
    shared.send({"jsonrpc": "2.0", "id": 99, **outcome})
    assert shared.answer("list_domains", {})["success"] is True


def test_arguments_that_are_no_object_are_refused(shared: RawSession) -> None:
    for tool, arguments in [("list_domains", [1]), ("list_domains", "x"), (5, {}), (None, None)]:
        assert shared.call(tool, arguments)["error"]["code"] == INVALID_PARAMS
    shared.send({"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {"cursor": "x"}})
    assert shared.receive()["error"]["code"] == INVALID_PARAMS


def test_everything_that_was_asked_is_answered_before_the_end_of_the_input_ends_the_server(project: Path) -> None:
    calls = [call_message(number, "search_tables", {"query": "customer orders"}) for number in range(200)]
    ended = run_server(project, [HELLO, INITIALIZED, *calls])
    answers = [json.loads(line) for line in ended.stdout.splitlines()]
    assert {answer["id"] for answer in answers} == {"hello", *range(200)}
    assert all("error" not in answer for answer in answers)
    assert (ended.returncode, ended.stderr) == (0, b"")


def test_a_cancelled_call_holds_nothing_up(project: Path) -> None:
    cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    ended = run_server(
        project,
        [HELLO, INITIALIZED, call_message(1, "list_domains", {}), cancelled, call_message(2, "list_domains", {})],
    )
    assert ended.returncode == 0
    assert json.loads(ended.stdout.splitlines()[-1])["id"] in (1, 2)


@each_case("greeted", [False, True])
def test_a_closed_input_ends_the_server_without_a_word(project: Path, greeted: bool) -> None:
    ended = run_server(project, [HELLO, INITIALIZED] if greeted else [])
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert len(ended.stdout.splitlines()) == int(greeted)


def test_ctrl_c_ends_a_waiting_server_at_once_and_without_a_traceback(project: Path) -> None:
    with RawSession(project) as session:
        assert session.answer("list_domains", {})["success"] is True
        session.process.send_signal(signal.SIGINT)
        assert session.process.wait(timeout=60) == 130
        assert session.process.stderr is not None
        assert session.process.stderr.read() == b""


@each_case("module", ["tribal.edges.cli.app", "typer", "tribal.tools.registry"])
def test_ctrl_c_while_the_command_is_loaded_ends_it_without_a_traceback(module: str, tmp_path: Path) -> None:
    program = f"""
import os, signal, sys
class Interrupting:
    def find_spec(self, name, *_):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupting())
sys.argv = ["tribal", "mcp"]
from tribal.edges.cli.start import main
main()
"""
    ran = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, check=False, preexec_fn=hear_interrupts
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (130, b"", b"")


def test_a_client_that_went_away_ends_the_server_quietly(project: Path) -> None:
    with RawSession(project) as session:
        assert session.process.stdout is not None
        session.process.stdout.close()
        session.send(call_message(1, "list_domains", {}))
        assert session.process.wait(timeout=60) == 0
        assert session.process.stderr is not None
        assert session.process.stderr.read() == b""


def test_a_server_without_standard_streams_says_what_it_needs(tmp_path: Path) -> None:
    ended = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", *server_command(tmp_path)],
        env=server_environment(),
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        timeout=60,
    )
    assert ended.returncode == 2
    assert "MCP needs both" in ended.stderr


def test_on_a_terminal_a_person_is_shown_what_this_is(project: Path) -> None:
    ours, theirs = pty.openpty()
    server = subprocess.Popen(
        server_command(project),
        env=server_environment(),
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=hear_interrupts,
    )
    os.close(theirs)
    assert server.stderr is not None
    assert b"waiting for a client" in server.stderr.readline()
    assert b"tribal mcp --json" in server.stderr.readline()
    server.send_signal(signal.SIGINT)
    assert server.wait(timeout=60) == 130
    os.close(ours)


def test_the_settings_for_clients_hold_absolute_paths_and_start_this_server(project: Path, tmp_path: Path) -> None:
    printed = tribal("mcp", "--json", "-p", os.path.relpath(project, tmp_path), "--schema", "shop.crm", cwd=tmp_path)
    (entry,) = json.loads(printed.stdout)["mcpServers"].values()
    assert entry == {"command": str(TRIBAL), "args": ["mcp", "--project", str(project), "--schema", "shop.crm"]}
    ended = subprocess.run(
        [entry["command"], *entry["args"]],
        cwd="/",
        env=server_environment(),
        input=json.dumps(HELLO).encode(),
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert json.loads(ended.stdout)["result"]["serverInfo"]["name"] == "tribal-knowledge"


def test_each_client_is_shown_the_server_in_its_own_form(project: Path) -> None:
    start = {"command": str(TRIBAL), "args": ["mcp", "--project", str(project)]}
    address = "https://tribal.example.com/mcp"

    def told(*options: str) -> Any:
        return json.loads(tribal("mcp", *options, cwd=project).stdout)

    assert told("--client", "claude") == {"type": "stdio", **start}
    assert told("--json", "--client", "vscode") == {"name": "tribal-knowledge", "type": "stdio", **start}
    for client in ("cursor", "desktop"):
        assert told("--client", client) == told("--json") == {"mcpServers": {"tribal-knowledge": start}}
    assert told("--client", "claude", "--url", address) == {"type": "http", "url": address}
    assert told("--client", "vscode", "--url", address)["url"] == address
    assert told("--client", "cursor", "--url", address) == {"mcpServers": {"tribal-knowledge": {"url": address}}}
    refused = tribal("mcp", "--client", "desktop", "--url", address, cwd=project)
    assert (refused.returncode, "Connectors" in refused.stderr) == (2, True)
