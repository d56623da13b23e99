"""`tribal serve` from start to end: where it is reached, what it sees, and how it stops."""

from __future__ import annotations

import json
import signal
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.cases import each_case
from tests.edges.cli.tribal_command import tribal
from tests.edges.http.served import QUESTION, TOOL, Served, read_answer
from tests.edges.mcp.asked import Schemas, index_project
from tests.sample_shop.indexed import shop_tables
from tests.waiting import LONGEST_SECONDS, wait_until
from tribal.identity.locations import INDEX_FILE
from tribal.tools.registry import REGISTRY

# Starts `tribal serve` for nearly every test.
pytestmark = pytest.mark.slow


@pytest.fixture(name="project", scope="module")
def project_fixture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    index_project(folder)
    return folder


@pytest.fixture(name="server", scope="module")
def server_fixture(project: Path) -> Iterator[Served]:
    with Served(project) as server:
        yield server


def test_it_says_where_it_is_and_answers_there(server: Served) -> None:
    assert server.address.startswith("http://127.0.0.1:")
    assert server.client.get("/health").json()["ready"] is True
    answer = server.ask()
    assert answer.status_code == 200
    Schemas().check("search_tables", answer.json())
    assert "shop.crm.customer" in {table["name"] for table in answer.json()["tables"]}
    assert [tool["name"] for tool in server.client.get("/v1/tools").json()["tools"]] == list(REGISTRY.tools)


def test_it_offers_the_tools_that_it_was_told_to(project: Path) -> None:
    with Served(project, "--tools", "list_domains", "--tools", "search_tables") as server:
        listed = [tool["name"] for tool in server.client.get("/v1/tools").json()["tools"]]
        assert listed == ["search_tables", "list_domains"]
        assert server.ask(tool="get_table_schema", table="customer").status_code == 404
    refused = tribal("serve", "--tools", "no_such", cwd=project)
    assert (refused.returncode, "unknown tool 'no_such'" in refused.stderr) == (2, True)


def test_a_port_that_is_taken_is_reported_with_what_to_do(server: Served, project: Path) -> None:
    refused = tribal("serve", "--port", server.port, cwd=project)
    assert refused.returncode == 2
    assert f"port {server.port} of 127.0.0.1 cannot be used (Address already in use)" in refused.stderr
    assert "--port" in refused.stderr


def test_a_host_that_is_none_of_this_machine_is_reported(project: Path) -> None:
    refused = tribal("serve", "--host", "no.such.host.invalid", "--require-token", cwd=project)
    assert refused.returncode == 2
    assert "token" in refused.stderr
    tribal("token", "create", "one", "--scope", "shop", cwd=project)
    refused = tribal("serve", "--host", "no.such.host.invalid", cwd=project)
    tribal("token", "revoke", "one", cwd=project)
    assert (refused.returncode, "is not an address of this machine" in refused.stderr) == (2, True)


@each_case(("number", "code", "workers"), [(signal.SIGINT, 130, 1), (signal.SIGTERM, 0, 2)])
def test_a_request_in_progress_is_answered_before_the_server_stops(
    project: Path, number: int, code: int, workers: int
) -> None:
    with Served(project, "--workers", workers) as server, server.connect() as line:
        body = json.dumps(QUESTION).encode()
        head = f"POST {TOOL} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\nExpect: 100-continue\r\n\r\n"
        line.sendall(head.encode())
        assert line.recv(1_000).startswith(b"HTTP/1.1 100")  # the request is being read
        server.process.send_signal(number)
        # It stops listening before it drains; of several processes each does so for itself.
        if workers == 1:
            wait_until(lambda: not _accepts(server.port))
        line.sendall(body)
        answer = read_answer(line)
        assert (answer.status, json.loads(answer.body)["success"]) == (200, True)
        assert server.process.wait(LONGEST_SECONDS) == code


def _accepts(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=30).close()
    except OSError:
        return False
    return True


def test_a_server_that_was_started_before_the_first_run_says_so_and_then_answers(tmp_path: Path) -> None:
    with Served(tmp_path) as server:
        assert server.client.get("/health").json()["ready"] is False
        early = server.ask()
        assert (early.status_code, early.json()["error"]["code"]) == (503, "RET_INDEX_NOT_READY")
        index_project(tmp_path)
        assert server.ask().status_code == 200
        (tmp_path / INDEX_FILE).unlink()
        assert server.ask().status_code == 503


def test_new_indexes_are_seen_at_once_and_no_one_is_answered_with_an_error_meanwhile(tmp_path: Path) -> None:
    few = [table for table in shop_tables() if table.database == "web"]
    index_project(tmp_path)
    with Served(tmp_path) as server, ThreadPoolExecutor(2) as pool:
        stop = False

        def ask_on() -> list[tuple[int, int]]:
            seen = []
            while not stop:
                answer = server.ask()
                seen.append((answer.status_code, len(answer.json()["tables"])))
            return seen

        asking = [pool.submit(ask_on) for _ in range(2)]
        try:
            for number in range(4):
                index_project(tmp_path, few if number % 2 == 0 else None)
                databases = {table["database"] for table in server.ask().json()["tables"]}
                assert databases == ({"web"} if number % 2 == 0 else {"web", "shop"})
        finally:
            stop = True
        answers = [answer for one in asking for answer in one.result()]
    assert {status for status, _ in answers} == {200}
    assert 0 not in {tables for _, tables in answers}


def test_several_processes_answer_and_their_figures_are_reported_together(project: Path) -> None:
    with Served(project, "--workers", 2) as server:
        asked = 20
        for _ in range(asked):
            # Each on a connection of its own: the processes share the port, not the connections.
            server.client.post(TOOL, json=QUESTION, headers={"connection": "close"}).raise_for_status()
        # A request is counted once it has been answered, maybe a moment after its client knows.
        wait_until(lambda: _counted(server) >= asked)
        assert _counted(server) == asked


def _counted(server: Served) -> float:
    series = 'tribal_requests_total{route="/v1/tools/{name}",status="200",tool="search_tables"}'
    told = server.client.get("/metrics").text
    return sum(float(line.split()[-1]) for line in told.splitlines() if line.startswith(series))
