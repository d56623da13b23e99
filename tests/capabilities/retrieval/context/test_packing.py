"""Fitting parts into a number of tokens."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.plugins.verify import examples
from tribal.capabilities.retrieval.context.packing import Item, Section, pack

_ITEMS = st.lists(st.text(alphabet="ab \n", min_size=1, max_size=400), max_size=8)


@settings(max_examples=examples(40, 400))
@given(tables=_ITEMS, others=_ITEMS, limit=st.integers(20, 400))
def test_a_text_is_never_over_its_limit_and_everything_is_shown_or_named(
    tables: list[str], others: list[str], limit: int
) -> None:
    first = [Item(f"table {number}", text) for number, text in enumerate(tables)]
    second = [Item(f"join {n}", text, frozenset({f"table {n}"})) for n, text in enumerate(others)]
    packed = pack([Section("Tables", first, 0.6, "sql"), Section("Joins", second, 0.3)], limit)
    assert len(packed.text.encode()) <= 4 * limit
    assert packed.shown.isdisjoint(packed.omitted)
    assert packed.shown | {*packed.omitted} == {item.name for item in (*first, *second)}
    for number in range(len(second)):
        assert f"join {number}" not in packed.shown or f"table {number}" in packed.shown
    shown = [number for number in range(len(first)) if f"table {number}" in packed.shown]
    assert shown == list(range(len(shown)))
