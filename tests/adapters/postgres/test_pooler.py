"""Reading through PgBouncer in transaction mode, where every transaction may be given another session."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.edges.cli.tribal_command import contents, tribal
from tests.postgres_fixtures import OpenCatalog, administer
from tests.skips import skip_or_fail
from tribal.errors import LoginRefused

EPOCH = "1767225600"
SESSION = "SELECT name || '=' || setting FROM pg_settings WHERE source = 'session' AND name <> 'application_name'"


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


@pytest.fixture(scope="module")
def pooled(company_dsn: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The sample company through a pooler with two sessions for everybody together."""
    pgbouncer = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
    if pgbouncer is None:
        skip_or_fail("the program pgbouncer is not installed (Debian: apt-get install pgbouncer)")
    server, port = urlsplit(company_dsn), free_port()
    login = f"user={server.username} password={server.password}"
    folder = tmp_path_factory.mktemp("pooler")
    # It refuses to be root, and whoever it is then must be able to read its configuration.
    for parent in (folder, *folder.parents[:2]):
        parent.chmod(0o755)
    configuration = folder / "pgbouncer.ini"
    configuration.write_text(
        f"[databases]\n* = host={server.hostname} port={server.port} {login}\n"
        f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\nauth_type = any\n"
        "pool_mode = transaction\ndefault_pool_size = 2\nlogfile =\npidfile =\n"
    )
    as_user = ["-u", "nobody"] if os.geteuid() == 0 else []
    process = subprocess.Popen([pgbouncer, *as_user, str(configuration)], stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        told = ""
        while "process up" not in told:
            line = process.stderr.readline()
            assert line, told
            told += line
        yield server._replace(netloc=f"{server.username}:{server.password}@127.0.0.1:{port}").geturl()
    finally:
        process.terminate()
        process.communicate(timeout=10)


def test_a_run_through_the_pooler_writes_what_a_run_beside_it_writes(
    pooled: str, company_dsn: str, tmp_path: Path
) -> None:
    through, beside = tmp_path / "through", tmp_path / "beside"
    for folder, dsn in ((through, pooled), (beside, company_dsn)):
        folder.mkdir()
        ran = tribal("run", dsn, "--json", cwd=folder, SOURCE_DATE_EPOCH=EPOCH)
        assert ran.returncode == 0, ran.stderr
        assert json.loads(ran.stdout)["tables_documented"] > 0
    assert contents(through / "docs") == contents(beside / "docs")
    assert contents(through / "catalog") == contents(beside / "catalog")


def test_nothing_that_a_read_sets_stays_in_the_sessions_of_the_pooler(pooled: str, open_catalog: OpenCatalog) -> None:
    catalog = open_catalog(pooled)
    before = administer(pooled, SESSION)
    contents_ = catalog.read()
    for table in contents_.tables[:5]:
        catalog.sample(table, 5)
    assert administer(pooled, SESSION) == before
    assert administer(pooled, "SELECT current_setting('statement_timeout')") == [["0"]]


def test_startup_options_that_the_pooler_refuses_are_named_with_what_to_do(
    pooled: str, open_catalog: OpenCatalog
) -> None:
    catalog = open_catalog(f"{pooled}?options=-c%20geqo%3Doff")
    with pytest.raises(LoginRefused) as refused:
        catalog.read()
    assert "options" in refused.value.message
    assert "ignore_startup_parameters" in refused.value.message
