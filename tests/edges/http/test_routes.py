"""The routes: each path, status and message, without any server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.cases import each_case
from tests.fakes import MemoryStore, application_over
from tests.sample_shop.indexed import index_all, shop_tables, write_documentation
from tribal.adapters.sqlite.index import SqliteIndex
from tribal.edges.http.messages import Request, Response
from tribal.edges.http.routes import respond
from tribal.edges.http.routing import LARGEST_BODY_BYTES, Call, Route
from tribal.identity.scope import Scope
from tribal.ports import Application, Caller
from tribal.tools.registry import REGISTRY
from tribal_contracts import AgentError

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
        assert tool["annotations"]["readOnlyHint"] is REGISTRY.tools[tool["name"]].effect.read_only


def test_an_answer_keeps_to_the_limit_and_one_that_cannot_says_so(shop: Application) -> None:
    def table(tokens: int) -> tuple[int, Any]:
        limited = replace(shop, answer_tokens=tokens)
        return asked(limited, "POST", "/v1/tools/get_table_schema", b'{"table": "shop.crm.customer"}')

    status, page = table(300)
    assert (status, page["truncated"], page["tokens_used"] <= 300) == (200, True, True)
    status, refused = table(20)
    assert (status, refused["error"]["code"]) == (422, "RET_BUDGET_EXCEEDED")


def refused(response: Response) -> tuple[int, str]:
    told = json.loads(response.body)
    assert set(told) == {"success", "error"}
    assert AgentError.model_validate(told["error"]).code == told["error"]["code"]
    assert told["success"] is False
    return response.status, told["error"]["code"]


@each_case(
    ("method", "path"),
    [
        ("GET", "/nope"),
        ("POST", "/v1/nope"),
        ("POST", "/v1/tools/list_domains/more"),
        ("POST", "//v1/tools/list_domains"),
    ],
)
def test_any_other_path_is_not_found(shop: Application, method: str, path: str) -> None:
    assert refused(respond(Request(method, path, CALLER, b"{}"), shop)) == (404, "HTTP_NOT_FOUND")


@each_case(
    ("method", "path", "allowed"),
    [
        ("POST", "/health", "GET, HEAD"),
        ("DELETE", "/v1/tools", "GET, HEAD"),
        ("POST", "/v1/tools/", "GET, HEAD"),
        ("GET", "/v1/tools/list_domains", "POST"),
        ("HEAD", "/v1/tools/list_domains", "POST"),
        ("BREW", "/v1/tools/list_domains", "POST"),
    ],
)
def test_a_path_says_which_methods_it_has(shop: Application, method: str, path: str, allowed: str) -> None:
    response = respond(Request(method, path, CALLER, b"{}"), shop)
    assert response.status == 405
    assert response.headers["Allow"] == allowed
    if method != "HEAD":
        assert refused(response) == (405, "HTTP_METHOD_REFUSED")


def test_head_answers_as_get_without_the_body(shop: Application) -> None:
    response = respond(Request("HEAD", "/health", CALLER), shop)
    assert (response.status, response.body, response.content_type) == (200, b"", "application/json")


@each_case(
    ("accept", "status"),
    [
        (None, 200),
        ("", 200),
        ("*/*", 200),
        ("application/*;q=0.1", 200),
        ("text/html, application/json;q=0.9", 200),
        ("text/html,application/xhtml+xml,*/*;q=0.8", 200),
        ("nonsense", 200),
        ("application/json;q=oops", 200),
        ("text/html", 406),
        ("application/json;q=0", 406),
        ("application/json;q=0, */*", 406),
    ],
)
def test_a_client_that_does_not_accept_json_gets_an_error_that_offers_json(
    shop: Application, accept: str | None, status: int
) -> None:
    headers = {} if accept is None else {"accept": accept}
    assert respond(Request("GET", "/health", CALLER, headers=headers), shop).status == status


@each_case(
    ("kind", "status"),
    [
        (None, 200),
        ("application/json", 200),
        ("Application/JSON; charset=utf-8", 200),
        ("application/vnd.me+json", 200),
        ("text/plain", 415),
        ("application/x-www-form-urlencoded", 415),
        ("multipart/form-data; boundary=x", 415),
        ("", 415),
    ],
)
def test_a_body_that_calls_itself_something_else_is_not_read(shop: Application, kind: str | None, status: int) -> None:
    headers = {} if kind is None else {"content-type": kind}
    response = respond(Request("POST", "/v1/tools/list_domains", CALLER, b"{}", headers=headers), shop)
    assert response.status == status


@each_case("path", ["/health/", "/v1/tools/", "/v1/tools//"])
def test_a_slash_at_the_end_does_not_matter(shop: Application, path: str) -> None:
    assert asked(shop, "GET", path) == asked(shop, "GET", path.rstrip("/"))


def test_an_unknown_tool_is_not_found_and_those_that_there_are_are_named(shop: Application) -> None:
    status, told = asked(shop, "POST", "/v1/tools/drop_tables", b"no JSON")
    assert (status, told["error"]["code"]) == (404, "HTTP_NOT_FOUND")
    assert told["error"]["message"] == f"unknown tool 'drop_tables'; the tools are {', '.join(sorted(REGISTRY.tools))}"


@each_case("body", [b"[1]", b"{", b"[" * 20_000, b'"x"', b"\xff{", "\ufeff{}".encode("utf-16")])
def test_a_body_that_is_no_object_is_refused(shop: Application, body: bytes) -> None:
    status, told = asked(shop, "POST", "/v1/tools/list_domains", body)
    assert (status, told["error"]["code"]) == (400, "HTTP_REQUEST_INVALID")
    assert told["error"]["message"].startswith(("the body is not a JSON object", "the body is nested deeper"))


@each_case(
    "body",
    [
        b'{"query": ' + b"[" * 100 + b"]" * 100 + b"}",
        b"[" * 65_000,
        b'{"a":' * 10_000,
        b'{"query": "' + b'\\"' * 20_000 + b"[" * 20_000,
        b'{"query": [' + b"0," * 30_000 + b"0]}",
    ],
)
def test_a_body_is_neither_deeper_nor_of_more_parts_than_a_tool_needs(shop: Application, body: bytes) -> None:
    response = respond(Request("POST", "/v1/tools/search_tables", CALLER, body), shop)
    assert response.status == 400


def test_brackets_within_texts_make_a_body_no_deeper(shop: Application) -> None:
    body = json.dumps({"query": "customer " + '["{' * 300}).encode()
    assert asked(shop, "POST", "/v1/tools/search_tables", body)[0] == 200


def test_a_body_has_a_size_that_it_may_not_exceed(shop: Application) -> None:
    body = json.dumps({"query": "x"}).encode()
    padded = body + b" " * (LARGEST_BODY_BYTES - len(body))
    assert asked(shop, "POST", "/v1/tools/search_tables", padded)[0] == 200
    status, told = asked(shop, "POST", "/v1/tools/search_tables", padded + b" ")
    assert status == 413
    assert told["error"]["code"] == "HTTP_BODY_TOO_LARGE"
    assert str(LARGEST_BODY_BYTES) in told["error"]["message"]


@each_case(
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


def test_an_answer_that_changes_with_the_index_alone_is_not_sent_twice(shop: Application, tmp_path: Path) -> None:
    asked_for = 0

    def counted(call: Call) -> Response:
        nonlocal asked_for
        asked_for += 1
        return Response(200, b"{}")

    routes = (Route("GET", "/v1/things/{name}", counted, "Things.", by_generation=True),)

    def get(caller: Caller = CALLER, tag: str = "", path: str = "/v1/things/a", app: Application = shop) -> Response:
        return respond(Request("GET", path, caller, headers={"if-none-match": tag}), app, routes=routes)

    first = get()
    tag = first.headers["ETag"]
    assert tag.startswith('W/"')
    again = get(tag=f'"other", {tag}')
    assert (again.status, again.body, again.headers["ETag"], asked_for) == (304, b"", tag, 1)
    narrow = Caller("ada", Scope(databases=frozenset({"web"})))
    index = SqliteIndex(tmp_path / "index.db")
    store = MemoryStore()
    write_documentation(store, shop_tables())
    index_all(store, index)
    others = [get(narrow, tag), get(tag=tag, path="/v1/things/b"), get(tag=tag, app=application_over(index))]
    assert [other.status for other in others] == [200, 200, 200]
    assert len({tag, *(other.headers["ETag"] for other in others)}) == 4
    index.close()
    assert get(tag=tag, app=application_over(SqliteIndex(tmp_path / "none.db"))).status == 503


@each_case(
    ("tool", "arguments"),
    [
        ("get_table_schema", {"table": "shop.crm.customer"}),
        ("get_table_schema", {"table": "order_line"}),
        ("get_join_path", {"source_table": "web.public.visit", "target_table": "shop.crm.customer"}),
        ("list_domains", {"database": "shop"}),
        ("search_tables", {"query": "visits", "database": "shop"}),
    ],
)
def test_what_is_hidden_is_answered_with_the_bytes_of_what_is_not_there(
    shop: Application, tool: str, arguments: dict[str, str], tmp_path: Path
) -> None:
    store, index = MemoryStore(), SqliteIndex(tmp_path / "index.db")
    write_documentation(store, [table for table in shop_tables() if table.database == "web"])
    index_all(store, index)
    caller = Caller("test", Scope(databases=frozenset({"web"})))
    request = Request("POST", f"/v1/tools/{tool}", caller, json.dumps(arguments).encode())
    hidden, missing = respond(request, shop), respond(request, application_over(index))
    assert (hidden.status, hidden.body) == (missing.status, missing.body)
    assert hidden.status == 404
    index.close()
