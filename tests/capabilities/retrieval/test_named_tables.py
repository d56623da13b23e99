"""Searching by name: named tables first, misspelt words corrected, nonsense answered with nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cases import each_case
from tests.sample_shop.indexed import shop_tables, table_document
from tests.sample_shop.retrieval import call, codes, found, shop_fixture, toolbox_over  # noqa: F401
from tribal.adapters.wordllama.embedder import WordLlamaEmbedder
from tribal.capabilities.retrieval.toolbox import Toolbox
from tribal.errors import EmbeddingFailed
from tribal.identity.scope import Scope

ONLY_SALES = Scope(schemas=frozenset({("shop", "sales")}))


@each_case("name", [table.name for table in shop_tables()])
def test_every_table_is_the_first_for_its_own_name(shop: Toolbox, name: str) -> None:
    answer = call(shop, "search_tables", query=name)
    assert found(answer)[0] == name
    assert "it is named in the question" in answer.tables[0].reasons
    assert answer.tables[0].relevance_score > 0.9


@each_case(
    ("query", "table"),
    [
        ("orderline", "shop.sales.order_line"),
        ("order-lines", "shop.sales.order_line"),
        ("lines of orders", "shop.sales.order_line"),
        ("LeaveRequest", 'shop.hr."Leave Request"'),
        ("shipmnt", "shop.sales.shipment"),
        ("warehuose", "shop.stock.warehouse"),
        ("stocklevle", "shop.stock.stock_level"),
        ("which customers and products are in `shop.sales.shipment`", "shop.sales.shipment"),
    ],
)
def test_a_table_that_is_nearly_named_comes_first(shop: Toolbox, query: str, table: str) -> None:
    answer = call(shop, "search_tables", query=query)
    assert found(answer)[0] == table
    assert answer.tables[0].relevance_score > 0.5


def test_a_table_that_is_named_without_the_word_of_its_family_comes_first_and_is_not_said_to_be_named(
    tmp_path: Path,
) -> None:
    columns = {"quota": "id size", "quota_items": "id quota_id", "quota_variations": "id quota_id", "voucher": "id"}
    tables = [table_document(f"db.s.ticketbase_{name}", some, domain="d") for name, some in columns.items()]
    toolbox = toolbox_over(tmp_path, WordLlamaEmbedder(), tables)
    answer = call(toolbox, "search_tables", query="quotas")
    assert found(answer)[0] == "db.s.ticketbase_quota"
    assert answer.tables[0].relevance_score > 0.5
    assert "its name says 'quotas'" in answer.tables[0].reasons
    assert "it is named in the question" not in answer.tables[0].reasons
    toolbox.index.close()


@each_case("query", ["checked out books", "checking out books", "books that were checked out"])
def test_a_verb_and_its_particle_find_the_table_of_their_noun(tmp_path: Path, query: str) -> None:
    tables = ["book", "book_copy", "book_page", "checkout"]
    toolbox = toolbox_over(
        tmp_path, None, [table_document(f"db.s.{name}", f"{name}_id title", domain="d") for name in tables]
    )
    answer = call(toolbox, "search_tables", query=query)
    assert "db.s.checkout" in found(answer)
    assert "RET_WORDS_UNMATCHED" not in codes(answer)
    toolbox.index.close()


def test_nonsense_finds_nothing_and_the_answer_names_its_words(shop: Toolbox) -> None:
    answer = call(shop, "search_tables", query="zzzz qqqq")
    assert (answer.success, answer.tables, answer.total_matches, answer.truncated) == (True, [], 0, False)
    assert codes(answer) == ["RET_NOTHING_RELEVANT"]
    assert "'zzzz', 'qqqq'" in answer.warnings[0].message


@pytest.mark.parametrize("query", ["sabento qzvxgk wpfhj", "ettes", "???"])
def test_made_up_words_find_nothing_though_one_of_them_looks_like_a_word(shop: Toolbox, query: str) -> None:
    assert WordLlamaEmbedder().knows(["sabento", "ettes"]) == [True, True]
    answer = call(shop, "search_tables", query=query)
    assert (answer.tables, answer.total_matches, codes(answer)) == ([], 0, ["RET_NOTHING_RELEVANT"])


def test_within_a_sentence_one_word_that_people_use_is_enough(shop: Toolbox) -> None:
    assert call(shop, "search_tables", query="how much sabento is there in wpfhj, and how much in qzvxgk").tables


def test_an_unlisted_word_finds_only_tables_that_are_near_to_it(shop: Toolbox) -> None:
    answer = call(shop, "search_tables", query="stockroom", limit=20)
    assert "shop.stock.stock_level" in found(answer)
    assert answer.total_matches == answer.returned < len(shop_tables())


def test_a_word_that_no_table_has_is_named_next_to_what_the_others_find(shop: Toolbox) -> None:
    answer = call(shop, "search_tables", query="zzzz of customers")
    assert found(answer)[0].endswith("customer")
    assert codes(answer) == ["RET_WORDS_UNMATCHED"]
    assert "'zzzz'" in answer.warnings[0].message
    assert "customers" not in answer.warnings[0].message
    assert codes(call(shop, "search_tables", query="emails of customers")) == []


def test_a_word_that_people_use_finds_what_is_near_though_no_table_has_it(shop: Toolbox) -> None:
    answer = call(shop, "search_tables", query="clients")
    assert "shop.crm.customer" in found(answer)
    assert codes(answer) == ["RET_WORDS_UNMATCHED"]


def test_a_misspelt_word_finds_its_table_and_the_answer_says_how_it_was_read(shop: Toolbox) -> None:
    answer = call(shop, "search_tables", query="which shipmants were sent last week", limit=3)
    assert "shop.sales.shipment" in found(answer)[:2]
    assert "shipment" in answer.query_interpretation.expanded_terms
    assert "shipmants" in answer.query_interpretation.concepts
    assert not any("shipm" in warning.message for warning in answer.warnings or [])


def test_what_is_hidden_is_neither_named_nor_corrected_to(shop: Toolbox) -> None:
    narrow = replace(shop, scope=ONLY_SALES)
    for query in ("warehouse", "shop.stock.warehouse", "warehuose", "which warehuoses are there"):
        answer = call(narrow, "search_tables", query=query, limit=20)
        assert all(name.startswith("shop.sales.") for name in found(answer))
        assert answer.total_matches <= 3
        told = answer.model_copy(update={"query_interpretation": None, "warnings": None}).model_dump_json()
        assert "warehouse" not in told
        assert answer.query_interpretation.expanded_terms == []
    assert "'warehuose'" in call(narrow, "search_tables", query="warehuose").warnings[0].message


def test_a_table_that_is_named_but_filtered_out_is_neither_shown_nor_counted(shop: Toolbox) -> None:
    answer = call(shop, "search_tables", query="shop.crm.customer", database="web", limit=20)
    assert sorted(found(answer)) == ["web.public.customer", "web.public.visit"]
    assert (answer.total_matches, answer.truncated) == (1, False)


class _Broken(WordLlamaEmbedder):
    def knows(self, *_: object) -> list[bool]:
        raise EmbeddingFailed("the weights are gone")


def test_where_the_model_cannot_tell_what_is_nonsense_a_question_is_still_answered(shop: Toolbox) -> None:
    assert call(replace(shop, embedder=_Broken()), "search_tables", query="zzzz qqqq").success


def test_without_a_model_nonsense_finds_nothing_too(shop: Toolbox) -> None:
    answer = call(replace(shop, embedder=None), "search_tables", query="zzzz qqqq")
    assert (answer.tables, codes(answer)) == ([], ["IDX_EMBEDDING_FAILED", "RET_NOTHING_RELEVANT"])


@pytest.fixture(name="views")
def views_fixture(tmp_path: Path) -> Iterator[Toolbox]:
    table = table_document("db.s.order_item", "id sku", domain="d")
    view = table_document("db.s.OrderItem", "id sku", domain="d").model_copy(update={"kind": "view"})
    toolbox = toolbox_over(tmp_path, None, [table, view])
    yield toolbox
    toolbox.index.close()


def test_of_a_table_and_a_view_that_are_named_alike_the_table_comes_first(views: Toolbox) -> None:
    assert found(call(views, "search_tables", query="order items")) == ["db.s.order_item", "db.s.OrderItem"]
    assert found(call(views, "search_tables", query="OrderItem"))[0] == "db.s.OrderItem"


def test_a_column_that_is_named_in_full_finds_its_table_before_words_of_table_names(tmp_path: Path) -> None:
    columns = {
        "parcel": "id carrier_ref createdBy",
        "carrier": "id created_at",
        "carrier_ref_list": "id created_at",
        **{f"other_{number}": "id created_at" for number in range(12)},
    }
    tables = [table_document(f"db.s.{name}", some, domain="d") for name, some in columns.items()]
    toolbox = toolbox_over(tmp_path, WordLlamaEmbedder(), tables)
    for query in ("carrier_ref", "CARRIER_REF", "which carriers fill `carrier_ref`", "parcel.carrier_ref", "createdby"):
        answer = call(toolbox, "search_tables", query=query)
        assert found(answer)[0] == "db.s.parcel", query
        assert any("which is named in the question" in reason for reason in answer.tables[0].reasons)
        assert query == "createdby" or "carrier_ref" in [column.name for column in answer.tables[0].key_columns]
    # A table of that name is what is meant; a column that many tables have says nothing.
    assert found(call(toolbox, "search_tables", query="carrier"))[0] == "db.s.carrier"
    common = call(toolbox, "search_tables", query="created_at")
    assert not any("named in the question" in reason for table in common.tables for reason in table.reasons)
    toolbox.index.close()


def test_of_names_that_differ_in_case_the_one_that_is_written_comes_first(tmp_path: Path) -> None:
    tables = [table_document(f"db.s.{name}", "id", domain="d") for name in ("User", "user")]
    toolbox = toolbox_over(tmp_path, WordLlamaEmbedder(), tables)
    for query, first in (("user", "db.s.user"), ("User", "db.s.User"), ("s.user", "db.s.user")):
        assert found(call(toolbox, "search_tables", query=query))[0] == first
    toolbox.index.close()
