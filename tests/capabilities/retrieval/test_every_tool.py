"""What every tool keeps to: scope, age of the index, size of the answer."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from tests.cases import each_case
from tests.fakes import FixedClock
from tests.sample_shop.indexed import NOW
from tests.sample_shop.retrieval import call, code, codes, shop_fixture  # noqa: F401
from tribal.adapters.sqlite.index import SqliteIndex
from tribal.capabilities.retrieval.toolbox import Toolbox
from tribal.identity.scope import Scope

ASKED: dict[str, dict[str, Any]] = {
    "search_tables": {"query": "customer", "limit": 20},
    "get_table_schema": {"table": "web.public.visit"},
    "get_join_path": {"source_table": "web.public.visit", "target_table": "web.public.customer"},
    "get_domain_overview": {"domain": "marketing"},
    "list_domains": {},
    "get_query_context": {"question": "visits by customer", "database": "web"},
    "check_sql": {"sql": "SELECT 1", "database": "shop"},
    "get_lineage": {"table": "web.public.visit"},
}


@each_case("tool", sorted(ASKED))
def test_an_old_index_answers_with_a_warning(shop: Toolbox, tool: str) -> None:
    def at(hour: int, **options: bool) -> Toolbox:
        return replace(shop, clock=FixedClock(datetime(2026, 11, 22, hour, 45, tzinfo=UTC), **options))

    assert call(at(2), tool, **ASKED[tool]).warnings is None
    assert codes(call(at(4), tool, **ASKED[tool])) == ["RET_INDEX_STALE"]
    assert call(at(4, is_fixed=True), tool, **ASKED[tool]).warnings is None
    assert NOW.startswith("2026-11-21T02:45")


@each_case("tool", sorted(ASKED))
def test_without_an_index_every_tool_says_what_to_do(tool: str, tmp_path: Any) -> None:
    nothing = Toolbox(SqliteIndex(tmp_path / "none.db"), None, FixedClock())
    answer = call(nothing, tool, **ASKED[tool])
    assert code(answer) == "RET_INDEX_NOT_READY"
    assert "`tribal run`" in answer.error.message


@each_case("tool", sorted(ASKED))
def test_tokens_used_is_the_size_of_the_answer(shop: Toolbox, tool: str) -> None:
    answer = call(shop, tool, **ASKED[tool])
    bare = answer.model_copy(update={"tokens_used": 0}).to_compact_json()
    assert answer.tokens_used == -(-len(bare) // 4) > 10


@each_case("tool", sorted(ASKED))
def test_every_description_tells_whose_words_it_is(shop: Toolbox, tool: str) -> None:
    pending: list[Any] = [call(shop, tool, **ASKED[tool]).model_dump(mode="json")]
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            assert "description" not in value or value["description_source"] in ("human", "comment", "model", "derived")
            pending += value.values()
        elif isinstance(value, list):
            pending += value


HIDDEN_WORDS = ["order", "stock", "product", "employee", "Leave", "web", "visit", "shipment", "warehouse", "sales"]


@each_case("tool", sorted(ASKED))
def test_nothing_outside_the_scope_shows_anywhere(shop: Toolbox, tool: str) -> None:
    scoped = replace(shop, scope=Scope(schemas=frozenset({("shop", "crm")})))
    questions: dict[str, list[dict[str, Any]]] = {
        "search_tables": [{"query": "customer region", "limit": 20}, {"query": "x", "database": "we"}],
        "get_table_schema": [{"table": "shop.crm.customer"}, {"table": "cust"}, {"table": "shop.crm.ordr"}],
        "get_join_path": [
            {"source_table": "address", "target_table": "region"},
            {"source_table": "a", "target_table": "b"},
        ],
        "get_domain_overview": [{"domain": "customers"}, {"domain": "sal"}],
        "list_domains": [{}, {"database": "w"}],
        "get_query_context": [{"question": "customer region"}, {"tables": ["address"]}, {"tables": ["ordr"]}],
        "check_sql": [
            {"sql": "SELECT ordr_id FROM ordr JOIN address USING (region)", "database": "shop"},
            {"sql": "SELECT 1", "database": "w"},
        ],
        "get_lineage": [{"table": "shop.crm.customer"}, {"table": "ordr"}],
    }
    for question in questions[tool]:
        text = call(scoped, tool, **question).to_compact_json().decode()
        assert not [word for word in HIDDEN_WORDS if word in text], text


def test_totals_and_paths_keep_to_the_scope(shop: Toolbox) -> None:
    scoped = replace(shop, scope=Scope(schemas=frozenset({("shop", "crm"), ("shop", "stock")})))
    assert call(scoped, "search_tables", query="customer", limit=20).total_matches == 3
    assert [domain.table_count for domain in call(scoped, "list_domains").domains] == [3, 3]
    # The only way between them leads through the sales schema.
    path = call(scoped, "get_join_path", source_table="crm.customer", target_table="product", max_hops=10)
    assert (path.success, path.path_found) == (True, False)
    hidden = call(scoped, "get_table_schema", table="shop.sales.order_line")
    assert code(hidden) == "RET_TABLE_NOT_FOUND"
    assert not any("sales" in name for name in hidden.error.context["suggestions"])
    schema = call(scoped, "get_table_schema", table="shop.stock.product")
    assert "shop.sales.order_line" not in {table.name for table in schema.schema_.related_tables}


def test_the_overview_of_a_domain_that_is_joined_to_hidden_ones_is_left_out_and_said_to_be(shop: Toolbox) -> None:
    assert call(shop, "get_domain_overview", domain="customers", database="shop").er_diagram is not None
    scoped = replace(shop, scope=Scope(schemas=frozenset({("shop", "crm")})))
    answer = call(scoped, "get_domain_overview", domain="customers")
    assert (answer.er_diagram, answer.common_joins, answer.description) == (None, None, "")
    assert len(answer.tables) == 3
    assert codes(answer) == ["RET_ANSWER_PARTIAL"]


def test_keys_to_hidden_tables_are_left_out_and_said_to_be(shop: Toolbox) -> None:
    scoped = replace(shop, scope=Scope(schemas=frozenset({("shop", "sales")})))
    answer = call(scoped, "get_table_schema", table="order_header")
    assert answer.schema_.foreign_keys == []
    assert codes(answer) == ["RET_ANSWER_PARTIAL"]
