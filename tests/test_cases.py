"""Loops over cases report what single tests would have reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cases import each_case, verify_all_but


def test_every_failed_case_is_reported_with_its_name() -> None:
    @each_case(("number", "limit"), [(1, 2), (3, 2), pytest.param(4, 2, id="four"), (0, 2)])
    def check(number: int, limit: int) -> None:
        assert number <= limit

    with pytest.raises(ExceptionGroup, match="2 of 4 cases failed") as failed:
        check()
    notes = [error.__notes__ for error in failed.value.exceptions]
    assert notes == [["case: {'number': 3, 'limit': 2}"], ["case: four"]]


def test_a_missing_error_is_a_failed_case_too() -> None:
    @each_case("text", ["1", "x"], ids=["digit", "letter"])
    def check(text: str) -> None:
        with pytest.raises(ValueError, match="invalid literal"):
            int(text)

    with pytest.raises(BaseExceptionGroup, match="1 of 2 cases failed") as failed:
        check()
    assert failed.value.exceptions[0].__notes__ == ["case: digit"]


def test_every_case_has_a_folder_of_its_own(tmp_path: Path) -> None:
    seen = []

    @each_case("name", ["a", "b"])
    def check(name: str, tmp_path: Path) -> None:
        seen.append((name, sorted(tmp_path.iterdir())))
        (tmp_path / name).touch()

    check(tmp_path=tmp_path)
    assert seen == [("a", []), ("b", [])]


def test_a_test_that_changes_its_process_is_refused() -> None:
    with pytest.raises(TypeError, match="cases cannot share monkeypatch"):

        @each_case("name", ["a"])
        def check(name: str, monkeypatch: pytest.MonkeyPatch) -> None: ...


@each_case("letter", "ab")
@each_case("number", [1, 2])
def test_two_lists_of_cases_are_combined(letter: str, number: int) -> None:
    assert (letter, number) in {("a", 1), ("a", 2), ("b", 1), ("b", 2)}


def test_all_but_the_first_cases_are_left_to_make_verify() -> None:
    _, cases = verify_all_but(1, "a, b", [(1, 2), (3, 4), pytest.param(5, 6, id="last")]).args
    assert cases[0] == (1, 2)
    assert [case.values for case in cases[1:]] == [(3, 4), (5, 6)]
    assert [[mark.name for mark in case.marks] for case in cases[1:]] == [["verify"], ["verify"]]
    assert cases[2].id == "last"
