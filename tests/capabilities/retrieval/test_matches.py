"""Which tables match a question, how many are counted, and which have a place in the answer."""

from __future__ import annotations

from pathlib import Path

from tests.cases import each_case
from tests.sample_shop.indexed import Key, shop_tables, table_document, with_relations
from tests.sample_shop.retrieval import call, found, shop_fixture, toolbox_over  # noqa: F401
from tribal.adapters.wordllama.embedder import WordLlamaEmbedder
from tribal.capabilities.retrieval.searching.search import NO_MATCH
from tribal.capabilities.retrieval.toolbox import Toolbox


@each_case("query", ["customer", "customer address", "how many products are in a warehouse", "salaries"])
def test_what_is_counted_are_the_tables_with_a_reason_and_the_others_say_that_they_have_none(
    shop: Toolbox, query: str
) -> None:
    answer = call(shop, "search_tables", query=query, limit=20)
    others = [table.name for table in answer.tables if table.reasons[0] == NO_MATCH]
    assert 0 < answer.total_matches == len(answer.tables) - len(others) < len(shop_tables())


def test_a_word_that_most_tables_have_is_a_reason_only_if_there_is_no_other(tmp_path: Path) -> None:
    tables = [table_document(f"db.s.{name}", f"{name}_id name", domain="d") for name in ("car", "bus", "tram", "boat")]
    toolbox = toolbox_over(tmp_path, None, tables)
    assert call(toolbox, "search_tables", query="id and name of each boat").total_matches == 1
    assert call(toolbox, "search_tables", query="id and name").total_matches == 4
    toolbox.index.close()


def test_where_few_tables_match_all_of_them_are_in_the_answer(shop: Toolbox) -> None:
    for query in ("salary", "carrier", "visits", "price list"):
        answer = call(shop, "search_tables", query=query)
        assert answer.truncated == (answer.total_matches > 5)
        others = [table.name for table in answer.tables if table.reasons[0] == NO_MATCH]
        assert len(answer.tables) - len(others) == min(answer.total_matches, 5)


@each_case("limit", [3, 5])
def test_each_entity_of_a_question_has_a_table_among_the_first(tmp_path: Path, limit: int) -> None:
    customer = [Key(("customer_id",), "crm.customer", ("customer_id",))]
    invoice = [Key(("invoice_id",), "billing.invoice", ("invoice_id",))]
    tables = with_relations(
        [
            table_document("db.crm.customer", "customer_id name", domain="crm"),
            table_document("db.billing.invoice", "invoice_id customer_id paid_at", domain="billing", keys=customer),
            *(
                table_document(
                    f"db.billing.invoice_{name}", "id invoice_id customer_id paid", domain="billing", keys=keys
                )
                for name, keys in (("open", invoice), ("paid", invoice), ("line", invoice), ("late", invoice))
            ),
            table_document("db.other.customer", "customer_id paid", domain="other"),
        ]
    )
    toolbox = toolbox_over(tmp_path, WordLlamaEmbedder(), tables)
    answer = call(toolbox, "search_tables", query="which customers have not paid their invoices", limit=limit)
    assert {"db.crm.customer", "db.billing.invoice"} <= set(found(answer))
    toolbox.index.close()
