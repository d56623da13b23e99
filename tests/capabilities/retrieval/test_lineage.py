"""Tool `get_lineage`: through views in both directions, and only as far as the caller may see."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from tests.sample_shop.indexed import table_document
from tests.sample_shop.retrieval import call, code, toolbox_over
from tribal.capabilities.retrieval.toolbox import Toolbox
from tribal.identity.scope import Scope
from tribal.joins.lineage import TableReads, affected_views
from tribal.ports import IndexFilter
from tribal_contracts import LineageVia, ReadColumn, TableDocument

PUB = Scope(schemas=frozenset({("shop", "pub"), ("shop", "top")}))
Read = tuple[str | None, str, str, LineageVia]


def view(
    name: str, columns: str, *reads: Read, problem: str | None = None, tables: tuple[str, ...] = ()
) -> TableDocument:
    edges = [ReadColumn(column=own, from_table=of, from_column=other, via=via) for own, of, other, via in reads]
    named = sorted({*tables, *(edge.from_table for edge in edges)})
    update = {"kind": "view", "lineage": edges, "lineage_problem": problem, "reads": named, "reads_total": len(named)}
    return table_document(name, columns, domain="sales").model_copy(update=update)


def documents() -> list[TableDocument]:
    """A table, a hidden view over it, one above that, and a chain that the caller may see."""
    found = [
        table_document("shop.pub.orders", "id total state", domain="sales"),
        view("shop.pub.v_open", "id sum", ("id", "shop.pub.orders", "id", "direct"),
             ("sum", "shop.pub.orders", "total", "aggregated"), (None, "shop.pub.orders", "state", "filter")),
        view("shop.top.v_best", "id", ("id", "shop.pub.v_open", "id", "direct")),
        view("shop.vault.v_secret", "id", ("id", "shop.pub.orders", "id", "computed")),
        view("shop.top.v_from_secret", "id", ("id", "shop.vault.v_secret", "id", "direct")),
        view("shop.top.v_odd", "id", problem="cannot parse near 'vault'", tables=("shop.pub.orders",)),
        view("shop.top.v_count", "n", tables=("shop.pub.v_open",)),
    ]  # fmt: skip
    readers = {
        name: sorted(each.name for each in found if name in (each.reads or ())) for name in (one.name for one in found)
    }
    return [
        one.model_copy(update={"read_by": readers[one.name] or None, "read_by_total": len(readers[one.name]) or None})
        for one in found
    ]


@pytest.fixture(name="shop", scope="module")
def shop_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Toolbox]:
    toolbox = toolbox_over(tmp_path_factory.mktemp("lineage"), None, documents())
    yield toolbox
    toolbox.index.close()


def lineage(toolbox: Toolbox, table: str, **more: Any) -> Any:
    answer = call(toolbox, "get_lineage", table=table, **more)
    assert answer.success, answer.error
    return answer


def edges(answer: Any) -> list[str]:
    def end(one: Any) -> str:
        return f"{one.table.removeprefix('shop.')}{'.' + one.column if one.column else ''}"

    return [f"{end(edge.from_)} > {end(edge.to)} {edge.via}" for edge in answer.edges]


def test_a_view_is_followed_up_to_its_tables_nearest_first(shop: Toolbox) -> None:
    answer = lineage(shop, "v_best", direction="upstream")
    assert edges(answer) == [
        "pub.v_open.id > top.v_best.id direct",
        "pub.orders.id > pub.v_open.id direct",
        "pub.orders.total > pub.v_open.sum aggregated",
        "pub.orders.state > pub.v_open filter",
    ]
    assert [node.table for node in answer.nodes] == ["shop.top.v_best", "shop.pub.v_open", "shop.pub.orders"]
    assert not answer.truncated
    assert edges(lineage(shop, "v_best", direction="upstream", depth=1)) == ["pub.v_open.id > top.v_best.id direct"]


def test_a_column_is_followed_alone_and_a_condition_ends_its_way(shop: Toolbox) -> None:
    assert edges(lineage(shop, "orders", column="STATE", direction="downstream"))[0] == (
        "pub.orders.state > pub.v_open filter"
    )
    assert [each for each in edges(lineage(shop, "orders", column="id")) if "v_odd" not in each] == [
        "pub.orders.id > pub.v_open.id direct",
        "pub.orders.id > vault.v_secret.id computed",
        "pub.v_open.id > top.v_best.id direct",
        "vault.v_secret.id > top.v_from_secret.id direct",
    ]


def test_a_view_that_was_not_read_has_a_reason_and_its_tables(shop: Toolbox) -> None:
    answer = lineage(shop, "v_odd")
    assert edges(answer) == ["pub.orders > top.v_odd computed"]
    assert [(each.table, each.reason) for each in answer.unresolved] == [
        ("shop.top.v_odd", "cannot parse near 'vault'")
    ]


def test_no_hidden_table_appears_and_a_way_through_one_ends_there(shop: Toolbox) -> None:
    bounded = replace(shop, scope=PUB)
    for name in ("orders", "v_best", "v_odd", "v_from_secret"):
        assert "vault" not in lineage(bounded, name).to_json().decode()
    assert not any("secret" in each for each in edges(lineage(bounded, "orders")))
    assert edges(lineage(bounded, "v_from_secret")) == []
    schema = call(bounded, "get_table_schema", table="orders").schema_
    assert (schema.read_by, schema.read_by_total) == (["shop.pub.v_open", "shop.top.v_odd"], 2)
    assert call(shop, "get_table_schema", table="orders").schema_.read_by_total == 3
    assert code(call(bounded, "get_lineage", table="shop.vault.v_secret")) == "RET_TABLE_NOT_FOUND"


def test_an_unknown_column_is_an_error_with_near_names(shop: Toolbox) -> None:
    answer = call(shop, "get_lineage", table="orders", column="totl")
    assert code(answer) == "RET_COLUMN_NOT_FOUND"
    assert answer.error.context["suggestions"] == ["total"]
    assert not call(shop, "get_lineage", table="orders", depth=11).success


def test_a_long_lineage_comes_in_pages_that_make_up_the_whole(shop: Toolbox) -> None:
    whole, small = lineage(shop, "orders"), replace(shop, answer_tokens=230)
    found, cursor = [], None
    while True:
        page = lineage(small, "orders", **({"cursor": cursor} if cursor else {}))
        found += edges(page)
        assert page.truncated == (page.next_cursor is not None)
        if page.next_cursor is None:
            break
        cursor = page.next_cursor
    assert found == edges(whole)


def test_all_readers_are_found_where_a_document_lists_only_some(tmp_path: Any) -> None:
    views = [view(f"shop.pub.v{n}", "id", ("id", "shop.pub.orders", "id", "direct")) for n in range(4)]
    table = table_document("shop.pub.orders", "id", domain="sales")
    toolbox = toolbox_over(tmp_path, None, [
        table.model_copy(update={"read_by": ["shop.pub.v0"], "read_by_total": 4}), *views
    ])  # fmt: skip
    assert len(lineage(toolbox, "orders").edges) == 4
    toolbox.index.close()


def test_what_a_change_affects_includes_what_reads_the_views_that_it_reaches(shop: Toolbox) -> None:
    ids = [entry.record_id for entry in shop.index.tables(IndexFilter())]
    parts = {part.name: part for part in shop.index.documents(ids, TableReads).values()}

    def affected(column: str | None) -> set[str]:
        found = affected_views(
            "shop.pub.orders", column, lambda names: {name: parts[name] for name in names if name in parts}
        )
        return {name.rpartition(".")[2] for name in found}

    assert affected("state") == {"v_open", "v_odd", "v_best", "v_count"}
    assert affected(None) == {"v_open", "v_odd", "v_best", "v_count", "v_secret", "v_from_secret"}
