"""Tables that a question names, in the ways in which people write names."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_case
from tribal.ranking.named import EXACT, GLUED, MISSPELT, SAME_LETTERS, SAME_WORDS, SHORTENED, NamedTables

NAMES = [
    ("shop", "sales", "order_items"),
    ("shop", "sales", "Customer"),
    ("shop", "stock", "WarehouseLocation"),
    ("shop", "crm", "customer_addresses"),
    ("web", "public", "customer"),
    ("web", "public", "note"),
    ("web", "public", "purchaseorderheader"),
    ("web", "public", "naïve_größe"),
    ("web", "public", "__"),
]
KNOWN = frozenset("order items item customer warehouse location address addresses note notes status statue".split())
named_tables = NamedTables(NAMES)


def named(question: str) -> dict[str, float]:
    found = named_tables.named(question, KNOWN.__contains__)
    return {
        ".".join(NAMES[number]): found[number] for number in sorted(found, key=lambda number: (-found[number], number))
    }


@each_case(
    ("question", "table", "certainty"),
    [
        ("order_items", "shop.sales.order_items", EXACT),
        ("ORDER_ITEMS", "shop.sales.order_items", SAME_LETTERS),
        (" `order_items`? ", "shop.sales.order_items", EXACT),
        ("sales.order_items", "shop.sales.order_items", EXACT),
        ("shop.sales.order_items", "shop.sales.order_items", EXACT),
        ("WarehouseLocation", "shop.stock.WarehouseLocation", EXACT),
        ("orderitems", "shop.sales.order_items", GLUED),
        ("OrderItems", "shop.sales.order_items", GLUED),
        ("order items", "shop.sales.order_items", GLUED),
        ("warehouse_location", "shop.stock.WarehouseLocation", GLUED),
        ("purchase order header", "web.public.purchaseorderheader", GLUED),
        ("order item", "shop.sales.order_items", SAME_WORDS),
        ("items of orders", "shop.sales.order_items", SAME_WORDS),
        ("the table of order items", "shop.sales.order_items", SAME_WORDS),
        ("location of warehouses", "shop.stock.WarehouseLocation", SAME_WORDS),
        ("notes", "web.public.note", SAME_WORDS),
        ("header purchase order", "web.public.purchaseorderheader", SAME_WORDS),
        ("oder_items", "shop.sales.order_items", MISSPELT),
        ("warehuse location", "shop.stock.WarehouseLocation", MISSPELT),
        ("custmer adresses", "shop.crm.customer_addresses", MISSPELT),
        ("NAÏVE_GRÖSSE", "web.public.naïve_größe", SAME_LETTERS),
        ("__", "web.public.__", EXACT),
    ],
)
def test_a_table_is_named_however_its_name_is_written(question: str, table: str, certainty: float) -> None:
    assert named(question) == {table: certainty}


@each_case(
    "question",
    [
        "what do `order_items` hold of a customer",
        'how is "sales"."order_items" joined to customers',
        "which columns does shop.sales.order_items have",
        "is orderItems up to date",
    ],
)
def test_an_identifier_within_a_sentence_names_its_table(question: str) -> None:
    assert next(iter(named(question))) == "shop.sales.order_items"


@each_case(
    "question",
    [
        "which customers bought what",
        "noto",
        "nite",
        "status",
        "zzzz qqqq",
        "",
        "   ",
        "?!",
        "本",
        "custmoer adrseses of x",
    ],
)
def test_a_question_that_is_no_name_names_nothing(question: str) -> None:
    assert named(question) == {}


def test_a_name_that_several_tables_have_names_each() -> None:
    assert set(named("customer")) == {"shop.sales.Customer", "web.public.customer"}
    assert list(named("web.public.customer")) == ["web.public.customer"]


def test_a_name_that_says_one_word_twice_is_named_by_saying_it_once() -> None:
    tables = NamedTables([("d", "s", "party_party"), ("d", "s", "party_address")])
    assert tables.named("parties", lambda _: True) == {0: SAME_WORDS}


def test_two_words_of_the_same_stem_are_two() -> None:
    tables = NamedTables([("d", "s", "custom_section"), ("d", "s", "customers_custom_section")])
    assert tables.named("section customers custom", lambda _: True) == {1: SAME_WORDS}


FAMILY = [("d", "shop", f"order_{name}") for name in ("line", "note", "status")]


def test_people_leave_out_the_word_that_names_of_a_family_begin_with() -> None:
    tables = NamedTables(FAMILY)
    assert tables.named("the notes", lambda _: True) == {1: SHORTENED}
    assert tables.named("order notes", lambda _: True) == {1: SAME_WORDS}
    assert tables.named("notes of lines", lambda _: True) == {}


def test_a_word_that_only_two_names_begin_with_or_in_another_schema_is_no_family() -> None:
    assert NamedTables(FAMILY[:2]).named("notes", lambda _: True) == {}
    assert NamedTables([*FAMILY[:2], ("d", "crm", "order_status")]).named("notes", lambda _: True) == {}


def test_a_full_name_goes_before_shortened_ones() -> None:
    assert NamedTables([*FAMILY, ("d", "shop", "notes")]).named("notes", lambda _: True) == {3: EXACT}


def test_the_more_tables_are_called_the_same_for_short_the_less_certain_each_is() -> None:
    others = [("d", "shop", f"basket_{name}") for name in ("line", "coupon", "owner")]
    assert NamedTables([*FAMILY, *others]).named("lines", lambda _: True) == {0: SHORTENED / 2, 3: SHORTENED / 2}


@each_case("question", ["notes", "`notes`", "which columns does d.shop.notes have", "note", "notse"])
def test_only_tables_that_are_searched_are_named(question: str) -> None:
    tables = NamedTables([("d", "shop", "notes"), *FAMILY])
    assert 0 in tables.named(question, lambda _: False)
    assert 0 not in tables.named(question, lambda _: False, lambda number: number > 0)


def test_a_word_that_occurs_in_the_index_is_not_taken_for_a_misspelt_one() -> None:
    tables = NamedTables([("d", "s", "statues")])
    assert tables.named("statuse", lambda _: False) == {0: MISSPELT}
    assert tables.named("statuse", lambda _: True) == {}


def test_a_misspelt_word_is_corrected_where_one_word_alone_is_near() -> None:
    assert named_tables.corrected("custmer") == "customer"
    assert named_tables.corrected("hedaer") == "header"
    assert named_tables.corrected("custmers") == "customer"
    assert NamedTables([("d", "s", "customers")]).corrected("custmer") == "customer"
    assert NamedTables([("d", "s", "order_cables"), ("d", "s", "tables")]).corrected("rables") is None
    assert NamedTables([("d", "s", "address"), ("d", "s", "addresses")]).corrected("adress") == "address"
    assert named_tables.corrected("nite") is None
    assert NamedTables([]).corrected("customer") is None


def test_a_question_longer_than_a_name_can_be_is_none() -> None:
    assert named("order items " + " " * 300 + "x") == {}


@given(st.text(max_size=60), st.lists(st.text(min_size=1, max_size=20), max_size=6))
def test_any_question_can_be_asked_of_any_names(question: str, tables: list[str]) -> None:
    found = NamedTables([("d", "s", table) for table in tables]).named(question, lambda _: False)
    assert set(found) <= set(range(len(tables)))
    assert all(0 < certainty <= 1 for certainty in found.values())


@given(st.lists(st.from_regex(r"\w[\w $.-]{0,18}\w", fullmatch=True), min_size=1, max_size=6))
def test_every_name_names_its_table_as_certainly_as_can_be(tables: list[str]) -> None:
    of_any = NamedTables([("d", "s", table) for table in tables])
    for number, table in enumerate(tables):
        assert of_any.named(table, lambda _: True)[number] == EXACT
        assert of_any.named(f"d.s.{table}", lambda _: True)[number] == EXACT


@each_case(
    ("words", "tables"),
    [
        (["customer", "note"], [["shop.sales.Customer", "web.public.customer"], ["web.public.note"]]),
        (
            ["pending", "orders", "items", "customers"],
            [["shop.sales.order_items"], ["shop.sales.Customer", "web.public.customer"]],
        ),
        (["items", "of", "orders"], []),
        ([], []),
    ],
)
def test_runs_of_words_name_tables_the_longest_first(words: list[str], tables: list[list[str]]) -> None:
    found = named_tables.spoken([(word,) for word in words])
    assert [[".".join(NAMES[number]) for number in each] for each in found] == tables


def test_a_word_by_itself_may_mean_another_and_names_the_table_of_that() -> None:
    assert named_tables.spoken([("client", "customer")]) == named_tables.spoken([("customer",)])
    assert named_tables.spoken([("order", "customer"), ("items",)]) == [[0]]
