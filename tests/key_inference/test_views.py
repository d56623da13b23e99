"""What views join is read from their definitions, and nothing where there is doubt."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.plugins.postgres import FreshDatabase, OpenCatalog
from tribal.key_inference.views import view_joins

A, B, C = ("s", "a"), ("s", "b"), ("s", "c")


@pytest.mark.parametrize(
    "definition",
    [
        "SELECT 1 FROM s.a JOIN s.b ON a.x = b.y",
        "SELECT 1 FROM s.a one LEFT JOIN s.b AS two ON one.x = two.y AND one.z > 3",
        "SELECT 1 FROM (s.a JOIN s.b ON (((a.x)::text = (b.y)::text)))",
        "SELECT 1 FROM s.a JOIN s.b ON a.x::character varying = b.y WHERE a.z = 1",
        "SELECT 1 FROM s.a, s.b WHERE ((a.x = b.y) AND (a.z = 1))",
        "SELECT 1 FROM s.a WHERE EXISTS ( SELECT 1 FROM s.b WHERE b.y = a.x)",
        "SELECT extract(year FROM a.d) FROM s.a JOIN s.b ON a.x = b.y GROUP BY a.d",
        "SELECT 1 FROM s.c JOIN s.a ON true, s.b WHERE a.x = b.y",
        'SELECT 1 FROM "s"."a" JOIN "s"."b" ON "a"."x" = "b"."y"',
    ],
)
def test_columns_that_a_view_says_are_equal_are_a_join(definition: str) -> None:
    assert view_joins(definition) == [(A, B, frozenset({("x", "y")}))]


def test_all_columns_on_which_two_tables_are_joined_are_told_together() -> None:
    joins = view_joins("SELECT 1 FROM s.a JOIN s.b ON a.x = b.y AND a.v = b.w JOIN s.c USING (k)")
    assert joins == [(A, B, frozenset({("x", "y"), ("v", "w")}))]


def test_the_columns_of_using_are_those_of_both_tables() -> None:
    assert view_joins("SELECT 1 FROM s.a JOIN s.b USING (x, y)") == [(A, B, frozenset({("x", "x"), ("y", "y")}))]


@pytest.mark.parametrize(
    "definition",
    [
        "SELECT 1 FROM s.a JOIN s.b ON a.x = b.y OR a.z = 1",
        "SELECT 1 FROM s.a JOIN s.b ON ((a.x = b.y) OR (a.z = b.w))",
        "SELECT 1 FROM s.a JOIN s.b ON NOT a.x = b.y",
        "SELECT 1 FROM s.a JOIN s.b ON NOT (a.x = b.y)",
        "SELECT 1 FROM s.a JOIN s.b ON a.x = b.y + 1",
        "SELECT 1 FROM s.a JOIN s.b ON lower(a.x) = b.y",
        "SELECT 1 FROM s.a JOIN s.b ON a.x > b.y",
        "SELECT a.x = b.y FROM s.a, s.b",
        "SELECT CASE WHEN a.x = b.y THEN 1 END FROM s.a, s.b",
        "SELECT 1 FROM a JOIN s.b ON a.x = b.y",
        "SELECT 1 FROM ( SELECT x FROM s.c) a JOIN s.b ON a.x = b.y",
        "SELECT 1 FROM s.a JOIN s.b ON a.x = b.y UNION SELECT 1 FROM s.c a JOIN s.b ON a.x = b.z",
        "SELECT 'FROM s.a JOIN s.b ON a.x = b.y'",
        "SELECT 1 FROM s.a -- JOIN s.b ON a.x = b.y",
    ],
)
def test_what_is_not_surely_a_join_of_two_tables_is_left_out(definition: str) -> None:
    assert view_joins(definition) == []


@given(
    st.text(alphabet="SELECTFROMJN().,=ab\"' :", max_size=80)
    | st.lists(
        st.sampled_from("SELECT FROM JOIN ON WHERE AND OR CASE END USING ( ) , = s.a a a.x b.y :: text".split()),
        max_size=40,
    ).map(" ".join)
)
def test_any_text_is_read_to_its_end(definition: str) -> None:
    for one, other, pairs in view_joins(definition):
        assert pairs
        assert len(one) == len(other) == 2


def test_a_view_is_read_as_the_server_prints_it(fresh_database: FreshDatabase, open_catalog: OpenCatalog) -> None:
    catalog = open_catalog(
        fresh_database(
            """
            CREATE SCHEMA s; CREATE TABLE s.a (x varchar(9), v int); CREATE TABLE s.b (y text, w int);
            CREATE TABLE s.c (k int, v int);
            CREATE VIEW s.seen AS SELECT one.v FROM s.a one LEFT JOIN s.b ON (one.x = b.y AND one.v = b.w), s.c
                WHERE c.v = b.w AND (c.k = one.v OR c.k IS NULL);
            """
        )
    )
    (definition,) = (table.view_definition for table in catalog.read().tables if table.view_definition)
    assert sorted(view_joins(definition)) == [
        (B, A, frozenset({("y", "x"), ("w", "v")})),
        (B, C, frozenset({("w", "v")})),
    ]
