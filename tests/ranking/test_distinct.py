"""Distinct values of arrays."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tribal.ranking.distinct import distinct, first_positions

_NUMBERS = st.lists(st.integers(-5, 5), max_size=20)


@given(_NUMBERS, _NUMBERS)
def test_values_of_two_arrays_come_once_and_in_order(one: list[int], other: list[int]) -> None:
    found = distinct(np.array(one, np.int64), np.array(other, np.int64))
    assert found.tolist() == sorted({*one, *other})


@given(_NUMBERS)
def test_first_positions_are_those_of_new_values(values: list[int]) -> None:
    found = first_positions(np.array(values, np.int64))
    assert found.tolist() == [place for place, value in enumerate(values) if value not in values[:place]]
