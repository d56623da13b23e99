"""The API over HTTPS: what is no answer becomes an error that says what to do, and only reading is repeated."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.remote.signed_api import TOKEN, Api, serving
from tribal.adapters.aws import environment_api
from tribal.adapters.aws.environment_api import EnvironmentApi, token_bearer
from tribal.edges.cli.profile.client import Client
from tribal.errors import ConfigurationError, DeploymentRefused, DeploymentUnreachable, TribalError

FOUND = json.dumps({"success": True})


@pytest.fixture
def api() -> Iterator[Api]:
    with serving("jwt") as served:
        yield served


class HangingUp:
    """A server that closes each connection after it has read the request."""

    def __init__(self) -> None:
        self.requests = 0
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                line, _ = self._socket.accept()
                with line:
                    self.requests += bool(line.recv(65_536))

    def close(self) -> None:
        """Stop listening."""
        self._socket.close()


@pytest.fixture
def hanging_up() -> Iterator[HangingUp]:
    server = HangingUp()
    yield server
    server.close()


@pytest.fixture
def pauses() -> list[float]:
    return []


@pytest.fixture
def there(api: Api, pauses: list[float]) -> EnvironmentApi:
    return EnvironmentApi(f"{api.address}/dev", token_bearer(TOKEN), pause=pauses.append)


@pytest.mark.parametrize(
    ("status", "body", "kind", "said"),
    [
        (403, '{"message": "Forbidden"}', DeploymentRefused, "execute-api:Invoke"),
        (403, '{"Message": "User: x is not authorized"}', DeploymentRefused, "User: x is not authorized"),
        (401, '{"message": "Unauthorized"}', DeploymentRefused, "TRIBAL_TOKEN"),
        (404, '{"message": "Not Found"}', ConfigurationError, "has no tool 'list_domains'"),
        (413, '{"error": "the body is larger"}', ConfigurationError, "answered 413 (the body is larger)"),
        (200, "<html>", ConfigurationError, "not an API of Tribal Knowledge"),
        (200, "[1]", ConfigurationError, "correct the profile's api"),
    ],
)
def test_what_will_not_pass_is_asked_once(
    api: Api, there: EnvironmentApi, pauses: list[float], status: int, body: str, kind: type[TribalError], said: str
) -> None:
    api.instead = [(status, body)]
    with pytest.raises(kind) as raised:
        there.call("list_domains", {}, repeats=True)
    assert said in raised.value.message
    assert (len(api.asked), pauses) == (1, [])


@pytest.mark.parametrize(
    ("status", "said"), [(429, "rate-limited"), (502, "failed with 502"), (503, "log"), (504, "(timed out)")]
)
def test_what_may_pass_is_asked_three_times(
    api: Api, there: EnvironmentApi, pauses: list[float], status: int, said: str
) -> None:
    api.instead = [(status, '{"message": "timed out"}')] * 5
    with pytest.raises(DeploymentUnreachable) as raised:
        there.call("list_domains", {}, repeats=True)
    assert said in raised.value.message
    assert (len(api.asked), pauses) == (3, [0.5, 1.0])


def test_an_answer_after_failures_is_the_answer(api: Api, there: EnvironmentApi) -> None:
    api.instead = [(429, ""), (504, "gateway"), (200, FOUND)]
    assert json.loads(there.call("list_domains", {}, repeats=True)) == json.loads(FOUND)


def test_a_tool_that_says_why_it_has_no_answer_is_not_asked_again(api: Api, there: EnvironmentApi) -> None:
    api.instead = [(503, FOUND)]
    assert json.loads(there.call("search_tables", {"query": "x"}, repeats=True)) == json.loads(FOUND)
    assert api.asked == ["/dev/v1/tools/search_tables"]


def test_no_one_is_followed_elsewhere_with_the_token(api: Api, there: EnvironmentApi) -> None:
    with serving("jwt") as elsewhere:
        api.instead = [(307, f"{elsewhere.address}/dev/v1/tools/list_domains")]
        with pytest.raises(ConfigurationError, match="answered 307"):
            there.call("list_domains", {}, repeats=True)
        assert elsewhere.asked == []


def test_where_no_one_listens_the_address_is_named(pauses: list[float], closed_port: int) -> None:
    address = f"http://127.0.0.1:{closed_port}/dev"
    with pytest.raises(DeploymentUnreachable) as raised:
        EnvironmentApi(address, token_bearer(TOKEN), pause=pauses.append).health()
    assert address in raised.value.message
    assert len(pauses) == 2


def test_an_answer_without_an_end_is_given_up(api: Api, there: EnvironmentApi, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment_api, "_LARGEST_ANSWER_BYTES", 1000)
    api.instead = [(200, "x" * 5000)] * 3
    with pytest.raises(DeploymentUnreachable, match="more than 1000 bytes"):
        there.call("list_domains", {}, repeats=True)


@pytest.mark.parametrize("status", [500, 502, 504])
@pytest.mark.parametrize(
    "name", ["start_interrogation", "prepare_contribution", "ask", "memory_delete", "stop_interrogation"]
)
def test_a_lost_answer_of_a_call_that_changes_or_costs_something_is_not_repeated(
    api: Api, there: EnvironmentApi, pauses: list[float], name: str, status: int
) -> None:
    api.instead = [(status, '{"message": "Endpoint request timed out"}')] * 3
    with pytest.raises(DeploymentUnreachable, match="may have been carried out: look before you repeat it"):
        Client(there).call(name, {})
    assert (len(api.asked), pauses) == (1, [])


def test_a_connection_that_was_refused_has_carried_nothing_out() -> None:
    with pytest.raises(DeploymentUnreachable, match=r"refused; check the network, and the address$"):
        Client(EnvironmentApi("http://127.0.0.1:1", token_bearer(TOKEN))).call("ask", {})


@pytest.mark.parametrize("tool", ["list_contributions", "knowledge_query", "search_tables"])
def test_a_tool_that_an_environment_lacks_names_what_to_configure(api: Api, there: EnvironmentApi, tool: str) -> None:
    error = {"code": "HTTP_NOT_FOUND", "message": "unknown tool", "severity": "error", "recoverable": False}
    error["timestamp"] = "2026-11-30T05:23:20.000Z"
    api.instead = [(404, json.dumps({"success": False, "error": error}))]
    with pytest.raises(ConfigurationError, match=f"does not offer {tool}: configure `"):
        Client(there).call(tool, {})


@pytest.mark.parametrize("name", ["memory_add", "sync_now", "memory_search", "get_interrogation"])
def test_a_call_that_changes_nothing_more_is_repeated(api: Api, there: EnvironmentApi, name: str) -> None:
    api.instead = [(504, ""), (200, FOUND)]
    with pytest.raises(DeploymentUnreachable, match="different versions"):
        Client(there).call(name, {})
    assert len(api.asked) == 2


def test_a_request_that_was_throttled_before_it_arrived_is_always_repeated(api: Api, there: EnvironmentApi) -> None:
    api.instead = [(429, '{"message": "Too Many Requests"}'), (202, '{"job_id": "j"}')]
    assert there.send("POST", "/api/admin/upload", {"filename": "a.pdf"}) == b'{"job_id": "j"}'


def test_writing_requests_of_routes_are_sent_once_and_reading_ones_again(
    api: Api, there: EnvironmentApi, tmp_path: Path
) -> None:
    (tmp_path / "a.md").write_text("# A")
    sends: list[Callable[[], object]] = [
        lambda: there.send("POST", "/v1/contributions/1/approval", {"sha256": "0"}),
        lambda: there.send("DELETE", "/api/admin/collections/a/sources/b"),
        lambda: there.send_form("/api/admin/upload", {}, tmp_path / "a.md"),
        lambda: list(there.events("/api/chat/stream", {"messages": []})),
    ]
    for send in sends:
        api.asked, api.instead = [], [(504, '{"message": "timed out"}')]
        with pytest.raises(DeploymentUnreachable, match="look before you repeat it"):
            send()
        assert len(api.asked) == 1
    api.asked, api.instead = [], [(504, ""), (200, '{"jobs": []}')]
    assert there.send("GET", "/api/admin/etl/jobs?limit=3") == b'{"jobs": []}'


def test_an_answer_that_never_comes_is_not_asked_for_twice(pauses: list[float], hanging_up: HangingUp) -> None:
    there = EnvironmentApi(hanging_up.address, token_bearer(TOKEN), pause=pauses.append)
    with pytest.raises(DeploymentUnreachable, match=r"did not respond.*look before you repeat it"):
        Client(there).call("start_interrogation", {"hypothesis": "x"})
    assert (hanging_up.requests, pauses) == (1, [])


def test_an_error_that_the_environment_reports_itself_is_its_answer(api: Api, there: EnvironmentApi) -> None:
    reported = '{"success": false, "error": {"code": "UPL_JOB_NOT_FOUND", "message": "there is no upload"}}'
    api.instead = [(404, reported)] * 2
    assert there.send("GET", "/api/admin/etl/status/x").decode() == reported
    assert [each.decode() for each in there.events("/api/chat/stream", {})] == [reported]


def test_a_route_that_the_environment_lacks_is_named(api: Api, there: EnvironmentApi) -> None:
    api.instead = [(403, '{"message": "Missing Authentication Token"}')]
    with pytest.raises(ConfigurationError, match="has no route GET /api/admin/etl/jobs; configure"):
        there.send("GET", "/api/admin/etl/jobs?limit=20")


def test_a_store_that_refuses_a_file_is_quoted(api: Api, there: EnvironmentApi, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A")
    api.instead = [(403, "<Code>AccessDenied</Code>")]
    with pytest.raises(DeploymentUnreachable, match=r"answered 403 \(<Code>AccessDenied</Code>\)"):
        there.store_file(f"{api.address}/bucket", {"key": "k"}, tmp_path / "a.md")
    api.instead = [(204, "")]
    there.store_file(f"{api.address}/bucket", {"key": "k"}, tmp_path / "a.md")
