"""A primary server with a hot standby that lets no reader delay its replay."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from servers.installation import Account, find_installation
from servers.postgres import EmbeddedServer
from tests.postgres_fixtures import connected, start_server


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


def _copy_cluster(primary: EmbeddedServer, home: Path) -> None:
    """Lay a standby of a running server where `EmbeddedServer.start` will find it."""
    home.mkdir()
    (home / "owner.lock").touch()
    where = {name: values[0] for name, values in parse_qs(urlsplit(primary.socket_dsn()).query).items()}
    subprocess.run(
        [
            find_installation(18) / "bin" / "pg_basebackup",
            *("--pgdata", home / "cluster", "--host", where["host"], "--port", where["port"]),
            *("--username", "postgres", "--checkpoint", "fast", "--write-recovery-conf", "--no-sync"),
        ],
        check=True,
        capture_output=True,
    )
    if account := Account.for_server():
        for path in (home, *home.rglob("*")):
            os.chown(path, account.uid, account.gid)


@pytest.fixture(scope="session")
def replication(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Replication]:
    """A primary and its standby, whose replay cancels at once what stands in its way."""
    home = tmp_path_factory.mktemp("replication")
    with ExitStack() as servers:
        primary = servers.enter_context(start_server(home / "primary", synchronous_standby_names="*"))
        _copy_cluster(primary, home / "standby")
        standby = servers.enter_context(start_server(home / "standby", max_standby_streaming_delay="0"))
        yield Replication(primary, standby)
