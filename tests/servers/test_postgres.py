"""The embedded server of PostgreSQL: real processes, shared, killed and started again."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pg8000.exceptions
import pytest
from pg8000.native import Connection

from tests import ROOT
from tests.plugins.postgres import administer
from tribal_demo import COMPANY_SQL
from tribal_demo.server.installation import PostgresVersion
from tribal_demo.server.postgres import EmbeddedServer, EmbeddedServerError, EmbeddedServerUnavailable

pytestmark = pytest.mark.server

OWNER = """
import sys
from pathlib import Path
from tribal_demo.server.postgres import EmbeddedServer
print(EmbeddedServer.start(Path(sys.argv[1])).dsn(), flush=True)
sys.stdin.read()
"""

FORKING_OWNER = """
import os, sys
from pathlib import Path
from tribal_demo.server.postgres import EmbeddedServer
with EmbeddedServer.start(Path(sys.argv[1])) as server:
    if child := os.fork():
        os.waitpid(child, 0)
        with EmbeddedServer.start(Path(sys.argv[1])) as guest:
            print(guest.is_owner, server.databases())
"""


def run_owner(folder: Path) -> "tuple[subprocess.Popen[str], str]":
    """Starts another process that owns a server, and returns it with the address."""
    process = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert process.stdout
    return process, process.stdout.readline().strip()


@pytest.fixture(scope="module", params=[16, 18], ids="PostgreSQL {}".format)
def server(
    request: pytest.FixtureRequest, postgres_servers: Callable[[PostgresVersion], EmbeddedServer]
) -> EmbeddedServer:
    return postgres_servers(request.param)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory that is made; each test that uses it leaves no server on it."""
    folder = tmp_path_factory.mktemp("folder")
    EmbeddedServer.start(folder).stop()
    return folder


def test_a_script_that_fails_is_quoted_and_leaves_nothing_behind(server: EmbeddedServer) -> None:
    with pytest.raises(EmbeddedServerError, match=r':2: ERROR: .*"nowhere" does not exist'):
        server.ensure_database("broken", "CREATE TABLE somewhere ();\nSELECT * FROM nowhere;")
    assert "broken" not in server.databases()


def test_a_wrong_password_is_refused(server: EmbeddedServer) -> None:
    with pytest.raises(pg8000.exceptions.DatabaseError, match="password authentication failed"):
        administer(server.dsn(password="wrong"), "SELECT 1")


def test_the_unix_socket_asks_for_no_password(server: EmbeddedServer) -> None:
    query = dict(pair.split("=") for pair in urlsplit(server.socket_dsn()).query.split("&"))
    path = f"{unquote(query['host'])}/.s.PGSQL.{query['port']}"
    connection = Connection("postgres", unix_sock=path)
    assert connection.run("SELECT current_user::text") == [["postgres"]]
    connection.close()


def test_a_stale_pid_file_with_the_number_of_another_process_is_no_obstacle(folder: Path) -> None:
    with EmbeddedServer.start(folder) as server:
        stale = (folder / "cluster" / "postmaster.pid").read_text().splitlines()
        address = server.dsn()
    (folder / "cluster" / "postmaster.pid").write_text("\n".join([str(os.getpid()), *stale[1:]]))
    with EmbeddedServer.start(folder) as server:
        assert server.is_owner
        assert server.dsn() != address
        administer(server.dsn(), "SELECT 1")


def test_a_second_start_shares_the_server_and_leaves_it_running(folder: Path) -> None:
    with EmbeddedServer.start(folder) as owner:
        with EmbeddedServer.start(folder) as guest:
            assert not guest.is_owner
            assert guest.dsn() == owner.dsn()
        administer(owner.dsn(), "SELECT 1")
    with pytest.raises(pg8000.exceptions.InterfaceError, match="Can't create a connection"):
        administer(owner.dsn(), "SELECT 1")


@pytest.mark.representative
def test_a_server_ends_when_its_owner_is_killed_and_starts_again(folder: Path) -> None:
    owner, dsn = run_owner(folder)
    with socket.create_connection(("127.0.0.1", urlsplit(dsn).port or 0), timeout=30) as client:
        owner.kill()
        owner.communicate()
        assert client.recv(1) == b""
    with EmbeddedServer.start(folder) as server:
        assert server.is_owner


def test_a_server_ends_with_the_process_that_never_stopped_it(folder: Path) -> None:
    owner, dsn = run_owner(folder)
    owner.communicate()
    assert owner.returncode == 0
    with pytest.raises(pg8000.exceptions.InterfaceError, match="Can't create a connection"):
        administer(dsn, "SELECT 1")


def test_a_forked_child_that_exits_leaves_the_server_to_its_parent(folder: Path) -> None:
    command = [sys.executable, "-c", FORKING_OWNER, str(folder)]
    finished = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=60)
    assert (finished.stdout, finished.stderr) == ("False ['postgres']\n", "")


def test_the_command_prints_an_address_that_answers_and_ends_on_interrupt(folder: Path) -> None:
    program = ["-m", "tribal_demo.server.postgres", "--data", str(folder)]
    command = [*program, "--database", "company", "--load", str(COMPANY_SQL)]
    process = subprocess.Popen([sys.executable, *command], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert process.stdout
    assert administer(process.stdout.readline().strip(), "SELECT count(*) FROM crm.customer") == [[120]]
    process.send_signal(signal.SIGINT)
    process.communicate()
    assert process.returncode == 0


def test_settings_reach_the_server_and_a_wrong_one_is_quoted(folder: Path) -> None:
    with EmbeddedServer.start(folder, options={"work_mem": "5MB"}) as server:
        assert administer(server.dsn(), "SHOW work_mem") == [["5MB"]]
    with pytest.raises(EmbeddedServerError, match='invalid value for parameter "work_mem"'):
        EmbeddedServer.start(folder, options={"work_mem": "plenty"})


def test_a_folder_too_deep_for_a_socket_path_serves_all_the_same(folder: Path, tmp_path: Path) -> None:
    deep = tmp_path / ("deep" * 25)
    folder.rename(deep)
    with EmbeddedServer.start(deep) as server:
        assert server.databases()
    deep.rename(folder)


def test_a_folder_of_another_version_is_refused(folder: Path) -> None:
    with pytest.raises(EmbeddedServerError, match="holds data of PostgreSQL 18, not 16"):
        EmbeddedServer.start(folder, version=16)


def test_a_folder_with_other_files_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").touch()
    with pytest.raises(EmbeddedServerError, match="not empty"):
        EmbeddedServer.start(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_without_the_wheel_the_error_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [])
    with pytest.raises(EmbeddedServerUnavailable, match=r"install .*'tribal-knowledge\[demo\]'"):
        EmbeddedServer.start(tmp_path)
