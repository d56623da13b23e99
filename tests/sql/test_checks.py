"""What checks say of a column's values, and only where they say it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_case
from tribal.masking import PLACEHOLDER
from tribal.sql.checks import allowed_range, allowed_values
from tribal_contracts import CatalogCheck


def check(expression: str) -> list[CatalogCheck]:
    return [CatalogCheck(name="c", expression=expression)]


@each_case(
    ("expression", "values"),
    [
        ("((kind)::text = ANY ((ARRAY['a'::character varying, 'b''c'::character varying])::text[]))", ("a", "b'c")),
        ("(kind = ANY (ARRAY['R'::bpchar, 'A'::bpchar]))", ("R", "A")),
        ("(kind = ANY (ARRAY[0, 14, -30]))", ("0", "14", "-30")),
        ("kind IN ('a', 'b')", ("a", "b")),
        ("((kind = ANY (ARRAY['a'::text, 'b]'::text])) AND (x = ANY (ARRAY['z'::text])))", ("a", "b]")),
        ("((x > 1) AND (kind = ANY (ARRAY['a'::text])))", ("a",)),
        ("((kind IS NULL) OR (kind = ANY (ARRAY['Y'::bpchar, 'N'::bpchar])))", ("Y", "N")),
        ("(((kind)::text = 'a'::text) OR ((kind)::text = 'b''s OR'::text))", ("a", "b's OR")),
        ("((kind = 1) OR (kind = 2))", ("1", "2")),
        ("((kind = 1) OR (x = 2))", ()),
        ("(((kind)::text <> 'a'::text) OR (x IS NOT NULL))", ()),
        ("(((kind)::text = 'a'::text) OR ((kind)::text = '[email]'::text))", ()),
        ("((x IS NULL) OR (kind = ANY (ARRAY['a'::text])))", ()),
        ("((kind IS NULL) OR (x > 1) OR (kind = ANY (ARRAY['a'::text])))", ()),
        ("((kind = ANY (ARRAY['a'::text])) OR (x > 1))", ()),
        ("(NOT (kind = ANY (ARRAY['a'::text])))", ()),
        ("(kindness = ANY (ARRAY['a'::text]))", ()),
        ("(length(kind) > 2)", ()),
        ("(lower(kind) = ANY (ARRAY['a'::text]))", ()),
        ("(lower((kind)::text) = ANY (ARRAY['a'::text]))", ()),
        ("(kind = ANY (ARRAY['a'::text, '[email]'::text]))", ()),
        ("(kind = ANY (ARRAY[1, [password], 3]))", ()),
    ],
)
def test_a_list_of_values_is_read_from_a_check_and_only_when_it_must_hold(
    expression: str, values: tuple[str, ...]
) -> None:
    assert allowed_values("kind", check(expression), PLACEHOLDER) == values


@each_case(
    ("expression", "limits"),
    [
        ("((score >= 1) AND (score <= 5))", ("1", "5")),
        ("((score >= (0)::numeric) AND (score <= (100)::numeric))", ("0", "100")),
        ("score BETWEEN 1 AND 5", ("1", "5")),
        ("((scores >= 1) AND (scores <= 5))", (None, None)),
        ("((length(score) >= 3) AND (length(score) <= 8))", (None, None)),
        ("((length((score)::text) >= 3) AND (length((score)::text) <= 8))", (None, None)),
        ("(((ends - score) >= 1) AND ((ends - score) <= 5))", (None, None)),
        ("((score >= 1) AND (score <= (5 + bonus)))", ("1", None)),
        ("((score >= 1) AND ((score * 2) <= 10))", ("1", None)),
        ("((score >= 1) OR (score <= 5))", (None, None)),
    ],
)
def test_a_range_is_read_from_a_check_and_only_when_it_is_of_the_column(
    expression: str, limits: tuple[str | None, str | None]
) -> None:
    assert allowed_range("score", check(expression)) == limits


@given(st.text(max_size=80), st.text(min_size=1, max_size=10))
def test_any_check_can_be_read(expression: str, name: str) -> None:
    allowed_values(name, check(expression), PLACEHOLDER)
    allowed_range(name, check(expression))
