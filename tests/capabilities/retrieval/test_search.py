"""Tool `search_tables` over the shop."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.cases import each_case
from tests.sample_shop.indexed import shop_tables
from tests.sample_shop.retrieval import call, code, codes, found, shop_fixture  # noqa: F401
from tribal.adapters.wordllama.embedder import WordLlamaEmbedder
from tribal.capabilities.retrieval.toolbox import Toolbox
from tribal.errors import EmbeddingFailed
from tribal.identity.scope import Scope


@each_case(
    ("query", "first"),
    [
        ("Who are our customers?", "shop.crm.customer"),
        ("clients", "shop.crm.customer"),
        ("how much do we have in each warehouse", "shop.stock.stock_level"),
        ("order lines", "shop.sales.order_line"),
        ("quantity sold", "shop.sales.order_line"),
        ("salary of the staff", "shop.hr.employee"),
        ("sales territories", "shop.crm.region"),
        ("page visits", "web.public.visit"),
        ("leave request days", 'shop.hr."Leave Request"'),
        ("fulfilment", "shop.sales.order_header"),
    ],
)
def test_a_question_in_plain_words_finds_its_table_among_the_first_two(shop: Toolbox, query: str, first: str) -> None:
    assert first in found(call(shop, "search_tables", query=query))[:2]


def test_tables_that_connect_the_answer_are_in_it(shop: Toolbox) -> None:
    names = found(call(shop, "search_tables", query="which customers bought which products", limit=6))
    assert {"shop.crm.customer", "shop.stock.product", "shop.sales.order_line", "shop.sales.order_header"} <= set(names)


def test_each_result_says_why_it_is_there(shop: Toolbox) -> None:
    answer = call(shop, "search_tables", query="which customers bought which products", limit=6)
    reasons = {table.name: table.reasons for table in answer.tables}
    assert all(reasons.values())
    assert "its name says 'customers'" in reasons["shop.crm.customer"]
    assert "it is joined to shop.sales.order_header, shop.stock.product" in reasons["shop.sales.order_line"]


def test_a_long_form_is_shown_where_it_is_certain_and_a_guess_only_helps_to_find(shop: Toolbox) -> None:
    answer = call(shop, "search_tables", query="emp qty hr")
    shown = answer.query_interpretation.expanded_terms
    assert "quantity" in shown
    assert not {"hour", "human", "employee"} & set(shown)
    assert "shop.hr.employee" in found(answer)[:3]


def test_a_reason_names_no_table_out_of_scope(shop: Toolbox) -> None:
    scoped = replace(shop, scope=Scope(schemas=frozenset({("shop", "sales")})))
    answer = call(scoped, "search_tables", query="customers products orders", limit=20)
    assert "shop.stock" not in answer.model_dump_json()


def test_a_result_holds_facts_of_the_catalog_and_words_of_the_documentation(shop: Toolbox) -> None:
    result = call(shop, "search_tables", query="customer email", limit=1).tables[0]
    assert (result.name, result.domain, result.row_count) == ("shop.crm.customer", "customers", 1200)
    assert result.description == "People and companies who buy from us."
    keys = {column.name: (column.is_primary_key, column.is_foreign_key) for column in result.key_columns}
    assert keys["cust_id"] == (True, False)
    assert keys["region_id"] == (False, True)
    assert "email" in keys
    assert result.reasons


def test_an_answer_says_how_many_matched_and_whether_it_was_cut(shop: Toolbox) -> None:
    answer = call(shop, "search_tables", query="customer", limit=2)
    assert (answer.returned, answer.truncated) == (2, True)
    assert 2 < answer.total_matches < len(shop_tables())
    whole = call(shop, "search_tables", query="customer", limit=20)
    assert (whole.returned, whole.truncated) == (len(shop_tables()), False)
    assert whole.total_matches == answer.total_matches


def test_scores_never_rise_along_the_ranking(shop: Toolbox) -> None:
    for query in ("customer", "orders and products of a region", "x", "salary leave visit"):
        scores = [table.relevance_score for table in call(shop, "search_tables", query=query, limit=20).tables]
        assert scores == sorted(scores, reverse=True)
        assert all(0 <= score <= 1 for score in scores)


def test_a_least_score_keeps_the_good_and_counts_only_them(shop: Toolbox) -> None:
    every = call(shop, "search_tables", query="customer address", limit=20)
    some = call(shop, "search_tables", query="customer address", limit=20, min_score=0.5)
    assert 0 < some.total_matches < every.total_matches
    assert some.total_matches == some.returned
    assert all(table.relevance_score >= 0.5 for table in some.tables)
    assert set(found(some)) <= set(found(every))
    nothing = call(shop, "search_tables", query="zzzz qqqq", min_score=0.9)
    assert (nothing.success, nothing.total_matches, nothing.tables, nothing.truncated) == (True, 0, [], False)


def test_the_score_of_a_table_does_not_depend_on_the_filter(shop: Toolbox) -> None:
    query = "emails of customers"
    alone = call(shop, "search_tables", query=query, database="shop", domain="customers", limit=1).tables[0]
    among = call(shop, "search_tables", query=query, limit=20).tables
    assert 0 < alone.relevance_score < 1
    assert alone.relevance_score == next(t for t in among if t.name == alone.name).relevance_score


def test_the_same_table_is_likelier_where_a_scope_leaves_fewer(shop: Toolbox) -> None:
    def score(toolbox: Toolbox) -> float:
        tables = call(toolbox, "search_tables", query="who visited the site", limit=20).tables
        return float(next(table.relevance_score for table in tables if table.name == "web.public.visit"))

    assert score(replace(shop, scope=Scope(schemas=frozenset({("web", "public")})))) > score(shop)


def test_filters_bound_results_and_totals(shop: Toolbox) -> None:
    answer = call(shop, "search_tables", query="customer", database="WEB", limit=20)
    assert found(answer) == ["web.public.customer", "web.public.visit"]
    assert answer.total_matches == 1
    answer = call(shop, "search_tables", query="customer", database="shop", domain="Stock", limit=20)
    assert {table.domain for table in answer.tables} == {"stock"}
    assert (answer.total_matches, answer.returned) == (0, 3)
    assert answer.warnings[0].message == (
        "no searched table contains 'customer'; these tables are only the nearest in meaning"
    )


def test_an_unknown_filter_is_an_error_with_suggestions(shop: Toolbox) -> None:
    answer = call(shop, "search_tables", query="customer", domain="stok")
    assert code(answer) == "RET_DOMAIN_NOT_FOUND"
    assert answer.error.context["suggestions"][0] == "stock"
    answer = call(shop, "search_tables", query="customer", database="shopp")
    assert code(answer) == "RET_DATABASE_NOT_FOUND"
    assert answer.error.context["suggestions"] == ["shop"]
    answer = call(shop, "search_tables", query="customer", database="web", domain="sales")
    assert code(answer) == "RET_DOMAIN_NOT_FOUND"
    assert "shop has it" in answer.error.message


@each_case(
    "arguments",
    [
        {"query": ""},
        {"query": " \n\t"},
        {"query": "x" * 2001},
        {"query": "x", "limit": 0},
        {"query": "x", "limit": 21},
        {"query": "x", "min_score": 1.1},
        {"query": "x", "min_score": float("nan")},
        {"query": "x", "surprise": 1},
        {},
        {"query": None},
        {"query": "a\ud800b"},
    ],
)
def test_an_input_out_of_range_is_refused_never_clamped(shop: Toolbox, arguments: dict[str, Any]) -> None:
    answer = call(shop, "search_tables", **arguments)
    assert code(answer) == "RET_QUERY_INVALID"
    assert answer.model_dump()["tables"] == []


def test_the_longest_allowed_query_and_limit_are_accepted(shop: Toolbox) -> None:
    assert call(shop, "search_tables", query="order " * 333 + "ab", limit=20).success


@each_case("query", ['"', "AND OR NOT", "C++ user-agent o'brien", "* NEAR(", "😀", "\x00", "' OR 1=1 --", "the"])
def test_hostile_queries_are_questions_like_others(shop: Toolbox, query: str) -> None:
    assert call(shop, "search_tables", query=query).success


def test_a_question_is_read(shop: Toolbox) -> None:
    read = call(shop, "search_tables", query="How are cust and orders related in stock?").query_interpretation
    assert read.original_query == "How are cust and orders related in stock?"
    assert read.concepts == ["cust", "orders", "related", "stock"]
    assert "customer" in read.expanded_terms
    assert read.domain_hint == "stock"
    assert read.is_relationship_query
    plain = call(shop, "search_tables", query="list all invoices").query_interpretation
    assert call(shop, "search_tables", query="all cust").query_interpretation.domain_hint == "customers"
    assert (plain.domain_hint, plain.is_relationship_query, plain.concepts) == (None, False, ["invoices"])


def test_without_an_embedder_words_alone_find_and_the_answer_says_so(shop: Toolbox) -> None:
    answer = call(replace(shop, embedder=None), "search_tables", query="customer", limit=20)
    assert found(answer)[0] in ("shop.crm.customer", "web.public.customer")
    assert codes(answer) == ["IDX_EMBEDDING_FAILED"]
    assert answer.total_matches < len(shop_tables())


class OtherModel(WordLlamaEmbedder):
    @property
    def model(self) -> str:
        return "other"


class Failing(WordLlamaEmbedder):
    def embed(self, *_: Any) -> Any:
        raise EmbeddingFailed("the weights are gone")


@pytest.mark.parametrize(("kind", "words"), [(OtherModel, "was built with"), (Failing, "weights are gone")])
def test_vectors_that_do_not_fit_are_left_out_and_the_answer_says_so(
    shop: Toolbox, kind: type[WordLlamaEmbedder], words: str
) -> None:
    answer = call(replace(shop, embedder=kind()), "search_tables", query="customer")
    assert codes(answer) == ["IDX_EMBEDDING_FAILED"]
    assert words in answer.warnings[0].message
