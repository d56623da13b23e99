"""PgBouncer in transaction mode in front of a local PostgreSQL server."""

import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from servers.programs import find_program
from tribal_demo.server.permission import check_permission

_SESSIONS = 2
_STOP_TIMEOUT_SECONDS = 60
_PORT_ATTEMPTS = 3


class PoolerError(RuntimeError):
    """PgBouncer does not start; the message is its output."""


@contextmanager
def pooled(dsn: str, folder: Path) -> Iterator[str]:
    """Yields a DSN of the same database through a pooler with two sessions shared by all clients.

    Args:
        dsn: The database, with the user and password that the pooler logs in with.
        folder: For the configuration; it and the two folders above it are made accessible to every account.

    Raises:
        ServersForbidden: No server may be started.
        ProgramMissing: PgBouncer is not installed.
        PoolerError: PgBouncer does not start.
    """
    check_permission("PgBouncer")
    pgbouncer = find_program("pgbouncer", package="pgbouncer")
    server = urlsplit(dsn)
    login = f"user={server.username} password={server.password}"
    # PgBouncer refuses to run as root, and the account it runs as must be able to read its configuration.
    for parent in (folder, *folder.parents[:2]):
        parent.chmod(0o755)
    configuration = folder / "pgbouncer.ini"
    as_user = ["-u", "nobody"] if os.geteuid() == 0 else []
    for attempt in range(_PORT_ATTEMPTS):
        port = _find_free_port()
        configuration.write_text(
            f"[databases]\n* = host={server.hostname} port={server.port} {login}\n"
            f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\nauth_type = any\n"
            f"pool_mode = transaction\ndefault_pool_size = {_SESSIONS}\nlogfile =\npidfile =\n"
        )
        process = subprocess.Popen([pgbouncer, *as_user, str(configuration)], stderr=subprocess.PIPE, text=True)
        try:
            _await_start(process)
            break
        except PoolerError:
            process.communicate()
            # Another process may take the port after it is found free and before the pooler binds it.
            if attempt == _PORT_ATTEMPTS - 1:
                raise
    try:
        yield server._replace(netloc=f"{server.username}:{server.password}@127.0.0.1:{port}").geturl()
    finally:
        process.terminate()
        process.communicate(timeout=_STOP_TIMEOUT_SECONDS)


def _await_start(process: "subprocess.Popen[str]") -> None:
    assert process.stderr is not None
    said = ""
    while "process up" not in said:
        line = process.stderr.readline()
        if not line:
            raise PoolerError(said)
        said += line


def _find_free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port
