"""A hot standby of an embedded PostgreSQL server."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from tribal_demo.server.installation import Account, find_installation
from tribal_demo.server.postgres import SUPERUSER, EmbeddedServer


def start_standby(primary: EmbeddedServer, home: Path, *, options: Mapping[str, str]) -> EmbeddedServer:
    """Starts a PostgreSQL 18 server that replays the WAL of a running server of the same version.

    Args:
        primary: The server to copy; with `synchronous_standby_names`, its commits wait for the standby.
        home: A folder that does not exist yet.
        options: Server settings on top of the defaults.

    Raises:
        ServersForbidden: No server may be started.
        EmbeddedServerError: The standby does not start.
    """
    _copy_cluster(primary, home)
    return EmbeddedServer.start(home, options=options)


def _copy_cluster(primary: EmbeddedServer, home: Path) -> None:
    """Copies a running server to where `EmbeddedServer.start` will find it, as a standby."""
    home.mkdir()
    (home / "owner.lock").touch()
    where = {name: values[0] for name, values in parse_qs(urlsplit(primary.socket_dsn()).query).items()}
    subprocess.run(
        [
            find_installation(18) / "bin" / "pg_basebackup",
            *("--pgdata", home / "cluster", "--host", where["host"], "--port", where["port"]),
            *("--username", SUPERUSER, "--checkpoint", "fast", "--write-recovery-conf", "--no-sync"),
        ],
        check=True,
        capture_output=True,
    )
    if account := Account.for_server():
        for path in (home, *home.rglob("*")):
            os.chown(path, account.uid, account.gid)
