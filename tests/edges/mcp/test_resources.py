"""Tables and domains as resources, prompts, and the completion of names."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS, PromptReference, ResourceTemplateReference

from tests.cases import each_case
from tests.edges.mcp.in_memory import Session, session_over
from tests.sample_shop.indexed import shop_tables, table_document
from tribal.edges.mcp.resources import RESOURCES_A_PAGE
from tribal.identity.addresses import DOMAIN_TEMPLATE, TABLE_TEMPLATE, Address, read_address
from tribal.identity.locations import INDEX_FILE
from tribal.identity.scope import Scope
from tribal.ports import Caller
from tribal.tools.registry import REGISTRY

CRM_ONLY = Caller("crm", Scope(schemas=frozenset({("shop", "crm")})))
TABLES = ResourceTemplateReference(uri=TABLE_TEMPLATE)
ODD = ["shop.domains.sales", 'shop."""x".t', '"Größe & Co"."a/b?c#d"."100%.x"', 'shop.s."<script>|`x`"']


@pytest.fixture(name="shop", scope="module", params=["legacy", "auto"])
def shop_fixture(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Session]:
    with session_over(tmp_path_factory.mktemp("shop"), mode=request.param) as session:
        yield session


@pytest.fixture(name="crm", scope="module")
def crm_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    with session_over(tmp_path_factory.mktemp("crm"), caller=CRM_ONLY) as session:
        yield session


def completed(session: Session, ref: Any, argument: str, value: str, context: dict[str, str] | None = None) -> Any:
    asked = {"name": argument, "value": value}
    return session.ask(session.client.complete, ref, asked, context).completion


def refusal(session: Session, *call: Any) -> MCPError:
    with pytest.raises(MCPError) as refused:
        session.ask(*call)
    return refused.value


def test_every_table_and_domain_is_a_resource_that_can_be_read_as_markdown_and_as_json(shop: Session) -> None:
    resources = shop.resources()
    names = {table.name for table in shop_tables()}
    assert {resource.name for resource in resources} >= names
    domains = {(table.database, table.domain) for table in shop_tables()}
    assert len(resources) == len(names) + len(domains)
    for resource in resources:
        page, answer = shop.read(resource.uri), shop.read(f"{resource.uri}?format=json")
        assert (page.mime_type, answer.mime_type) == ("text/markdown", "application/json")
        assert page.text.startswith("# ")
        assert json.loads(answer.text)["success"] is True


def test_the_page_of_a_table_says_what_the_tool_says(shop: Session) -> None:
    page = shop.read("tribal://shop/crm/customer").text
    told = json.loads(shop.read("tribal://shop/crm/customer?format=json").text)
    shown = shop.ask(shop.client.call_tool, "get_table_schema", {"table": "shop.crm.customer"}).structured_content
    assert told["schema"] == shown["schema"]
    for column in told["schema"]["columns"]:
        assert f"| `{column['name']}` | `{column['type']}` |" in page
    assert "## Related tables" in page


def test_a_scope_bounds_resources_and_what_they_say(crm: Session, shop: Session) -> None:
    visible = {resource.uri for resource in crm.resources()}
    assert "tribal://shop/crm/customer" in visible
    assert all(uri.startswith(("tribal://shop/crm/", "tribal://shop/domains/")) for uri in visible)
    assert "stock" not in crm.read("tribal://shop/crm/customer").text
    hidden = refusal(crm, crm.client.read_resource, "tribal://web/public/visit")
    missing = refusal(crm, crm.client.read_resource, "tribal://web/public/nowhere")
    assert hidden.code == missing.code == INVALID_PARAMS
    assert str(hidden).replace("visit", "nowhere") == str(missing)


@each_case("name", ODD)
def test_names_of_any_spelling_are_resources_of_their_own(tmp_path: Path, name: str) -> None:
    tables = [table_document(name, "id note", domain="sales"), table_document("shop.s.plain", "id", domain="sales")]
    with session_over(tmp_path, tables) as session:
        uri = next(each.uri for each in session.resources() if each.name == name)
        assert json.loads(session.read(f"{uri}?format=json").text)["schema"]["name"] == name
        assert "<script>" not in session.read(uri).text.splitlines()[0]
        assert completed(session, PromptReference(name="explain_table"), "table", name[:-2]).values == [name]


parts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12) | st.sampled_from(
    ["domains", '"', '"domains"', '""', "%64omains", "a.b", "..", "?format=json"]
)


@given(st.tuples(parts, parts, parts), st.booleans())
def test_an_address_names_one_table_or_one_domain(names: tuple[str, str, str], as_json: bool) -> None:
    for address in (Address("table", names, as_json), Address("domain", names[:2], as_json)):
        assert read_address(str(address)) == address


@each_case(
    "uri",
    [
        "",
        "tribal://shop",
        "tribal://shop/crm",
        "tribal://shop/crm/customer/x",
        "file:///etc/passwd",
        "tribal://shop/%22/x",
        "tribal://shop/%22a%22.b/x",
        "tribal://shop/%ff/x",
        "tribal://shop/crm/customer?format=xml",
    ],
)
def test_an_address_that_is_none_is_refused(shop: Session, uri: str) -> None:
    assert refusal(shop, shop.client.read_resource, uri).code == INVALID_PARAMS


