"""Tools `get_table_schema` and `get_join_path` over the shop."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cases import each_case
from tests.sample_shop.indexed import NOW, table_document
from tests.sample_shop.retrieval import call, code, shop_fixture, toolbox_over  # noqa: F401
from tribal.capabilities.retrieval.toolbox import Toolbox


def test_a_table_is_shown_with_its_keys_and_both_kinds_of_related_tables(shop: Toolbox) -> None:
    answer = call(shop, "get_table_schema", table="shop.sales.order_line")
    schema = answer.schema_
    assert [column.name for column in schema.columns] == ["order_id", "line_no", "product_id", "qty", "unit_price"]
    assert schema.primary_key == ["order_id"]
    assert [(key.columns, key.references_table) for key in schema.foreign_keys] == [
        (["order_id"], "shop.sales.order_header"),
        (["product_id"], "shop.stock.product"),
    ]
    assert {(table.name, table.relationship, tuple(table.via_columns)) for table in schema.related_tables} == {
        ("shop.sales.order_header", "references", ("order_id",)),
        ("shop.stock.product", "references", ("product_id",)),
        ("shop.sales.shipment", "referenced_by", ("order_id", "line_no")),
    }
    assert schema.documentation == "docs/shop/sales/sales.order_line.md"
    assert all(column.samples is None for column in schema.columns)
    parts = len(schema.columns) + len(schema.related_tables) + len(schema.foreign_keys) + len(schema.indexes)
    assert (answer.total, answer.returned, answer.truncated, answer.next_cursor) == (parts, parts, False, None)


def test_samples_and_relationships_come_as_asked_for(shop: Toolbox) -> None:
    asked = call(shop, "get_table_schema", table="customer", include_samples=True, include_relationships=False)
    assert code(asked) == "RET_TABLE_NOT_FOUND"
    asked = call(shop, "get_table_schema", table="crm.customer", include_samples=True, include_relationships=False)
    samples = {column.name: column.samples for column in asked.schema_.columns}
    assert samples["name"] == ["Alder & Sons"]
    assert samples["email"] == []
    assert asked.schema_.related_tables is None


@each_case(
    ("typed", "meant"),
    [
        ("shop.crm.address", "shop.crm.address"),
        ("SHOP.CRM.ADDRESS", "shop.crm.address"),
        ("address", "shop.crm.address"),
        (" sales.Order_Line ", "shop.sales.order_line"),
        ("leave request", 'shop.hr."Leave Request"'),
        ('"Leave Request"', 'shop.hr."Leave Request"'),
        ("web.public.customer", "web.public.customer"),
    ],
)
def test_a_name_is_understood_where_it_is_unique(shop: Toolbox, typed: str, meant: str) -> None:
    assert call(shop, "get_table_schema", table=typed).schema_.name == meant


@each_case(
    ("typed", "suggested"),
    [
        ("customer", ["shop.crm.customer", "web.public.customer"]),
        ("shop.crm.custmer", ["shop.crm.customer"]),
        ("orderline", ["shop.sales.order_line"]),
        ("shop.sales.product", ["shop.stock.product"]),
        ("a.b.c.d", []),
        ("", []),
        ('"unclosed', []),
    ],
)
def test_an_ambiguous_name_gets_suggestions(shop: Toolbox, typed: str, suggested: list[str]) -> None:
    answer = call(shop, "get_table_schema", table=typed)
    assert code(answer) == "RET_TABLE_NOT_FOUND"
    assert answer.error.context["suggestions"][: len(suggested)] == suggested


@each_case("cursor", ["x", "W10", "eyJhIjoxfQ", "Ww" * 3000, "é", "WyJ4IiwgMF0"])
def test_a_cursor_that_no_answer_gave_is_refused(shop: Toolbox, cursor: str) -> None:
    for tool, arguments in (
        ("get_table_schema", {"table": "address"}),
        ("get_domain_overview", {"domain": "sales"}),
        ("list_domains", {}),
    ):
        assert code(call(shop, tool, **arguments, cursor=cursor)) == "RET_QUERY_INVALID"


def test_a_join_over_several_tables_comes_with_sql(shop: Toolbox) -> None:
    answer = call(shop, "get_join_path", source_table="shipment", target_table="stock.product")
    assert (answer.path_found, answer.hop_count) == (True, 2)
    assert [(step.from_table, step.to_table, step.join_type) for step in answer.path] == [
        ("shop.sales.shipment", "shop.sales.order_line", "LEFT"),
        ("shop.sales.order_line", "shop.stock.product", "LEFT"),
    ]
    assert answer.sql_snippet == (
        "SELECT t0.*, t1.*, t2.*\n"
        "FROM sales.shipment AS t0\n"
        "LEFT JOIN sales.order_line AS t1\n"
        "  ON t0.order_id = t1.order_id AND t0.line_no = t1.line_no\n"
        "LEFT JOIN stock.product AS t2\n"
        "  ON t1.product_id = t2.product_id\n"
        "LIMIT 100"
    )


def test_child_to_parent_is_inner_and_back_is_left(shop: Toolbox) -> None:
    there = call(shop, "get_join_path", source_table="order_line", target_table="crm.customer")
    assert [step.join_type for step in there.path] == ["INNER", "INNER"]
    back = call(shop, "get_join_path", source_table="crm.customer", target_table="order_line")
    assert [step.join_type for step in back.path] == ["LEFT", "LEFT"]


def test_no_path_between_known_tables_is_an_answer(shop: Toolbox) -> None:
    answer = call(shop, "get_join_path", source_table="employee", target_table="address")
    assert (answer.success, answer.path_found, answer.path, answer.sql_snippet) == (True, False, None, None)
    assert (answer.source, answer.target) == ("shop.hr.employee", "shop.crm.address")
    short = call(shop, "get_join_path", source_table="shipment", target_table="stock_level", max_hops=2)
    assert not short.path_found
    assert call(shop, "get_join_path", source_table="shipment", target_table="stock_level").hop_count == 3


def test_a_table_and_itself(shop: Toolbox) -> None:
    own = call(shop, "get_join_path", source_table="employee", target_table="hr.employee")
    assert (own.hop_count, own.path[0].on_clause) == (1, "t0.mgr_emp_no = t1.emp_no")
    none = call(shop, "get_join_path", source_table="visit", target_table="visit")
    assert (none.path_found, none.hop_count, none.path) == (True, 0, [])


@pytest.mark.parametrize("max_hops", [0, 11, -1])
def test_hops_out_of_range_are_refused_with_the_inputs_echoed(shop: Toolbox, max_hops: int) -> None:
    answer = call(shop, "get_join_path", source_table="a", target_table="b", max_hops=max_hops)
    assert code(answer) == "RET_QUERY_INVALID"
    assert (answer.source, answer.target, answer.path_found) == ("a", "b", False)


def test_a_view_is_shown_with_its_kind_dialect_and_sql(tmp_path: Path) -> None:
    documents = [
        table_document("db.s.invoice", "id status", domain="d"),
        table_document("db.s.unpaid", "id", domain="d").model_copy(
            update={"kind": "view", "view_definition": "SELECT id FROM s.invoice" + " " * 9_000, "row_count_at": NOW}
        ),
    ]
    status = (
        documents[0]
        .columns[1]
        .model_copy(
            update={"allowed_values": ["open"], "allowed_values_from": "check", "allowed_values_complete": True}
        )
    )
    documents[0] = documents[0].model_copy(update={"columns": [documents[0].columns[0], status]})
    toolbox = toolbox_over(tmp_path, None, documents)
    view = call(toolbox, "get_table_schema", table="unpaid").schema_
    assert (view.kind, view.dialect, view.row_count_at) == ("view", "postgres", NOW)
    assert (view.definition[:24], len(view.definition), view.definition_truncated) == (
        "SELECT id FROM s.invoice",
        8_192,
        True,
    )
    table = call(toolbox, "get_table_schema", table="invoice").schema_
    assert (table.kind, table.definition) == ("table", None)
    assert [(column.allowed_values, column.allowed_values_from) for column in table.columns] == [
        (None, None),
        (["open"], "check"),
    ]
    toolbox.index.close()
