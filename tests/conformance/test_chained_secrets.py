"""Secrets of two places keep the port's contract, whichever of them has one."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.conformance.secrets import *  # noqa: F403
from tests.conformance.secrets import KNOWN, VALUE
from tribal.adapters.local.secrets import ChainedSecrets, EnvironmentSecrets


@pytest.fixture(params=["first", "second"])
def places(request: pytest.FixtureRequest) -> dict[str, dict[str, str]]:
    return {"first": {}, "second": {}} | {request.param: {KNOWN: VALUE}}


@pytest.fixture
def secrets(places: dict[str, dict[str, str]]) -> ChainedSecrets:
    return ChainedSecrets(EnvironmentSecrets(places["first"]), lambda: EnvironmentSecrets(places["second"]))


@pytest.fixture
def rotate(places: dict[str, dict[str, str]]) -> Callable[[str], None]:
    def replace(value: str) -> None:
        next(place for place in places.values() if place)[KNOWN] = value

    return replace


def test_the_second_place_is_not_even_made_while_the_first_has_everything() -> None:
    def build() -> EnvironmentSecrets:
        raise AssertionError("nothing is missing")

    assert ChainedSecrets(EnvironmentSecrets({KNOWN: VALUE}), build).get(KNOWN) is not None
