"""What tests of the PostgreSQL reader share."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tribal_demo.server.installation import PostgresVersion
from tribal_demo.server.postgres import EmbeddedServer


@pytest.fixture(params=[16, 18])
def server(
    request: pytest.FixtureRequest, postgres_servers: Callable[[PostgresVersion], EmbeddedServer]
) -> EmbeddedServer:
    """The oldest and the newest version that the tests start."""
    return postgres_servers(request.param)
