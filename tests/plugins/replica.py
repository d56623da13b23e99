"""A primary server with a hot standby that lets no reader delay its replay."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass

import pytest

from servers.standby import start_standby
from tests.plugins.postgres import connected, start_server
from tribal_demo.server.postgres import EmbeddedServer


@dataclass(frozen=True)
class Replication:
    """Two servers; what is done on the primary by `replay` has been done again on the standby when it returns."""

    primary: EmbeddedServer
    standby: EmbeddedServer

    def replay(self, database: str, *statements: str) -> None:
        """Run statements on the primary, each by itself, and wait until the standby has replayed them."""
        with connected(self.primary.dsn(database)) as connection:
            for statement in statements:
                connection.run(statement)
            connection.run("SET synchronous_commit = remote_apply")
            connection.run("CREATE TABLE IF NOT EXISTS marks (at timestamptz)")
            connection.run("INSERT INTO marks VALUES (now())")


@pytest.fixture(scope="session")
def replication(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Replication]:
    """A primary and its standby, whose replay cancels at once what is in its way."""
    home = tmp_path_factory.mktemp("replication")
    with ExitStack() as servers:
        primary = servers.enter_context(start_server(home / "primary", synchronous_standby_names="*"))
        standby = servers.enter_context(
            start_standby(primary, home / "standby", options={"max_standby_streaming_delay": "0"})
        )
        yield Replication(primary, standby)
