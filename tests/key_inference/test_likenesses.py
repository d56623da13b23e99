"""Columns that are alike in name are guessed to be joined, those that are not are not."""

from __future__ import annotations

import sys
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cases import each_case
from tests.key_inference.pairwise_keys import pairwise_keys
from tests.plugins.verify import examples
from tests.sample_shop.indexed import Key, table_document
from tribal.joins.outline import TableOutline
from tribal.key_inference.guesses import LIKELY
from tribal.key_inference.similar_names import MOST_KEYS, SAME_NAME, SHARED, WITH_A_ROLE, alike_columns
from tribal_contracts import DocumentedKey, TableDocument


def table(name: str, columns: str, *, types: str = "integer", key: bool = True) -> TableOutline:
    """A table whose columns are all of one type; its first column is its primary key."""
    made = _outline(table_document(f"db.s.{name}", columns, domain="d"))
    typed = [column.model_copy(update={"type": types}) for column in made.columns]
    update: dict[str, object] = {"columns": typed}
    return made.model_copy(update=update if key else {**update, "primary_key": None})


def _outline(table: TableDocument) -> TableOutline:
    return TableOutline.from_json(table.to_json())


def told(*tables: TableOutline) -> set[tuple[str, float]]:
    """What is guessed, as text, with its confidence."""
    return {
        (
            f"{guess.pair.from_table[5:]}.{guess.pair.from_columns[0]} = "
            f"{guess.pair.to_table[5:]}.{guess.pair.to_columns[0]}",
            guess.confidence,
        )
        for guess in alike_columns(tables)
    }


@each_case(
    ("child", "parent", "expected"),
    [
        (table("sale", "id car_id"), table("car", "id vin"), ("sale.car_id = car.id", SAME_NAME)),
        (table("sale", "id carId"), table("Cars", "Id vin"), ("sale.carId = Cars.Id", SAME_NAME)),
        (table("visit", "id CustomerID"), table("customers", "CustomerID"), None),
        (table("match", "id home_team_id"), table("team", "id"), ("match.home_team_id = team.id", WITH_A_ROLE)),
        (table("sbTrade", "sbTxId sbTxCustId"), table("sbCustomer", "sbCustId"), None),
        (table("writes", "aid pid", key=False), table("author", "aid name", key=False), None),
    ],
)
def test_a_column_called_as_a_table_and_its_key_references_it(
    child: TableOutline, parent: TableOutline, expected: tuple[str, float] | None
) -> None:
    found = told(child, parent)
    assert len(found) == 1
    if expected:
        assert found == {expected}


def test_a_name_that_ends_with_a_column_of_the_table_speaks_of_that_column() -> None:
    assert told(table("card", "id set_code"), table("sets", "id code")) == {("card.set_code = sets.code", SAME_NAME)}


@each_case(
    ("one", "other"),
    [
        (table("a", "id name code"), table("b", "id name code")),
        (table("sale", "id car_id"), table("car", "id", types="text")),
        (table("sale", "id car_id", types="interval"), table("car", "id", types="interval")),
        (table("sale", "id car_id", types="integer[]"), table("car", "id", types="integer[]")),
        (table("sale", "id car_color"), table("car", "id color")),
        (table("sale", "id created_by"), table("user", "id")),
    ],
)
def test_what_is_in_every_table_or_cannot_be_compared_joins_nothing(one: TableOutline, other: TableOutline) -> None:
    assert told(one, other) == set()


def test_a_declared_key_is_not_guessed_again() -> None:
    sale = table_document("db.s.sale", "id car_id", domain="d", keys=[Key(("car_id",), "s.lorry", ("id",))])
    assert told(_outline(sale), table("car", "id"), table("lorry", "id")) == set()


def test_a_column_of_a_composite_key_is_no_parent_by_itself() -> None:
    line = table("line", "order_no line_no")
    both = line.model_copy(update={"primary_key": DocumentedKey(name="pk", columns=["order_no", "line_no"])})
    assert told(table("shipment", "id line_id"), both) == set()


def test_the_table_whose_name_the_column_says_comes_before_others_with_the_same_key() -> None:
    found = told(table("sale", "id customer_id"), table("customer", "customer_id"), table("address", "customer_id"))
    assert ("sale.customer_id = customer.customer_id", SAME_NAME) in found
    assert not any("sale.customer_id = address" in text for text, _ in found)


def test_two_columns_called_the_same_are_joined_when_no_one_knows_whose_key_they_are() -> None:
    one, other = table("loan", "branch_no loan_no", key=False), table("visit", "day branch_no", key=False)
    assert ("loan.branch_no = visit.branch_no", SHARED) in {
        *told(one, other),
        *((" = ".join(text.split(" = ")[::-1]), value) for text, value in told(one, other)),
    }


def test_a_column_that_very_many_tables_have_joins_nothing() -> None:
    tables = [table(f"t{number}", f"x{number} tenant_id", key=False) for number in range(13)]
    assert told(*tables[:12]) != set()
    assert told(*tables) == set()