def test_many_resources_come_in_pages_and_each_once(tmp_path: Path) -> None:
    tables = [table_document(f"shop.s.t{number:03}", "id", domain=f"d{number % 7}") for number in range(230)]
    with session_over(tmp_path, tables) as session:
        assert len(session.ask(session.client.list_resources).resources) == RESOURCES_A_PAGE
        uris = [resource.uri for resource in session.resources()]
        assert len(uris) == len(set(uris)) == 230 + 7
        with pytest.raises(MCPError, match="cursor is not valid for this list"):
            session.ask(session.client.list_resources, cursor="forged")


def test_without_an_index_resources_and_completion_say_what_to_do(tmp_path: Path) -> None:
    with session_over(tmp_path) as session:
        (tmp_path / INDEX_FILE).unlink()
        for call in (
            (session.client.list_resources,),
            (session.client.read_resource, "tribal://shop/crm/customer"),
            (session.client.complete, TABLES, {"name": "database", "value": ""}),
        ):
            refused = refusal(session, *call)
            assert refused.code == INTERNAL_ERROR
            assert "`tribal run`" in refused.error.message
            assert refused.error.data["code"] == "RET_INDEX_NOT_READY"


def test_prompts_are_listed_and_filled_from_what_is_documented(shop: Session) -> None:
    listed = {prompt.name: prompt for prompt in shop.ask(shop.client.list_prompts).prompts}
    assert {prompt.title for prompt in listed.values()} == {"Explain this table", "Write a query for"}
    explained = shop.ask(shop.client.get_prompt, "explain_table", {"table": "order_line"}).messages
    asked, embedded = (message.content for message in explained)
    assert "shop.sales.order_line" in asked.text
    assert embedded.resource.uri == "tribal://shop/sales/order_line"
    assert embedded.resource.text.startswith("# shop.sales.order")
    written = shop.ask(shop.client.get_prompt, "write_query", {"question": "what was ordered", "database": "shop"})
    question, found = (message.content.text for message in written.messages)
    assert "what was ordered" in question
    assert found.startswith("PostgreSQL, database shop.")
    assert "CREATE TABLE sales.order_line (" in found


@each_case(
    ("name", "arguments", "why"),
    [
        ("explain_table", {}, "needs 'table'"),
        ("explain_table", {"table": " "}, "needs 'table'"),
        ("explain_table", {"table": "nothing"}, "there is no table"),
        ("write_query", {"question": "x", "colour": "mauve"}, "does not take 'colour'"),
        ("write_query", {"question": "x", "database": "nowhere"}, "there is no database"),
        ("nothing", {}, "the prompts are explain_table, write_query"),
    ],
)
def test_a_prompt_that_cannot_be_filled_says_why(shop: Session, name: str, arguments: Any, why: str) -> None:
    refused = refusal(shop, shop.client.get_prompt, name, arguments)
    assert refused.code == INVALID_PARAMS
    assert why in refused.error.message


def test_names_are_completed_part_by_part(shop: Session) -> None:
    domains = ResourceTemplateReference(uri=DOMAIN_TEMPLATE)
    assert completed(shop, TABLES, "database", "").values == ["shop", "web"]
    assert completed(shop, TABLES, "schema", "C", {"database": "shop"}).values == ["crm"]
    within = {"database": "shop", "schema": "crm"}
    assert "customer" in completed(shop, TABLES, "table", "cust", within).values
    assert completed(shop, TABLES, "table", "visit", within).values == []
    assert completed(shop, domains, "domain", "m").values == ["marketing"]
    explain = PromptReference(name="explain_table")
    assert "shop.crm.customer" in completed(shop, explain, "table", "cust").values
    assert "shop.crm.customer" in completed(shop, explain, "table", "crm.cust").values
    assert completed(shop, PromptReference(name="write_query"), "database", "w").values == ["web"]
    assert completed(shop, PromptReference(name="write_query"), "question", "w").values == []


def test_completion_knows_nothing_beyond_the_scope(crm: Session) -> None:
    assert completed(crm, TABLES, "database", "").values == ["shop"]
    assert completed(crm, TABLES, "schema", "").values == ["crm"]
    explain = PromptReference(name="explain_table")
    found = completed(crm, explain, "table", "")
    assert all(name.startswith("shop.crm.") for name in found.values)
    assert found.total == len(found.values)


def test_the_tools_that_servers_ask_for_themselves_are_offered_to_no_one(shop: Session) -> None:
    assert "list_names" not in {tool.name for tool in shop.ask(shop.client.list_tools).tools}
    assert refusal(shop, shop.client.call_tool, "list_names", {"kind": "table"}).code == INVALID_PARAMS


def test_a_server_of_fewer_tools_offers_what_these_can_fill(tmp_path: Path) -> None:
    with session_over(tmp_path, tools=REGISTRY.narrowed(["search_tables"])) as session:
        assert [tool.name for tool in session.ask(session.client.list_tools).tools] == ["search_tables"]
        capabilities = session.client.server_capabilities
        assert (capabilities.resources, capabilities.prompts, capabilities.completions) == (None, None, None)
