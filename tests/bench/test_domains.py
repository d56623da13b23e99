"""The benchmark of domains compares groupings as it says."""

from __future__ import annotations

import pytest

from bench.domains import adjusted_rand_index


def test_agreement_is_one_for_equal_groups_and_about_nothing_for_crossed_ones() -> None:
    assert adjusted_rand_index(["a", "a", "b", "b"], ["x", "x", "y", "y"]) == 1
    assert adjusted_rand_index(["a", "a", "b", "b"], ["x", "y", "x", "y"]) == pytest.approx(-0.5)
