"""`python -m bench.many_databases`: a run over 152 databases of one small server, while somebody else needs it too.

The server takes 40 connections. An observer counts those of the run; another client holds as many as leave room for the
run's four and one more, and asks for that one over and over. Prints how long the run took, the most connections that it
had open, and how often the other client was refused.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from pg8000.exceptions import DatabaseError
from pg8000.native import Connection

from servers.postgres import EmbeddedServer

TRIBAL = Path(sys.executable).parent / "tribal"
DATABASES, TABLES, CONNECTIONS = 152, 10, 40
_RESERVED = 3
"""As many are kept for superusers by default."""
_OURS, _WATCHING = 4, 2
_HELD = CONNECTIONS - _RESERVED - _WATCHING - _OURS - 1
"""What the other client holds for good; there is room for one more beside the run."""
_OBSERVE_SECONDS = 0.005
_PASSWORD = "bench"


@dataclass
class Observed:
    """What the observer and the other client saw."""

    most: int = 0
    asked: int = 0
    refused: int = 0
    ended: threading.Event = field(default_factory=threading.Event)


def main() -> int:
    """Measure and print; returns 0 if the run was complete and polite."""
    with tempfile.TemporaryDirectory(prefix="tribal-bench-") as scratch, ExitStack() as stack:
        options = {"max_connections": str(CONNECTIONS)}
        server = stack.enter_context(EmbeddedServer.start(Path(scratch) / "server", options=options))
        _fill(server)
        project = Path(scratch) / "project"
        project.mkdir()
        entries = [
            {"name": f"tenant_{number}", "dsn": server.dsn(f"tenant_{number}", "reader", _PASSWORD)}
            for number in range(DATABASES)
        ]
        (project / "databases.yaml").write_text(json.dumps({"databases": entries}))
        for _ in range(_HELD):
            stack.callback(_connect(server, "other").close)
        observed = Observed()
        watchers = [threading.Thread(target=watch, args=(server, observed)) for watch in (_observe, _ask)]
        for watcher in watchers:
            watcher.start()
        began = time.monotonic()
        run = subprocess.run([TRIBAL, "run"], cwd=project, capture_output=True, text=True, check=False)
        seconds = time.monotonic() - began
        observed.ended.set()
        for watcher in watchers:
            watcher.join()
    print(run.stdout.strip() or run.stderr.strip())
    print(
        f"{DATABASES} databases of {TABLES} tables, {CONNECTIONS} connections: exit code {run.returncode}, "
        f"{seconds:.1f} s, at most {observed.most} connections of ours, "
        f"the other client refused {observed.refused} of {observed.asked} times"
    )
    return int(run.returncode != 0 or observed.most > _OURS or observed.refused > 0)


def _fill(server: EmbeddedServer) -> None:
    tables = "".join(
        f"CREATE TABLE t{number} (id int PRIMARY KEY, name text, t{max(0, number - 1)}_id int REFERENCES t"
        f"{max(0, number - 1)}); INSERT INTO t{number} SELECT n, 'n' || n, NULL FROM generate_series(1, 5) n;"
        for number in range(TABLES)
    )
    server.create_database("pattern")
    server.load("pattern", f"{tables} GRANT SELECT ON ALL TABLES IN SCHEMA public TO PUBLIC;")
    server.load(
        "postgres", f"CREATE ROLE reader LOGIN PASSWORD '{_PASSWORD}'; CREATE ROLE other LOGIN PASSWORD '{_PASSWORD}'"
    )
    with closing(_connect(server)) as connection:
        for number in range(DATABASES):
            connection.run(f"CREATE DATABASE tenant_{number} TEMPLATE pattern")


def _connect(server: EmbeddedServer, user: str | None = None) -> Connection:
    """Connect as a user, or as the superuser."""
    where = urlsplit(server.dsn(user=user, password=_PASSWORD) if user else server.dsn())
    return Connection(
        where.username,
        password=where.password,
        host=where.hostname,
        port=where.port,
        database="postgres",
        ssl_context=False,
    )


def _observe(server: EmbeddedServer, observed: Observed) -> None:
    connection = _connect(server)
    while not observed.ended.wait(_OBSERVE_SECONDS):
        ((ours,),) = connection.run("SELECT count(*) FROM pg_stat_activity WHERE usename = 'reader'")
        observed.most = max(observed.most, ours)
    connection.close()


def _ask(server: EmbeddedServer, observed: Observed) -> None:
    own = _connect(server)
    while not observed.ended.wait(_OBSERVE_SECONDS):
        # A session that this client has just closed may take up room for a moment longer.
        ((others,),) = own.run("SELECT count(*) FROM pg_stat_activity WHERE usename = 'other'")
        if others > _HELD:
            continue
        observed.asked += 1
        try:
            _connect(server, "other").close()
        except DatabaseError:
            observed.refused += 1
    own.close()


if __name__ == "__main__":
    sys.exit(main())
