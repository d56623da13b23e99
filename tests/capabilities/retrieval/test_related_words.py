"""Words that no table is named after, read as what tables are named after."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.sample_shop.indexed import table_document
from tests.sample_shop.retrieval import call, codes, found, shop_fixture, toolbox_over  # noqa: F401
from tribal.capabilities.retrieval.toolbox import Toolbox
from tribal.identity.scope import Scope


def expanded(toolbox: Toolbox, query: str, **filters: str) -> list[str]:
    answer = call(toolbox, "search_tables", query=query, **filters)
    return list(answer.query_interpretation.expanded_terms)


def test_a_word_that_no_table_has_finds_the_table_named_by_its_synonym_and_the_answer_says_so(shop: Toolbox) -> None:
    answer = call(shop, "search_tables", query="freight")
    assert found(answer)[0] == "shop.sales.shipment"
    assert "its name says 'shipment'" in answer.tables[0].reasons
    assert "shipment" in answer.query_interpretation.expanded_terms
    assert codes(answer) == ["RET_WORDS_UNMATCHED"]


def test_a_word_that_no_table_has_finds_what_it_is_a_kind_of(shop: Toolbox) -> None:
    answer = call(shop, "search_tables", query="sabbaticals")
    assert found(answer)[0] == 'shop.hr."Leave Request"'
    assert answer.query_interpretation.expanded_terms == ["leave"]


def test_a_word_that_is_meant_may_be_another_and_is_less_certain_than_the_word_itself(shop: Toolbox) -> None:
    meant, said = (call(shop, "search_tables", query=f"{word} by carrier") for word in ("consignments", "shipments"))
    assert found(meant)[0] == found(said)[0]
    assert meant.tables[0].relevance_score < said.tables[0].relevance_score


def test_a_word_that_a_table_is_named_after_is_read_as_nothing_else(shop: Toolbox) -> None:
    assert expanded(shop, "customers") == expanded(shop, "shipments") == []


def test_a_word_of_another_database_is_missing_in_the_one_that_is_searched(shop: Toolbox) -> None:
    answer = call(shop, "search_tables", query="shipments of customers", database="web")
    assert codes(answer) == ["RET_WORDS_UNMATCHED"]
    assert "'shipments'" in answer.warnings[0].message
    assert codes(call(shop, "search_tables", query="shipments of customers", database="shop")) == []


def test_no_word_is_read_as_one_of_a_hidden_table(shop: Toolbox) -> None:
    narrow = replace(shop, scope=Scope(schemas=frozenset({("shop", "crm")})))
    answer = call(narrow, "search_tables", query="consignments")
    assert answer.query_interpretation.expanded_terms == []
    assert "shipment" not in answer.model_dump_json()


def test_a_misspelt_word_is_corrected_and_read_as_nothing_else(shop: Toolbox) -> None:
    assert expanded(shop, "custmers") == ["customer"]


@pytest.fixture(name="absences")
def absences_fixture(tmp_path: Path) -> Iterator[Toolbox]:
    tables = [
        table_document("db.s.leave", "id person_id", domain="d"),
        table_document("db.s.shipment", "id weight", domain="d"),
        table_document("db.s.contract", "id sabbatical consignment", domain="d"),
        table_document("db.s.purchase", "id price", domain="d"),
    ]
    toolbox = toolbox_over(tmp_path, None, tables)
    yield toolbox
    toolbox.index.close()


def test_a_word_that_a_column_has_is_read_as_its_synonym_and_not_as_what_it_is_a_kind_of(absences: Toolbox) -> None:
    assert expanded(absences, "consignments") == ["shipment"]
    assert found(call(absences, "search_tables", query="consignments")) == ["db.s.shipment", "db.s.contract"]
    assert expanded(absences, "sabbaticals") == []
    assert found(call(absences, "search_tables", query="sabbaticals")) == ["db.s.contract"]


def test_a_word_is_not_read_as_one_of_another_meaning_and_the_same_stem(absences: Toolbox) -> None:
    assert expanded(absences, "buyers") == []
