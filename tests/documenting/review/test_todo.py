"""What is most worth a person's sentence."""

from __future__ import annotations

import yaml

from tests.documenting.review.test_lint import shop_of
from tests.fakes.catalogs import column, table
from tests.fakes.interrogation import open_gap
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
        ("orders", None),
        ("visit", None),
        ("customer", "kdnr"),
        ("customer", "color"),
    ]
    assert [item.tables_that_refer for item in found.items] == [2, 0, 0, 2, 2]
    assert found.total == 5
    assert named(todo(shop.memory, 1)) == [("customer", None)]
    assert todo(shop.memory, 1).total == 5


def test_the_items_of_one_table_do_not_follow_each_other() -> None:
    hub = table("sales.hub", *(column(name, "text") for name in ("kdnr", "qx", "zzt", "xyzzy")))
    others = [table(f"sales.t{number}", references=[("hub_id", "sales.hub")]) for number in range(9)]
    listed = [item for item, _ in named(todo(shop_of(hub, *others).memory, 7))]
    assert [item == "hub" for item in listed] == [True, False, True, False, True, False, True]


def test_names_that_explain_themselves_are_not_asked_for() -> None:
    plain = ("created_at", "addressLine2", "First Name", "email")
    columns = [column(name, "bytea") for name in (*plain, "status", "no", "rate2")]
    shop = shop_of(table("sales.customer", *columns))
    assert {item.column for item in todo(shop.memory, 10).items} == {None, "status", "no", "rate2"}


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


def test_what_blocks_most_questions_comes_first_even_if_it_is_described() -> None:
    shop = shop_of(
        table("sales.customer", column("kdnr", "text"), column("color", "text", comment="The paint.")),
        table("sales.orders", references=[("customer_id", "sales.customer")]),
    )
    customer, orders = shop.document_of("sales.customer"), shop.document_of("sales.orders")
    open_gaps = [
        open_gap(orders, None, "how many?"),
        open_gap(customer, "color", "which?", "why?"),
        open_gap(customer, "color", "which?", "who?"),
        open_gap(customer, "kdnr", "when?", severity="low"),
    ]
    found = todo(shop.memory, 10, open_gaps)
    assert named(found) == [("customer", "color"), ("orders", None), ("customer", None), ("customer", "kdnr")]
    color, whole, *rest = found.items
    assert (color.blocked.count, color.blocked.questions) == (3, ("which?", "why?", "who?"))
    assert color.blocked.lacks == ("nothing says what shop.sales.customer.color is",)
    assert (color.described_by, whole.described_by) == ("comment", None)
    assert whole.blocked.questions == ("how many?",)
    assert not any(item.blocked.count for item in rest), "a low gap blocks no question"
    (lines,) = found.lines().values()
    assert '"color": ""' in lines


def test_a_persons_text_closes_the_gaps_of_its_column_and_table_in_the_next_run() -> None:
    shop = shop_of(table("sales.customer", column("kdnr", "text"), column("color", "text", comment="The paint.")))
    document = shop.document_of("sales.customer")
    found = [open_gap(document, name, f"{name}?") for name in ("kdnr", "color", None)]

    def blocking() -> set[str | None]:
        return {item.column for item in todo(shop.memory, 10, found).items if item.blocked.count}

    assert blocking() == {"kdnr", "color", None}
    shop.memory.put("annotations/shop.yaml", b"tables: {sales.customer: {columns: {kdnr: Its number.}}}")
    assert blocking() == {"kdnr", "color", None}, "the document still says the same"
    shop.run()
    assert blocking() == {"color"}
    shop.replace(table("sales.customer", column("kdnr", "text")))
    shop.run()
    assert blocking() == set()


def test_lines_to_fill_in_leave_out_what_a_person_wrote() -> None:
    shop = shop_of(table("sales.customer", column("kdnr", "text"), comment="Who buys."))
    shop.memory.put("annotations/shop.yaml", b"tables: {sales.customer: {columns: {kdnr: Its number.}}}")
    shop.run()
    found = todo(shop.memory, 10, [open_gap(shop.document_of("sales.customer"), "kdnr", "which?")])
    assert [item.described_by for item in found.items] == ["human"]
    assert found.lines() == {}


def test_words_are_listed_apart() -> None:
    shop = shop_of(table("sales.customer", comment="Who buys."))
    word = open_gap(shop.document_of("sales.customer"), None, "what is churn?", "how much churn?")
    rare = word.model_copy(update={"target": "word:arr", "questions": word.questions[:1]})
    found = todo(shop.memory, 10, [rare, word.model_copy(update={"target": "word:churn"})])
    assert found.items == ()
    assert [(each.word, each.blocked.count) for each in found.words] == [("churn", 2), ("arr", 1)]
