"""Names of tables, and the store keys that are built from them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_case
from tribal.identity.table_names import (
    TableIdentity,
    domain_name,
    format_name,
    look_up,
    names_with_capitals,
    parse_name,
    store_name,
)
from tribal.sql.dialect import legible_identifier, quote_identifier
from tribal_contracts import DatabaseType

names = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=63)


@given(st.tuples(names, names, names))
def test_a_formatted_name_reads_back_as_the_same_parts(parts: tuple[str, str, str]) -> None:
    assert parse_name(format_name(parts)) == parts
    assert str(TableIdentity.parse(format_name(parts))) == format_name(parts)


@given(st.tuples(names, names), st.tuples(names, names))
def test_distinct_names_get_distinct_store_names_even_where_case_does_not_count(
    one: tuple[str, str], other: tuple[str, str]
) -> None:
    assert (store_name(*one).lower() == store_name(*other).lower()) == (one == other)


@given(st.lists(names, min_size=1, max_size=3))
def test_a_store_name_is_safe_on_every_file_system(parts: list[str]) -> None:
    name = store_name(*parts)
    assert re.fullmatch(r"[a-z0-9._~-]{1,200}", name)
    assert not name.startswith(".")
    assert ".." not in name


@each_case(
    ("one", "other"),
    [(("a.b", "c"), ("a", "b.c")), (("public", "Users"), ("public", "users")), (("../../x", "y"), ("x", "y"))],
)
def test_names_that_look_alike_stay_apart(one: tuple[str, str], other: tuple[str, str]) -> None:
    assert store_name(*one) != store_name(*other)
    assert "/" not in store_name(*one)


def test_a_plain_name_is_its_own_store_name() -> None:
    assert store_name("sales", "order_line") == "sales.order_line"


def test_a_name_keeps_its_capitals_unless_another_one_differs_only_in_case() -> None:
    tables = [
        ("public", "MonthlyStat"),
        ("public", "Users"),
        ("public", "users"),
        ("PUBLIC", "Orte"),
        ("public", "Ärzte"),
    ]
    assert names_with_capitals(tables) == {
        ("public", "MonthlyStat"): "public.MonthlyStat",
        ("PUBLIC", "Orte"): "PUBLIC.Orte",
    }


@given(st.lists(st.tuples(st.sampled_from(["s", "S"]), names), unique=True, max_size=8))
def test_files_of_distinct_tables_are_distinct_even_where_case_does_not_count(tables: list[tuple[str, str]]) -> None:
    kept = names_with_capitals(tables)
    files = [(kept.get(parts) or store_name(*parts)).casefold() for parts in tables]
    assert len(set(files)) == len(tables)


@each_case(
    ("text", "reason"),
    [
        ("", "empty part"),
        ("a..b", "empty part"),
        ("a.", "empty part"),
        ('""', "empty part"),
        ('"a', "not closed"),
        ('a."b"c', "expected a dot"),
    ],
)
def test_a_name_that_cannot_be_read_says_why(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        parse_name(text)


def test_a_table_is_found_exactly_then_folded_then_without_regard_to_case() -> None:
    users, loud_users = TableIdentity("db", "public", "users"), TableIdentity("db", "public", "USERS")
    orders = TableIdentity("db", "Sales", "Orders")
    known: list[tuple[TableIdentity, DatabaseType]] = [(each, "postgres") for each in (users, loud_users, orders)]
    assert look_up("db.public.USERS", known).found == loud_users
    assert look_up("db.public.Users", known).found == users
    assert look_up("db.sales.orders", known).found == orders
    assert look_up("orders", known).found == orders
    assert look_up("DB.orders", known).found == orders
    assert look_up("other.orders", known).found is None
    assert look_up("nothing", known).found is None


def test_an_ambiguous_name_lists_what_it_may_mean() -> None:
    known: list[tuple[TableIdentity, DatabaseType]] = [(TableIdentity("db", s, "log"), "postgres") for s in "ab"]
    assert look_up("log", known).candidates == (TableIdentity("db", "a", "log"), TableIdentity("db", "b", "log"))


@each_case(
    ("name", "kind", "expected"),
    [
        ("orders", "postgres", "orders"),
        ("Orders", "postgres", '"Orders"'),
        ("order", "postgres", '"order"'),
        ('a"b', "postgres", '"a""b"'),
        ("orders", "snowflake", '"orders"'),
        ("ORDERS", "snowflake", "ORDERS"),
    ],
)
def test_a_name_is_quoted_where_the_dialect_would_read_it_as_something_else(
    name: str, kind: str, expected: str
) -> None:
    assert quote_identifier(name, kind) == expected  # type: ignore[arg-type]  # parametrised literals


def test_a_name_with_a_nul_is_refused() -> None:
    with pytest.raises(ValueError, match="NUL"):
        quote_identifier("a\x00b", "postgres")


@given(st.text(max_size=100))
def test_a_domain_name_is_always_canonical(text: str) -> None:
    assert re.fullmatch(r"[a-z0-9][a-z0-9_-]*", domain_name(text))


def meant_by(written: str) -> str:
    """The name that PostgreSQL reads."""
    inner = written[3:-1].replace('""', '"')
    escape = re.compile(r"\\(?:\\|\+([0-9A-F]{6})|([0-9A-F]{4}))")
    return escape.sub(lambda found: chr(int(found[1] or found[2], 16)) if found[1] or found[2] else "\\", inner)


@given(
    st.text(st.sampled_from('a1+"\\\n\r\t\u202e\u200b\U000e0041é表'), min_size=1, max_size=12).filter(
        lambda n: n.strip('"')
    )
)
def test_sql_that_people_read_shows_every_character_of_a_name_and_means_the_same_name(name: str) -> None:
    written = legible_identifier(name, "postgres")
    assert written.isprintable()
    if written.startswith("U&"):
        assert meant_by(written) == name
    else:
        assert written == quote_identifier(name, "postgres")


def test_snowflake_has_no_other_way_to_write_a_name() -> None:
    assert legible_identifier("a\u202eb", "snowflake") == '"a\u202eb"'
