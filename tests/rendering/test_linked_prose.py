"""Names of tables in a model's prose become links."""

from __future__ import annotations

from tribal.rendering.names import linked_prose

PAGES = {
    "shop.sales.orders": "shop/sales/sales.orders.md",
    "shop.sales.orders_old": "shop/sales/sales.orders_old.md",
    'shop."odd schema"."Order Items"': "shop/sales/odd.md",
}
HERE = "shop/crm/crm.customer.md"


def test_the_name_of_a_table_is_a_link_and_the_words_around_it_keep_their_spaces() -> None:
    said = linked_prose("Customers of sales.orders, once each.", PAGES, HERE)
    assert said == "Customers of [sales.orders](../sales/sales.orders.md), once each."


def test_the_longest_name_that_stands_there_is_the_one_that_is_linked() -> None:
    assert linked_prose("sales.orders_old", PAGES, HERE) == "[sales.orders_old](../sales/sales.orders_old.md)"
    assert "[" not in linked_prose("sales.orders_new and mysales.orders", PAGES, HERE)


def test_a_quoted_name_is_linked_too() -> None:
    assert "(../sales/odd.md)" in linked_prose('See "odd schema"."Order Items".', PAGES, HERE)


def test_text_around_a_link_is_escaped() -> None:
    said = linked_prose("<b> [x](y) of sales.orders", PAGES, HERE)
    assert "<b>" not in said
    assert "[x](" not in said
    assert said.endswith("[sales.orders](../sales/sales.orders.md)")


def test_without_tables_it_is_escaped_text() -> None:
    assert linked_prose("a < b", {}, HERE) == "a &lt; b"
