"""The small cache of what is worked out."""

from __future__ import annotations

import pytest

from tribal.ports import DerivedValues


def value(derived: DerivedValues, generation: str, key: str, fresh: str) -> str:
    return derived.get(generation, key, lambda: fresh)


def test_the_same_key_of_two_generations_has_two_values() -> None:
    derived = DerivedValues()
    assert [value(derived, generation, "a", generation) for generation in ("one", "two")] == ["one", "two"]
    assert [value(derived, generation, "a", "new") for generation in ("one", "two")] == ["one", "two"]


def test_the_value_that_was_asked_for_longest_ago_goes_first() -> None:
    derived = DerivedValues(values=2)
    for key in ("a", "b", "a", "c"):
        value(derived, "one", key, key.upper())
    assert [value(derived, "one", key, "new") for key in ("a", "c", "b")] == ["A", "C", "new"]


def test_a_generation_that_was_asked_longest_ago_goes_with_all_its_values() -> None:
    derived = DerivedValues(generations=2)
    for generation in ("one", "two", "one", "three"):
        for key in ("a", "b"):
            value(derived, generation, key, f"{generation} {key}")
    assert [value(derived, generation, "b", "new") for generation in ("one", "three")] == ["one b", "three b"]
    assert [value(derived, "two", key, "new") for key in ("a", "b")] == ["new", "new"]


def test_a_value_that_could_not_be_worked_out_is_tried_again() -> None:
    derived = DerivedValues()

    def fail() -> str:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        derived.get("one", "a", fail)
    assert value(derived, "one", "a", "found") == "found"


def test_what_was_derived_from_a_replaced_generation_is_forgotten_and_nothing_else() -> None:
    derived = DerivedValues()
    for generation in ("one", "two"):
        value(derived, generation, "a", generation)
    derived.forget("one")
    derived.forget("of which there is nothing")
    assert [value(derived, generation, "a", "new") for generation in ("one", "two")] == ["new", "two"]
