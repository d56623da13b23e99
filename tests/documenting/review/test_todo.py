"""What is most worth a person's sentence."""

from __future__ import annotations

import yaml

from tests.documenting.review.test_lint import shop_of
from tests.fakes.catalogs import column, table
from tribal.documenting import TodoList, todo
from tribal.rendering.gaps import gaps, unclear
from tribal_contracts import Annotations


def named(found: TodoList) -> list[tuple[str, str | None]]:
    return [(item.table.removeprefix("shop.sales."), item.column) for item in found.items]


def test_what_others_depend_on_comes_first_then_what_is_unclear() -> None:
    shop = shop_of(
        table("sales.customer", column("kdnr", "text"), column("color", "text")),
        table("sales.orders", references=[("customer_id", "sales.customer")]),
        table("sales.visit", references=[("customer_id", "sales.customer")]),
    )
    found = todo(shop.memory, 10)
    assert named(found) == [
        ("customer", None),
        ("customer", "kdnr"),
        ("orders", None),
        ("visit", None),
        ("customer", "color"),
    ]
    assert [item.tables_that_refer for item in found.items] == [2, 2, 0, 0, 2]
    assert found.total == 5
    assert named(todo(shop.memory, 1)) == [("customer", None)]
    assert todo(shop.memory, 1).total == 5


def test_what_someone_has_described_is_not_asked_for() -> None:
    shop = shop_of(table("sales.customer", column("kdnr", "text", comment="Its number."), comment="Who buys."))
    assert todo(shop.memory, 10).items == ()


def test_the_lines_to_fill_in_are_annotations() -> None:
    shop = shop_of(table("sales.Odd Name", column('k"d: nr', "text"), column("no", "text"), column("é", "text")))
    (lines,) = todo(shop.memory, 10).lines().values()
    filled = Annotations.model_validate(yaml.safe_load(lines.replace(': ""', ': "Told."')))
    (told,) = filled.tables.values()
    assert list(filled.tables) == ['sales."Odd Name"']
    assert told.description == "Told."
    assert set(told.columns) == {'k"d: nr', "no", "é"}


def test_a_page_asks_for_the_least_clear_names_first() -> None:
    shop = shop_of(table("sales.thing", column("color", "text"), column("xyzzy", "text")))
    document = shop.document_of("sales.thing")
    assert gaps(document).table
    assert gaps(document).columns == ("xyzzy", "color")
    page = shop.page_of("sales.thing")
    assert '    description: ""\n    columns:\n      "xyzzy": ""\n      "color": ""\n' in page


def test_a_name_without_any_word_is_unclear() -> None:
    assert (unclear("???"), unclear("kdnr"), unclear("customer_kdnr"), unclear("order_line")) == (1.0, 1.0, 0.5, 0.0)
