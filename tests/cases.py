"""Tests of many cases: in one loop, or with most of them left to `make verify`."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

import pytest

Test = Callable[..., None]
PARAMETERS = type(pytest.param())
NOT_SHARED = {"caplog", "capsys", "monkeypatch"}
"""Fixtures that would carry what one case did over to the next."""


def each_case(names: str | Collection[str], cases: Iterable[Any], ids: Any = None) -> Callable[[Test], Test]:
    """Call a test once per case, and fail with the errors of every case that failed.

    Takes the arguments of `pytest.mark.parametrize`. Use it where cases need nothing of their own: thousands of
    collected tests cost every worker seconds. All cases share their fixtures, except `tmp_path`, which is a new folder
    for each.
    """
    arguments = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    listed = [_named(case, number, arguments, ids) for number, case in enumerate(cases)]

    def decorate(test: Test) -> Test:
        signature = inspect.signature(test)
        fixtures = [each for name, each in signature.parameters.items() if name not in arguments]
        if carried := NOT_SHARED.intersection(each.name for each in fixtures):
            raise TypeError(f"{test.__name__}: cases cannot share {', '.join(carried)}; use pytest.mark.parametrize")

        @functools.wraps(test)
        def run_all(**given: Any) -> None:
            failures: list[BaseException] = []
            for number, (name, values) in enumerate(listed):
                try:
                    test(**_own_folder(given, number), **values)
                except (Exception, BaseExceptionGroup, pytest.fail.Exception) as error:  # noqa: BLE001 - one case's failure becomes data
                    error.add_note(f"case: {name}")
                    failures.append(error)
            if failures:
                raise BaseExceptionGroup(f"{len(failures)} of {len(listed)} cases failed", failures)

        run_all.__signature__ = signature.replace(parameters=fixtures)  # type: ignore[attr-defined]
        return run_all

    return decorate


def verify_all_but(
    kept: int, names: str | Collection[str], cases: Iterable[Any], ids: Any = None
) -> pytest.MarkDecorator:
    """Make a test of each case, of which `make test` runs the first `kept`, and `make verify` the others."""
    listed = list(cases)
    later = [case if isinstance(case, PARAMETERS) else pytest.param(*_values(case, names)) for case in listed[kept:]]
    marked = [pytest.param(*each.values, id=each.id, marks=[*each.marks, pytest.mark.verify]) for each in later]
    arguments = names if isinstance(names, str) else tuple(names)
    return pytest.mark.parametrize(arguments, [*listed[:kept], *marked], ids=ids)


def _values(case: Any, names: str | Collection[str]) -> tuple[Any, ...]:
    """The values of one case."""
    several = "," in names if isinstance(names, str) else len(names) > 1
    return tuple(case) if several else (case,)


def _named(case: Any, number: int, arguments: list[str], ids: Any) -> tuple[str, dict[str, Any]]:
    """The name of a case for messages, and its values by argument."""
    given_id = None
    if isinstance(case, PARAMETERS):
        assert not case.marks, "a case with marks has to be a test of its own; use pytest.mark.parametrize"
        given_id, case = case.id, case.values if len(arguments) > 1 else case.values[0]
    values = dict(zip(arguments, case if len(arguments) > 1 else [case], strict=True))
    if given_id is None and ids is not None:
        named = [ids(value) or value for value in values.values()] if callable(ids) else [list(ids)[number]]
        given_id = "-".join(map(str, named))
    return str(given_id or values), values


def _own_folder(given: Mapping[str, Any], number: int) -> dict[str, Any]:
    """The fixtures of one case."""
    if "tmp_path" not in given:
        return dict(given)
    folder = given["tmp_path"] / str(number)
    folder.mkdir()
    return {**given, "tmp_path": folder}
