"""Variables and mounted files, held to what holds of every `Secrets`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conformance.secrets import *  # noqa: F403
from tests.conformance.secrets import KNOWN, VALUE
from tribal.adapters.local.secrets import EnvironmentSecrets

Place = tuple[EnvironmentSecrets, Callable[[str], None]]


@pytest.fixture(params=["variable", "file"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """Secrets kept in one of the two places, with a way to change them there."""
    if request.param == "file":
        file = tmp_path / KNOWN
        file.write_text(VALUE)

        def overwrite(value: str) -> None:
            file.write_text(value)

        return EnvironmentSecrets({}, tmp_path), overwrite
    variables = {KNOWN: VALUE}
    return EnvironmentSecrets(variables), lambda value: variables.update({KNOWN: value})


@pytest.fixture
def secrets(place: Place) -> EnvironmentSecrets:
    return place[0]


@pytest.fixture
def rotate(place: Place) -> Callable[[str], None]:
    return place[1]
