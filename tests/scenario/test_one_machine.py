"""The scenario on one machine."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from servers.installation import PostgresVersion
from servers.postgres import EmbeddedServer
from tests.scenario.one_machine import OneMachine
from tests.scenario.steps import ANSWERS, play

# Starts servers, and takes half a minute.
pytestmark = pytest.mark.slow


@pytest.fixture(name="machine")
def machine_fixture(
    tmp_path: Path, certificate: Path, postgres_servers: Callable[[PostgresVersion], EmbeddedServer]
) -> Iterator[OneMachine]:
    machine = OneMachine(tmp_path, postgres_servers(18), certificate)
    yield machine
    machine.close()


def test_five_systems_are_one_product(machine: OneMachine) -> None:
    assert play(machine) == json.loads(ANSWERS.read_text(encoding="utf-8"))
