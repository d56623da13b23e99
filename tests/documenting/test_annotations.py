"""Annotations: a person's file is read as meant, or refused with the line and the hint."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_case
from tests.fakes import MemoryStore
from tests.sample_shop.documented import Shop
from tribal.errors import ConfigurationError
from tribal.store.annotations import MAX_ANNOTATIONS_BYTES, parse_annotations, read_annotations
from tribal_contracts import DomainDocument

FILE = "annotations/shop.yaml"


def refusal(text: str | bytes) -> str:
    with pytest.raises(ConfigurationError) as caught:
        parse_annotations(text.encode() if isinstance(text, str) else text, FILE)
    assert caught.value.code == "DOC_ANNOTATIONS_INVALID"
    return caught.value.message


def test_no_file_means_no_annotations() -> None:
    assert read_annotations(MemoryStore(), "shop") == {}


@each_case("text", ["", "\n", "# only a comment\n", "tables: {}\n", "\ufefftables: {}"])
def test_an_empty_file_means_no_annotations(text: str) -> None:
    assert parse_annotations(text.encode(), FILE) == {}


def test_tables_are_found_by_schema_and_name_quoted_or_not() -> None:
    text = """
tables:
  sales.orders: {description: One.}
  '"my.schema"."Order Items"': {description: Two.}
  public.Order Items: {columns: {Größe: Three.}}
"""
    found = parse_annotations(text.encode(), FILE)
    assert set(found) == {("sales", "orders"), ("my.schema", "Order Items"), ("public", "Order Items")}
    assert found["public", "Order Items"].columns == {"Größe": "Three."}


@each_case(
    ("text", "message"),
    [
        ("tables:\n  a.b: {description: [\n", f"{FILE}, line 3: cannot be read: "),
        ("tables:\n\tx: y\n", f"{FILE}, line 2: cannot be read: "),
        ("tables:\n  a.b:\n    descripton: x\n", f"{FILE}, line 3: tables.a.b.descripton is an unknown key"),
        ("tables:\n  a.b:\n    columns:\n      c: 5\n", f"{FILE}, line 4: tables.a.b.columns.c should be text"),
        ("tables:\n  a.b: text\n", f"{FILE}, line 2: tables.a.b should hold description or columns"),
        (
            "tables:\n  orders: {description: x}\n",
            f"{FILE}, line 2: has 'orders', which is not a table name; write \"schema.",
        ),
        ("tables:\n  a.b: {}\n  c.d: {}\n  a.b: {}\n", f"{FILE}, line 4: has a key twice"),
        ('tables:\n  a.b: {}\n  \'"a"."b"\': {}\n', f"{FILE}, line 3: names a.b twice"),
        ("- a\n- b\n", f"{FILE}, line 1: the file should hold tables"),
        ("tabels: {}\n", f"{FILE}, line 1: tabels is an unknown key"),
        ("a: !!python/object/apply:os.system [x]\n", f"{FILE}, line 1: cannot be read: "),
        ("a: b\n---\nc: d\n", f"{FILE}, line 2: cannot be read: "),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_with_its_line_and_the_hint(text: str, message: str) -> None:
    assert refusal(text).startswith(message)


def test_a_file_that_is_not_utf_8_is_refused_with_its_line() -> None:
    assert refusal(b"tables:\n  a.b: {description: \xff}\n") == f"{FILE}, line 2: is not UTF-8; save it as UTF-8"


def test_a_file_that_is_too_large_is_refused() -> None:
    store = MemoryStore()
    store.put(FILE, b"#" * (MAX_ANNOTATIONS_BYTES + 1))
    with pytest.raises(ConfigurationError, match="larger than"):
        read_annotations(store, "shop")


def test_a_file_that_grows_without_end_when_it_is_read_is_refused() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30)]
    assert refusal("\n".join(lines)).startswith(f"{FILE}, line 1: cannot be read: it has an anchor")
    assert "nested too deeply" in refusal("[" * 20_000)


def test_a_broken_file_stops_documenting_before_anything_is_written() -> None:
    shop = Shop()
    outline = shop.plan()
    shop.memory.put(FILE, b"tables: [")
    shop.forget_writes()
    with pytest.raises(ConfigurationError, match="line 1"):
        shop.document(outline)
    assert shop.store.written == []


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    with suppress(ConfigurationError):
        parse_annotations(data, FILE)


SLIPS = """
tables:
  sales.orders: {description: An order.}
  sales.ordrs: {description: A slip of the pen.}
  zzz.discard: {description: Nothing like it.}
"""


def test_a_table_that_there_is_not_is_reported_once_a_run_as_an_unknown_column_is() -> None:
    shop = Shop()
    shop.memory.put(FILE, SLIPS.encode())
    shop.run()
    assert shop.sink.notes == [
        f"{FILE}, line 4, describes a table sales.ordrs, which does not exist in shop; did you mean sales.orders?",
        f"{FILE}, line 5, describes a table of an unknown schema, zzz.discard, which does not exist in shop; it is "
        "misspelt, was dropped, or is excluded by databases.yaml",
    ]


WORDS = """
description: Everything the shop sells.
domains:
  sales:
    title: Selling
    description: From the basket to the bill.
  salse: {description: A slip of the pen.}
"""


def test_what_a_person_says_of_a_domain_and_of_the_database_wins_and_survives() -> None:
    shop = Shop()
    shop.memory.put(FILE, WORDS.encode())
    for _ in range(2):
        shop.run()
        domain = DomainDocument.from_json(shop.memory.get("docs/shop/sales/domain.json").data)
        assert (domain.title, domain.description) == ("Selling", "From the basket to the bill.")
        page = shop.memory.get("docs/shop/sales/README.md").data.decode()
        assert "# Selling" in page
        assert f"Correct it in `{FILE}`, line 4; your words are never overwritten." in page
        overview = shop.memory.get("docs/shop/README.md").data.decode()
        assert "Everything the shop sells." in overview
        assert f"Correct it in `{FILE}`, line 2;" in overview
        other = shop.memory.get("docs/shop/billing/README.md").data.decode()
        assert f"Write it in `{FILE}` under `domains: billing:` as `title:` or `description:`;" in other
    assert "annotations/shop.yaml describes a domain 'salse', which does not exist in shop" in shop.sink.notes


def test_words_on_a_domain_that_change_reach_its_page_and_words_that_go_leave_it() -> None:
    shop = Shop()
    shop.memory.put(FILE, WORDS.encode())
    shop.run()
    shop.memory.put(FILE, WORDS.replace("the basket", "the cache").encode())
    shop.run()
    assert "From the cache to the bill." in shop.memory.get("docs/shop/sales/README.md").data.decode()
    shop.memory.delete(FILE)
    shop.run()
    page = shop.memory.get("docs/shop/sales/README.md").data.decode()
    assert "Selling" not in page
    assert "shelf" not in page


def test_an_annotation_that_the_database_says_too_has_the_source_comment() -> None:
    shop = Shop()
    shop.memory.put(FILE, b"tables: {sales.customer: {description: Who  buys.}, sales.orders: {description: Orders.}}")
    shop.run()
    said = [shop.document_of(name).description for name in ("sales.customer", "sales.orders")]
    assert [(each.text, each.source) for each in said] == [("Who buys.", "comment"), ("Orders.", "human")]
