"""From the claim of a token to what the tools answer: nothing outside of what it names, and all that is inside."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from functions.offering import answered_by
from tests.fakes import MemoryStore, application_over
from tests.fakes.published_issuer import PublishedIssuer
from tests.functions.calls import Context, api_request
from tests.sample_shop.indexed import index_all, shop_tables, write_documentation
from tribal.adapters.sqlite.index import SqliteIndex
from tribal.ports import Application
from tribal.tools.registry import REGISTRY

ARN = "arn:aws:execute-api:eu-central-1:123456789012:api/v1/POST/v1/tools/any"
QUESTIONS: dict[str, list[dict[str, Any]]] = {
    "search_tables": [{"query": "customer region order visit", "limit": 20}],
    "get_table_schema": [{"table": "shop.crm.customer"}, {"table": "shop.sales.order_line"}, {"table": "visit"}],
    "get_join_path": [
        {"source_table": "shop.crm.customer", "target_table": "shop.crm.region"},
        {"source_table": "shop.crm.customer", "target_table": "shop.stock.product", "max_hops": 10},
    ],
    "get_domain_overview": [{"domain": "customers"}, {"domain": "sales"}, {"domain": "marketing"}],
    "list_domains": [{}],
    "get_lineage": [{"table": "shop.crm.customer"}, {"table": "shop.sales.order_line"}],
    "get_query_context": [{"question": "customer region order visit", "database": "shop"}],
    "ask": [{"question": "customer region order visit"}, {"question": "order lines of each product"}],
    "check_sql": [{"sql": "SELECT nope FROM sales.order_line", "database": "shop"}],
}
TABLES = {f"{table.database}.{table.schema_}.{table.table}" for table in shop_tables()}
OF_CRM = {name for name in TABLES if name.startswith("shop.crm.")}
OF_WEB = {name for name in TABLES if name.startswith("web.")}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Application]:
    store, index = MemoryStore(), SqliteIndex(tmp_path_factory.mktemp("scoped") / "index.db")
    write_documentation(store, shop_tables())
    index_all(store, index)
    yield application_over(index)
    index.close()


@pytest.fixture
def ask(issuer: PublishedIssuer, shop: Application, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Asks a tool as API Gateway does: the authorizer first, then the retriever with what the authorizer said."""
    from functions.authorizer.handler import handle as authorize
    from functions.retriever import handler as retriever

    monkeypatch.setattr(retriever, "application", lambda: shop)

    def ask(claim: Any, tool: str, question: dict[str, Any]) -> str:
        token = f"Bearer {issuer.token(databases=claim)}"
        decided = authorize({"authorizationToken": token, "methodArn": ARN}, Context())
        context = {"principalId": decided["principalId"], **decided["context"]}
        event = api_request("POST", f"/v1/tools/{tool}", json.dumps(question), context)
        return str(retriever.handle(event, Context())["body"])

    return ask


def mentioned(answer: str, question: dict[str, Any]) -> set[str]:
    """The tables of the shop that an answer names in full, next to those that the question names."""
    asked = [value for value in question.values() if isinstance(value, str)]
    for name in asked:
        answer = answer.replace(json.dumps(name), "").replace(repr(name), "")
    return {name for name in TABLES if name in answer}


@pytest.mark.parametrize("tool", sorted(QUESTIONS))
@pytest.mark.parametrize(
    ("claim", "within"),
    [
        ("shop.crm", OF_CRM),
        (["web", "shop.crm"], OF_CRM | OF_WEB),
        ([], set()),
        (None, set()),
        (["shopp", "shop.nothing", "crm"], set()),
    ],
)
def test_no_tool_tells_of_what_the_token_does_not_name(ask: Any, tool: str, claim: Any, within: set[str]) -> None:
    for question in QUESTIONS[tool]:
        assert mentioned(ask(claim, tool, question), question) <= within


def test_all_that_a_token_names_is_found_by_each_tool(ask: Any) -> None:
    told = {tool: [json.loads(ask("web shop.crm", tool, each)) for each in QUESTIONS[tool]] for tool in QUESTIONS}
    answered_elsewhere = {name for each in ("interrogator", "proposer") for name in answered_by()[each]}
    assert set(told) == set(REGISTRY.tools) - answered_elsewhere
    assert {table["name"] for table in told["search_tables"][0]["tables"]} >= {"shop.crm.customer", "web.public.visit"}
    assert [answer["success"] for answer in told["get_table_schema"]] == [True, False, True]
    assert told["get_join_path"][0]["path_found"] is True
    assert [answer["success"] for answer in told["get_domain_overview"]] == [True, False, True]
    databases = {name for domain in told["list_domains"][0]["domains"] for name in domain["databases"]}
    assert databases == {"shop", "web"}


def test_a_database_shows_all_of_its_schemas_and_one_of_them_no_other(ask: Any) -> None:
    def schemas(claim: str) -> set[str]:
        found = json.loads(ask(claim, "search_tables", QUESTIONS["search_tables"][0]))["tables"]
        return {table["name"].split(".")[1] for table in found}

    assert schemas("shop") >= {"crm", "sales"}
    assert schemas("shop.sales") == {"sales"}
