"""The small cache of what is worked out."""

from __future__ import annotations

import pytest

from tribal.ports import Derived


def test_the_value_that_was_asked_for_longest_ago_goes_first() -> None:
    derived = Derived(kept=2)
    for key in ("a", "b", "a", "c"):
        derived.get(key, lambda key=key: key.upper())
    assert [derived.get(key, lambda: "anew") for key in ("a", "c", "b")] == ["A", "C", "anew"]


def test_a_value_that_could_not_be_worked_out_is_tried_again() -> None:
    derived = Derived()
    with pytest.raises(ZeroDivisionError):
        derived.get("a", lambda: 1 // 0)
    assert derived.get("a", lambda: 2) == 2
