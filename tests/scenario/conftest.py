"""The company on one machine, for the tests of a module."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.scenario.one_machine import OneMachine
from tribal_demo.server.installation import PostgresVersion
from tribal_demo.server.postgres import EmbeddedServer


@pytest.fixture(name="machine", scope="module")
def machine_fixture(
    tmp_path_factory: pytest.TempPathFactory,
    certificate: Path,
    postgres_servers: Callable[[PostgresVersion], EmbeddedServer],
) -> Iterator[OneMachine]:
    machine = OneMachine(tmp_path_factory.mktemp("machine"), postgres_servers(18), certificate)
    yield machine
    machine.close()
