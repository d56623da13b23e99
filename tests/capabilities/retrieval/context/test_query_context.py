"""Tool `get_query_context` over the shop."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.cases import each_case
from tests.sample_shop.indexed import shop_tables, table_document
from tests.sample_shop.retrieval import call, code, codes, shop_fixture, toolbox_over  # noqa: F401
from tribal.capabilities.retrieval.context.query_context import get_query_context
from tribal.capabilities.retrieval.toolbox import Toolbox
from tribal.identity.scope import Scope
from tribal.ports.remembering.guidance import Guidance
from tribal_contracts import (
    ChangedTable,
    DefinedMetric,
    Definitions,
    GetQueryContextInput,
    TableDocument,
    VerifiedQuery,
)


def _names(answer: object) -> list[str]:
    return [each.table for each in answer.tables]  # type: ignore[attr-defined]


def test_a_question_gets_its_tables_their_columns_and_how_to_join_them(shop: Toolbox) -> None:
    answer = call(shop, "get_query_context", question="which products are on the lines of an order")
    assert {"shop.sales.order_line", "shop.stock.product"} <= {*_names(answer)}
    assert answer.text.startswith("PostgreSQL, database shop.")
    assert "CREATE TABLE sales.order_line (" in answer.text
    assert "product_id integer NOT NULL REFERENCES stock.product (product_id)" in answer.text
    join = next(each for each in answer.joins if each.tables == ["shop.sales.order_line", "shop.stock.product"])
    assert join.sql == "sales.order_line JOIN stock.product ON order_line.product_id = product.product_id"
    assert (join.cardinality, join.inferred) == ("many_to_one", False)
    assert join.sql in answer.text
    assert answer.omitted == []


def test_requested_tables_come_first_with_the_tables_between_them(shop: Toolbox) -> None:
    answer = call(shop, "get_query_context", tables=["stock.product", "sales.order_header"])
    assert _names(answer)[:3] == ["shop.stock.product", "shop.sales.order_header", "shop.sales.order_line"]
    assert answer.tables[0].reason == "it was asked for"
    assert answer.tables[2].reason.startswith("it joins shop.")


def test_whole_items_are_left_out_and_named_where_the_limit_is_low(shop: Toolbox) -> None:
    question = "orders with their lines, products, customers, addresses and shipments"
    whole = call(shop, "get_query_context", question=question, max_tokens=8_000)
    small = call(shop, "get_query_context", question=question, max_tokens=500)
    assert len(small.text.encode()) <= 4 * 500
    assert 0 < len(small.tables) < len(whole.tables)
    assert set(_names(whole)) - set(_names(small)) <= set(small.omitted)
    assert small.truncated is True
    assert small.text.count("CREATE TABLE") == small.text.count(");\n") == len(small.tables)
    assert all(set(join.tables) <= set(_names(small)) for join in small.joins)


def test_a_memory_that_answers_the_question_is_shown_before_tables_and_explains_its_words(shop: Toolbox) -> None:
    text = "A dormant order of sales.order_line is one that nobody shipped."
    memory = Guidance("mem_1", "memory", "project", text, "ada", "2026-11-20T02:45:00Z", ())
    request = GetQueryContextInput(question="which orders are dormant?", max_tokens=500)
    with shop.index.reading():
        assert get_query_context(request, shop).missing == ["dormant"]
        answer = get_query_context(request, replace(shop, guidance=lambda _: [memory]))
    assert text in answer.text
    assert answer.missing == []


def test_words_that_nothing_explains_are_missing_but_not_words_about_time(shop: Toolbox) -> None:
    answer = call(shop, "get_query_context", question="orders per quarter with their zodiac")
    assert answer.missing == ["zodiac"]
    assert "Not documented: zodiac." in answer.text


@each_case(
    ("arguments", "message"),
    [
        ({}, "neither a question nor tables are given"),
        ({"question": " "}, "neither a question nor tables are given"),
        ({"question": "orders", "max_tokens": 499}, "it must be from 500 to 8,000"),
        ({"question": "orders", "max_tokens": 8_001}, "it must be from 500 to 8,000"),
        ({"question": "x" * 2_001}, "at most 2000 are allowed"),
    ],
)
def test_bad_input_says_what_to_change(shop: Toolbox, arguments: dict[str, object], message: str) -> None:
    answer = call(shop, "get_query_context", **arguments)
    assert code(answer) == "RET_QUERY_INVALID"
    assert message in answer.error.message


def test_an_unknown_table_gets_the_nearest_names(shop: Toolbox) -> None:
    answer = call(shop, "get_query_context", tables=["shop.sales.order_lines"])
    assert code(answer) == "RET_TABLE_NOT_FOUND"
    assert "shop.sales.order_line" in answer.error.context["suggestions"]


def test_a_scoped_caller_sees_no_table_column_or_join_outside_the_scope(shop: Toolbox) -> None:
    scoped = replace(shop, scope=Scope(schemas=frozenset({("shop", "sales")})))
    answer = call(scoped, "get_query_context", question="orders with their lines, products and customers")
    assert all(name.startswith("shop.sales.") for name in _names(answer))
    assert answer.joins
    for hidden in ("stock.", "crm."):
        assert hidden not in answer.to_compact_json().decode()


def test_tables_of_another_database_are_left_out_and_reported(shop: Toolbox) -> None:
    answer = call(shop, "get_query_context", question="customer")
    assert len({name.split(".")[0] for name in _names(answer)}) == 1
    assert "RET_ANSWER_PARTIAL" in codes(answer)
    assert {
        name.split(".")[0] for name in _names(call(shop, "get_query_context", question="customer", database="web"))
    } == {"web"}


@pytest.fixture(name="plain", scope="module")
def plain_fixture(tmp_path_factory: pytest.TempPathFactory) -> Toolbox:
    return toolbox_over(tmp_path_factory.mktemp("plain"), None, [*shop_tables(), _hostile(), _view()])


def _hostile() -> TableDocument:
    table = table_document("shop.sales.odd", "odd_id state note", domain="sales", comment="Line one.\n```\n# DROP --")
    table.columns[1] = table.columns[1].model_copy(
        update={
            "allowed_values": ["it's", "b\nc"],
            "allowed_values_from": "check",
            "allowed_values_complete": True,
        }
    )
    return table


def _view() -> TableDocument:
    table = table_document("shop.sales.open_orders", "order_id", domain="sales", comment="Orders that are open.")
    return table.model_copy(
        update={"kind": "view", "view_definition": "SELECT order_id FROM sales.order_header WHERE state = 'open'"}
    )


def _definitions() -> Definitions:
    query = VerifiedQuery(
        file="queries/open.sql",
        line=1,
        database="shop",
        tables=["shop.sales.order_header"],
        questions=["how many orders are waiting"],
        sql="SELECT count(*) FROM sales.order_header",
        owner="sales",
        verified="2026-11-01",
        status="changed",
        changes=[ChangedTable(name="shop.sales.order_header", removed=["state"])],
    )
    metric = DefinedMetric(
        file="annotations/shop.yaml",
        line=3,
        database="shop",
        tables=["shop.sales.order_line"],
        name="turnover",
        description="What was ordered.",
        expression="sum(qty * unit_price)",
        filters=["qty > 0"],
        status="current",
    )
    return Definitions(schema_version="1.0", metrics=[metric], queries=[query])


def test_verified_queries_and_metrics_bring_their_tables_and_are_shown(plain: Toolbox) -> None:
    defined = replace(plain, definitions=lambda _: _definitions())
    request = GetQueryContextInput(question="how many orders are waiting, and their turnover")
    answer = get_query_context(request, defined)
    assert answer.tables[0].table == "shop.sales.order_header"
    assert answer.tables[0].reason == "the verified query queries/open.sql uses it"
    assert "-- how many orders are waiting" in answer.text
    assert (
        "(verified 2026-11-01 by sales; changed: since then shop.sales.order_header changed, check it)" in answer.text
    )
    assert "- turnover = `sum(qty * unit_price)` where `qty > 0` over `shop.sales.order_line`: What was ordered." in (
        answer.text
    )
    assert "turnover" not in answer.missing


def test_allowed_values_are_a_check_and_hostile_text_stays_a_comment(plain: Toolbox) -> None:
    text = call(plain, "get_query_context", tables=["shop.sales.odd"]).text
    assert "state text NOT NULL CHECK (state IN ('it''s', 'b c'))" in text
    assert "-- Line one. ``` # DROP --" in text
    assert text.count("````sql") == 1


def test_the_sql_of_a_view_among_the_tables_is_shown(plain: Toolbox) -> None:
    answer = call(plain, "get_query_context", question="which orders are open")
    assert "CREATE VIEW sales.open_orders (" in answer.text
    assert "WHERE state = 'open'" in answer.text
