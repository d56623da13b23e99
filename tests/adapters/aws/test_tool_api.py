"""The tools over HTTPS: what is no answer becomes an error that says what to do."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.remote.signed_api import TOKEN, Api, serving
from tribal.adapters.aws import tool_api
from tribal.adapters.aws.tool_api import ToolApi, token_bearer
from tribal.errors import ConfigurationError, DeploymentRefused, DeploymentUnreachable, TribalError

FOUND = json.dumps({"success": True, "tokens_used": 7})


@pytest.fixture
def api() -> Iterator[Api]:
    with serving("jwt") as served:
        yield served


@pytest.fixture
def pauses() -> list[float]:
    return []


@pytest.fixture
def tools(api: Api, pauses: list[float]) -> ToolApi:
    return ToolApi(f"{api.address}/dev", token_bearer(TOKEN), pause=pauses.append)


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
    api: Api, tools: ToolApi, pauses: list[float], status: int, body: str, kind: type[TribalError], said: str
) -> None:
    api.instead = [(status, body)]
    with pytest.raises(kind) as raised:
        tools.call("list_domains", {})
    assert said in raised.value.message
    assert (len(api.asked), pauses) == (1, [])


@pytest.mark.parametrize(
    ("status", "said"), [(429, "rate-limited"), (502, "failed with 502"), (503, "log"), (504, "(timed out)")]
)
def test_what_may_pass_is_asked_three_times(
    api: Api, tools: ToolApi, pauses: list[float], status: int, said: str
) -> None:
    api.instead = [(status, '{"message": "timed out"}')] * 5
    with pytest.raises(DeploymentUnreachable) as raised:
        tools.call("list_domains", {})
    assert said in raised.value.message
    assert (len(api.asked), pauses) == (3, [0.5, 1.0])


def test_an_answer_after_failures_is_the_answer(api: Api, tools: ToolApi) -> None:
    api.instead = [(429, ""), (504, "gateway"), (200, FOUND)]
    assert json.loads(tools.call("list_domains", {})) == json.loads(FOUND)


def test_a_tool_that_says_why_it_has_no_answer_is_not_asked_again(api: Api, tools: ToolApi) -> None:
    api.instead = [(503, FOUND)]
    assert json.loads(tools.call("search_tables", {"query": "x"})) == json.loads(FOUND)
    assert api.asked == ["/dev/v1/tools/search_tables"]


def test_no_one_is_followed_elsewhere_with_the_token(api: Api, tools: ToolApi) -> None:
    with serving("jwt") as elsewhere:
        api.instead = [(307, f"{elsewhere.address}/dev/v1/tools/list_domains")]
        with pytest.raises(ConfigurationError, match="answered 307"):
            tools.call("list_domains", {})
        assert elsewhere.asked == []


def test_where_no_one_listens_the_address_is_named(pauses: list[float], closed_port: int) -> None:
    address = f"http://127.0.0.1:{closed_port}/dev"
    with pytest.raises(DeploymentUnreachable) as raised:
        ToolApi(address, token_bearer(TOKEN), pause=pauses.append).health()
    assert address in raised.value.message
    assert len(pauses) == 2


def test_an_answer_without_an_end_is_given_up(api: Api, tools: ToolApi, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool_api, "_LARGEST_ANSWER_BYTES", 1000)
    api.instead = [(200, "x" * 5000)] * 3
    with pytest.raises(DeploymentUnreachable, match="more than 1000 bytes"):
        tools.call("list_domains", {})
