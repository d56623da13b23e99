"""An embedded PostgreSQL server for the demo, the tests and the benchmarks: throwaway data, real behaviour.

TCP connections, on 127.0.0.1, need a password, as on a production server. The unix socket needs none and is open only
to the account that runs the server. From a shell::

    python -m tribal_demo.server.postgres --data /tmp/company --database company --load demo/tribal_demo/company.sql
"""

import argparse
import atexit
import os
import shutil
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Self
from urllib.parse import quote, urlencode

from tribal_demo.server.installation import (
    Account,
    EmbeddedServerError,
    EmbeddedServerUnavailable,
    PostgresVersion,
    Programs,
    claim,
    find_installation,
    reach_programs,
)
from tribal_demo.server.permission import check_permission
from tribal_demo.server.process import OwnedProcess, Postmaster, make_runtime_folder, own_or_join, start_process

__all__ = ["SUPERUSER", "SUPERUSER_PASSWORD", "EmbeddedServer", "EmbeddedServerError", "EmbeddedServerUnavailable"]

SUPERUSER = "postgres"
SUPERUSER_PASSWORD = "tribal-demo"
"""The superuser's password over TCP. Not a secret: the data is made up, and the server listens on 127.0.0.1 only."""

# Durability is useless here and costs most of the time. Statistics change only by an explicit ANALYZE.
_THROWAWAY = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "autovacuum": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
}
_NO_OPTIONS: Mapping[str, str] = MappingProxyType({})


class EmbeddedServer:
    """A running PostgreSQL server with its own data directory.

    The first to start a server on a data directory owns it and stops it, at the latest when its process exits. Others
    that start one there meanwhile, in this process or another, share the running server and leave stopping it to the
    owner.
    """

    def __init__(
        self, programs: Programs, postmaster: Postmaster, process: OwnedProcess | None, cleanup: ExitStack
    ) -> None:
        self._programs = programs
        self._postmaster = postmaster
        self._process = process
        self._cleanup = cleanup
        self._pid = os.getpid()
        if process:
            atexit.register(self.stop)

    @classmethod
    def start(
        cls, data_directory: Path, *, version: PostgresVersion = 18, options: Mapping[str, str] = _NO_OPTIONS
    ) -> Self:
        """Starts a server, or joins the one already running on the data directory.

        If started by root, the server runs as the account `nobody`, which becomes the owner of the data directory.

        Args:
            data_directory: A folder for the cluster and its log, created the first time.
            version: The major version of PostgreSQL.
            options: Server settings on top of the defaults, by their names in `postgresql.conf`; a running server
                keeps its own.

        Raises:
            ServersForbidden: No server may be started.
            EmbeddedServerUnavailable: The platform is not supported, or the programs are not installed.
            EmbeddedServerError: The folder contains something else, or the server does not start.
        """
        check_permission("PostgreSQL")
        installation = find_installation(version)
        account = Account.for_server()
        home = data_directory.resolve()
        if home.exists() and any(home.iterdir()) and not (home / "owner.lock").exists():
            raise EmbeddedServerError(f"{str(home)!r} is not empty and was not made here; choose another folder.")
        claim(home, account)
        cluster = home / "cluster"
        with ExitStack() as cleanup:
            lock = own_or_join(home / "owner.lock", cluster)
            if isinstance(lock, Postmaster):
                _check_version(cluster, version)
                programs = Programs(installation / "bin", installation / "bin", account)
                return cls(programs, lock, None, cleanup.pop_all())
            cleanup.callback(lock.release)
            if (runtime := make_runtime_folder(home, account)) != home:
                cleanup.callback(shutil.rmtree, runtime, ignore_errors=True)
            programs = reach_programs(installation, account, runtime / "programs")
            _ensure_cluster(programs, cluster, runtime)
            _check_version(cluster, version)
            process, postmaster = start_process(programs, cluster, runtime, {**_THROWAWAY, **options})
            cleanup.callback(process.end)
            return cls(programs, postmaster, process, cleanup.pop_all())

    @property
    def is_owner(self) -> bool:
        """Whether this object started the server, so that `stop` ends it."""
        return self._process is not None

    def dsn(self, database: str = "postgres", user: str = SUPERUSER, password: str | None = None) -> str:
        """Returns the DSN over TCP; the superuser's password may be omitted."""
        if password is None and user == SUPERUSER:
            password = SUPERUSER_PASSWORD
        secret = "" if password is None else f":{quote(password, safe='')}"
        login = quote(user, safe="") + secret
        return f"postgresql://{login}@127.0.0.1:{self._postmaster.port}/{quote(database, safe='')}"

    def socket_dsn(self, database: str = "postgres", user: str = SUPERUSER) -> str:
        """Returns the DSN over the unix socket, where every user is trusted."""
        where = urlencode({"host": self._postmaster.socket_folder, "port": self._postmaster.port})
        return f"postgresql://{quote(user, safe='')}@/{quote(database, safe='')}?{where}"

    def databases(self) -> list[str]:
        """Returns the names of all databases except the templates."""
        names = "SELECT datname FROM pg_database WHERE NOT datistemplate ORDER BY datname"
        return self._psql("postgres", "--tuples-only", "--no-align", "--command", names).splitlines()

    def create_database(self, name: str) -> None:
        """Creates an empty database.

        Raises:
            EmbeddedServerError: The database exists already.
        """
        self._psql("postgres", "--command", f"CREATE DATABASE {_quote(name)}")

    def load(self, database: str, source: Path | str, *, user: str = SUPERUSER) -> None:
        """Runs an SQL script in a single transaction.

        Args:
            database: The database to run it in.
            source: The path of the script, or its text.
            user: The user to run it as.

        Raises:
            EmbeddedServerError: A statement failed; the message has its line and the server's message.
        """
        file, text = (str(source.resolve()), "") if isinstance(source, Path) else ("-", source)
        self._psql(database, "--single-transaction", "--output", os.devnull, "--file", file, text=text, user=user)

    def ensure_database(self, name: str, source: Path | str) -> bool:
        """Creates and fills a database unless it exists; returns whether it did.

        Raises:
            EmbeddedServerError: A statement failed; the database does not exist afterwards.
        """
        if name in self.databases():
            return False
        self.create_database(name)
        try:
            self.load(name, source)
        except BaseException:
            self._psql("postgres", "--command", f"DROP DATABASE {_quote(name)}")
            raise
        return True

    def wait(self) -> None:
        """Waits until the server ends by itself; returns at once if another object owns it."""
        if self._process:
            self._process.server.wait()

    def stop(self) -> None:
        """Stops the server if this object started it; may be called more than once."""
        # A forked child has a copy of this object and runs the same exit functions, but does not own the server.
        if os.getpid() == self._pid:
            atexit.unregister(self.stop)
            self._cleanup.close()
            self._process = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()

    def _psql(self, database: str, *arguments: str, text: str = "", user: str = SUPERUSER) -> str:
        where = ("--host", str(self._postmaster.socket_folder), "--port", str(self._postmaster.port))
        return self._programs.run(
            "psql",
            *("--no-psqlrc", "--quiet", "--set", "ON_ERROR_STOP=1", *where, "--username", user, "--dbname", database),
            *arguments,
            text=text,
        )


