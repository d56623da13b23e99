"""What the tests of several functions share."""

from __future__ import annotations

import pytest

from servers.postgres import EmbeddedServer
from tests.functions.recorded_runs import SQL, Step, record_runs
from tests.plugins.postgres import new_database


@pytest.fixture(scope="session")
def steps(postgres_server: EmbeddedServer) -> list[Step]:
    """What three documentation runs left in the bucket, step by step."""
    with new_database(postgres_server, SQL) as dsn:
        return record_runs(dsn)
