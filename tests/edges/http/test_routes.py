"""The routes: each path, status and message, without any server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from tests.fakes import MemoryStore, application_over
from tests.sample_shop.indexed import index_all, shop_tables, write_documentation
from tribal.adapters.sqlite.index import SqliteIndex
from tribal.catalog.scope import Scope
from tribal.edges.http.messages import Request
from tribal.edges.http.routes import LARGEST_BODY_BYTES, respond
from tribal.ports import Application, Caller
from tribal.tools.registry import REGISTRY

CALLER = Caller("test")


@pytest.fixture(name="shop", scope="module")
def shop_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Application]:
    store, index = MemoryStore(), SqliteIndex(tmp_path_factory.mktemp("http") / "index.db")
    write_documentation(store, shop_tables())
    index_all(store, index)
    yield application_over(index)
    index.close()


def asked(app: Application, method: str, path: str, body: bytes = b"", caller: Caller = CALLER) -> tuple[int, Any]:
    response = respond(Request(method, path, caller, body), app)
    return response.status, json.loads(response.body)


def test_health_tells_whether_there_is_an_index(shop: Application, tmp_path: Any) -> None:
    status, told = asked(shop, "GET", "/health")
    assert (status, told["ready"]) == (200, True)
    assert told["indexed_at"].startswith("2026-11-21")
    assert len(told["manifest_hash"]) == 64
    missing = asked(application_over(SqliteIndex(tmp_path / "none.db")), "GET", "/health")
    assert missing == (200, {"ready": False, "indexed_at": None, "manifest_hash": None})


def test_every_tool_is_listed_with_its_schemas(shop: Application) -> None:
    status, told = asked(shop, "GET", "/v1/tools")
    assert status == 200
    assert [tool["name"] for tool in told["tools"]] == list(REGISTRY.tools)
    for tool in told["tools"]:
        assert set(tool) == {"name", "title", "description", "input_schema", "output_schema", "annotations"}
        assert tool["annotations"]["readOnlyHint"] is True


def test_an_answer_keeps_to_the_limit_and_one_that_cannot_says_so(shop: Application) -> None:
    def table(tokens: int) -> tuple[int, Any]:
        limited = replace(shop, answer_tokens=tokens)
        return asked(limited, "POST", "/v1/tools/get_table_schema", b'{"table": "shop.crm.customer"}')

    status, page = table(300)
    assert (status, page["truncated"], page["tokens_used"] <= 300) == (200, True, True)
    status, refused = table(20)
    assert (status, refused["error"]["code"]) == (422, "RET_BUDGET_EXCEEDED")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/"),
        ("GET", "/nope"),
        ("POST", "/health"),
        ("HEAD", "/health"),
        ("DELETE", "/v1/tools"),
        ("GET", "/v1/tools/list_domains"),
        ("POST", "/v1/tools/"),
        ("POST", "/v1/tools/list_domains/more"),
        ("POST", "//v1/tools/list_domains"),
    ],
)
def test_any_other_path_or_method_is_not_found(shop: Application, method: str, path: str) -> None:
    assert asked(shop, method, path, b"{}") == (404, {"statusCode": 404, "message": "Not found"})


@pytest.mark.parametrize("path", ["/health/", "/v1/tools/", "/v1/tools//"])
def test_a_slash_at_the_end_does_not_matter(shop: Application, path: str) -> None:
    assert asked(shop, "GET", path) == asked(shop, "GET", path.rstrip("/"))


def test_an_unknown_tool_is_not_found_and_those_that_there_are_are_named(shop: Application) -> None:
    status, told = asked(shop, "POST", "/v1/tools/drop_tables", b"no JSON")
    assert status == 404
    assert told == {"error": f"there is no tool 'drop_tables'; there is {', '.join(sorted(REGISTRY.tools))}"}


@pytest.mark.parametrize("body", [b"[1]", b"{", b"[" * 20_000, b'"x"', b"\xff{", "\ufeff{}".encode("utf-16")])
def test_a_body_that_is_no_object_is_refused(shop: Application, body: bytes) -> None:
    status, told = asked(shop, "POST", "/v1/tools/list_domains", body)
    assert status == 400
    assert told["error"].startswith("the body is no JSON object")


def test_a_body_has_a_size_that_it_may_not_exceed(shop: Application) -> None:
    body = json.dumps({"query": "x"}).encode()
    padded = body + b" " * (LARGEST_BODY_BYTES - len(body))
    assert asked(shop, "POST", "/v1/tools/search_tables", padded)[0] == 200
    status, told = asked(shop, "POST", "/v1/tools/search_tables", padded + b" ")
    assert status == 413
    assert str(LARGEST_BODY_BYTES) in told["error"]


@pytest.mark.parametrize(
    ("tool", "body", "status", "code"),
    [
        ("search_tables", b"", 400, "RET_QUERY_INVALID"),
        ("search_tables", b'{"query": "\\ud800"}', 400, "RET_QUERY_INVALID"),
        ("search_tables", b'{"query": "\xed\xa0\x80"}', 400, "RET_QUERY_INVALID"),
        ("get_table_schema", b'{"table": "nope"}', 404, "RET_TABLE_NOT_FOUND"),
        ("list_domains", b'{"database": "nowhere"}', 404, "RET_DATABASE_NOT_FOUND"),
    ],
)
def test_what_went_wrong_is_in_the_answer_and_in_the_status(
    shop: Application, tool: str, body: bytes, status: int, code: str
) -> None:
    response = respond(Request("POST", f"/v1/tools/{tool}", CALLER, body), shop)
    assert (response.status, response.tool_failed) == (status, True)
    assert json.loads(response.body)["error"]["code"] == code


def test_an_answer_is_the_output_of_the_tool_within_what_the_caller_may_see(shop: Application) -> None:
    response = respond(Request("POST", "/v1/tools/list_domains", CALLER), shop)
    assert (response.status, response.content_type, response.tool_failed) == (200, "application/json", False)
    model = REGISTRY.tools["list_domains"].output_model
    assert model.from_json(response.body).to_compact_json() == response.body
    web = Caller("test", Scope(databases=frozenset({"web"})))
    _, told = asked(shop, "POST", "/v1/tools/list_domains", b"{}", web)
    assert {name for domain in told["domains"] for name in domain["databases"]} == {"web"}


def test_who_lacks_the_right_to_read_is_forbidden_to(shop: Application) -> None:
    status, told = asked(shop, "POST", "/v1/tools/list_domains", b"{}", Caller("test", rights=frozenset()))
    assert (status, told["error"]["code"]) == (403, "RET_ACCESS_DENIED")


def test_nothing_was_called_where_no_tool_was(shop: Application) -> None:
    assert respond(Request("GET", "/health", CALLER), shop).tool_failed is None
    assert respond(Request("POST", "/v1/tools/nope", CALLER), shop).tool_failed is None
