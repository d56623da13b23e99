"""How every `CatalogReader` compares the values of columns; see `catalog_reader` for the fixtures."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.conformance.catalog_reader import Expected, LentDatabase, find_table
from tribal.errors import DatabaseError
from tribal.identity.table_names import TableIdentity
from tribal.key_inference import KeyPair, Overlap
from tribal.ports import CatalogReader, SchemaAndTable


def _pair(child: SchemaAndTable, columns: Sequence[str], parent: SchemaAndTable, others: Sequence[str]) -> KeyPair:
    own, other = (str(TableIdentity("any", *name)) for name in (child, parent))
    return KeyPair(own, tuple(columns), other, tuple(others))


def _overlaps(reader: CatalogReader, *pairs: KeyPair) -> Sequence[Overlap | None]:
    """What came of comparing pairs from one table, in their order."""
    child = TableIdentity.parse(pairs[0].from_table)
    found = reader.overlaps(find_table(reader.read(), (child.schema, child.table)), -1, pairs)
    assert set(found) <= set(pairs)
    return [found.get(pair) for pair in pairs]


def test_distinct_values_of_several_columns_are_counted_and_looked_for_at_once(
    reader: CatalogReader, expected: Expected
) -> None:
    fold, orders, customer = expected.fold, expected.name("sales", "orders"), expected.name("sales", "customer")
    empty = expected.name("depot", "Order Items", quoted=True)
    assert _overlaps(
        reader,
        _pair(orders, [fold("customer_id")], customer, [fold("customer_id")]),
        _pair(orders, [fold("order_no")], customer, [fold("referred_by")]),
        _pair(orders, [fold("region")], orders, [fold("region")]),
        _pair(orders, [fold("billed_to")], customer, [fold("customer_id")]),
        _pair(orders, [fold("order_no")], empty, [fold("id")]),
    ) == [Overlap(30, 30, True), Overlap(30, 29, True), Overlap(2, 2, False), Overlap(0, 0), Overlap(30, 0)]


def test_values_of_composite_keys_are_compared_as_a_whole(lent: LentDatabase, expected: Expected) -> None:
    lent.administer("CREATE TABLE depot.halves (region text, order_no integer)")
    lent.administer("INSERT INTO depot.halves VALUES ('east', 2), ('east', 3), ('east', NULL)")
    lent.administer(f"GRANT SELECT ON depot.halves TO {expected.user}")
    halves, orders = expected.name("depot", "halves"), expected.name("sales", "orders")
    region, order_no = expected.fold("region"), expected.fold("order_no")
    whole = _pair(halves, [region, order_no], orders, [region, order_no])
    assert _overlaps(lent.reader, whole) == [Overlap(2, 1, True)]


def test_names_that_need_quotes_are_compared(lent: LentDatabase, expected: Expected) -> None:
    lent.administer('INSERT INTO depot."Order Items" VALUES (1, 7)')
    lent.administer('INSERT INTO depot."quote""inside" VALUES (7)')
    items, other = (expected.name("depot", name, quoted=True) for name in ("Order Items", 'quote"inside'))
    pair = _pair(items, [expected.fold("qty")], other, [expected.fold("id")])
    assert _overlaps(lent.reader, pair) == [Overlap(1, 1, True)]


def test_a_table_that_may_not_be_selected_from_or_is_gone_is_not_compared(
    lent: LentDatabase, expected: Expected
) -> None:
    fold, orders, closed = expected.fold, expected.name("sales", "orders"), expected.name("depot", "closed")
    known = _pair(orders, [fold("order_no")], expected.name("sales", "customer"), [fold("customer_id")])
    for name in (closed, expected.name("vault", "secret"), ("depot", "never")):
        unknown = _pair(orders, [fold("order_no")], name, [fold("id")])
        assert _overlaps(lent.reader, unknown) == [None]
        assert _overlaps(lent.reader, known, unknown) == [None, None]
    assert _overlaps(lent.reader, _pair(closed, [fold("id")], orders, [fold("order_no")])) == [None]
    assert _overlaps(lent.reader, known) == [Overlap(30, 30, True)]


def test_a_closed_reader_compares_nothing_and_says_so(lent: LentDatabase, expected: Expected) -> None:
    closed = lent.open()
    customer = expected.name("sales", "customer")
    table, pair = find_table(closed.read(), customer), _pair(customer, ["customer_id"], customer, ["referred_by"])
    closed.close()
    with pytest.raises(DatabaseError, match="closed"):
        closed.overlaps(table, -1, [pair])