def _ensure_cluster(programs: Programs, cluster: Path, scratch: Path) -> None:
    if cluster.exists():
        return
    partial = cluster.with_name("cluster.partial")
    shutil.rmtree(partial, ignore_errors=True)
    claim(partial, programs.account)
    password_file = scratch / "password"
    password_file.write_text(SUPERUSER_PASSWORD)
    programs.make_cluster(
        partial,
        *("--username", SUPERUSER, "--pwfile", str(password_file)),
        *("--auth-host", "scram-sha-256", "--auth-local", "trust"),
        *("--encoding", "UTF8", "--locale", "C", "--no-sync", "--no-instructions"),
    )
    password_file.unlink()
    partial.rename(cluster)


def _check_version(cluster: Path, version: PostgresVersion) -> None:
    found = (cluster / "PG_VERSION").read_text().strip()
    if found != str(version):
        raise EmbeddedServerError(
            f"{str(cluster.parent)!r} holds data of PostgreSQL {found}, not {version}; choose another folder."
        )


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a server in the foreground until Ctrl-C; the first line it prints is the address."""
    parser = argparse.ArgumentParser(prog="python -m tribal_demo.server.postgres", description=main.__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder for the data, made if need be")
    parser.add_argument("--version", type=int, choices=(16, 18), default=18, help="version of PostgreSQL")
    parser.add_argument("--database", default=SUPERUSER, help="database to print the address of, made if need be")
    parser.add_argument("--load", type=Path, help="SQL script that fills the database when it is made")
    given = parser.parse_args(arguments)
    if given.load and given.database == SUPERUSER:
        parser.error("--load needs the name of a new --database")
    # Set explicitly, since a shell starts background jobs with SIGINT ignored.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    try:
        with EmbeddedServer.start(given.data, version=given.version) as server:
            server.ensure_database(given.database, given.load or "")
            print(server.dsn(given.database), flush=True)
            if not server.is_owner:
                print("Another process runs this server, and stops it.", file=sys.stderr)
                return 0
            print("Ctrl-C stops the server.", file=sys.stderr)
            server.wait()
            print("The server ended by itself; its log is 'server.log' in the data folder.", file=sys.stderr)
            return 1
    except KeyboardInterrupt:
        return 0
    except EmbeddedServerError as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