names = st.lists(
    st.sampled_from(["id", "a_id", "b_id", "a", "code", "x_b_id", "n"]), min_size=1, max_size=4, unique=True
)


@given(st.lists(names, min_size=1, max_size=5), st.integers(0, 99))
def test_whatever_the_tables_and_their_order_each_pair_of_columns_is_guessed_once(
    columns: list[list[str]], seed: int
) -> None:
    tables = [table("abxyz"[place], " ".join(some)) for place, some in enumerate(columns)]
    guesses = alike_columns(tables)
    ends = [
        frozenset(((g.pair.from_table, *g.pair.from_columns), (g.pair.to_table, *g.pair.to_columns))) for g in guesses
    ]
    assert len(ends) == len(set(ends))
    assert all(g.evidence and 0 < g.confidence < LIKELY for g in guesses)
    assert all(g.pair.from_table != g.pair.to_table for g in guesses)
    shuffled = alike_columns(Random(seed).sample(tables, len(tables)))
    assert {frozenset((g.pair.from_table, g.pair.to_table)) for g in shuffled} == {
        frozenset((g.pair.from_table, g.pair.to_table)) for g in guesses
    }


parts = st.sampled_from(["a", "b", "c", "cust", "id", "code", "key", "no", "_"])
identifiers = st.lists(parts, min_size=1, max_size=4).map("_".join) | st.sampled_from(["aid", "bid", "_", "__"])
kinds = st.sampled_from(["integer", "integer", "text", "uuid", "interval"])
layouts = st.tuples(
    st.lists(st.tuples(identifiers, kinds), min_size=1, max_size=7, unique_by=lambda column: column[0]),
    st.sampled_from(["first", "last", "two", "unique", "none"]),
)


def laid_out(name: str, columns: list[tuple[str, str]], keys: str) -> TableOutline:
    """A table with these columns and types, and a key as said."""
    made = _outline(table_document(f"db.s.{name}", " ".join(column for column, _ in columns), domain="d"))
    types = dict(columns)
    typed = [column.model_copy(update={"type": types[column.name]}) for column in made.columns]
    names = {"first": [columns[0][0]], "last": [columns[-1][0]], "two": [columns[0][0], columns[-1][0]]}.get(keys)
    unique = [DocumentedKey(name="u", columns=[columns[-1][0]])] if keys == "unique" else []
    primary = DocumentedKey(name="pk", columns=names) if names else None
    return made.model_copy(update={"columns": typed, "primary_key": primary, "unique_keys": unique})


@given(st.dictionaries(identifiers, layouts, min_size=1, max_size=6))
@settings(max_examples=examples(60, 200))
def test_the_keys_are_those_that_comparing_every_column_with_every_table_finds(
    schema: dict[str, tuple[list[tuple[str, str]], str]],
) -> None:
    tables = [laid_out(name, *layout) for name, layout in schema.items()]
    found = {
        (g.pair.from_table, *g.pair.from_columns, g.pair.to_table, *g.pair.to_columns): g.confidence
        for g in alike_columns(tables)
    }
    assert found == pairwise_keys(tables)


def _worst(number: int, columns: int) -> list[TableOutline]:
    """Tables that every one of their many columns fits."""
    return [
        table(f"x{place}_data", "id " + " ".join(f"y{place}_{each}_data_id" for each in range(columns - 1)))
        for place in range(number)
    ]


def test_the_work_grows_with_the_columns_and_not_with_the_pairs_of_columns_and_tables() -> None:
    def calls(tables: list[TableOutline]) -> int:
        made = 0

        def count(_frame: object, event: str, _argument: object) -> None:
            nonlocal made
            made += event == "call"

        sys.setprofile(count)
        try:
            alike_columns(tables)
        finally:
            sys.setprofile(None)
        return made

    few, many = (
        [table(f"t{place}", " ".join(f"c{size}_{place}_{each}_id" for each in range(40))) for place in range(size)]
        for size in (10, 40)
    )
    assert calls(many) < 6 * calls(few)


def test_where_every_name_fits_every_table_the_clearest_keys_are_kept_and_no_more_than_the_limit() -> None:
    tables = [*_worst(60, 40), table("car", "id vin"), table("sale", "id car_id")]
    guesses = alike_columns(tables)
    assert 0 < len(guesses) <= MOST_KEYS < 60 * 39 * 59
    assert ("db.s.sale", "db.s.car") in {(g.pair.from_table, g.pair.to_table) for g in guesses}


def test_of_a_table_that_is_full_of_keys_the_first_hundred_are_compared() -> None:
    parents = [table(f"p{place}x", "id vin") for place in range(102)]
    child = table("child", "pk " + " ".join(f"p{place}x_id" for place in range(102)))
    assert {text for text, _ in told(*parents, child)} == {f"child.p{place}x_id = p{place}x.id" for place in range(100)}
