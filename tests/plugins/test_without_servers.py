"""What `make quick` runs starts no server: the tests that need one are known, and what starts one refuses."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from servers.moto import MotoServer
from servers.opensearch import OpenSearchNode
from servers.pgbouncer import pooled
from tests import ROOT
from tests.checks import QUICK_TESTS
from tests.plugins.without_servers import SERVER_FOLDERS, needs_server
from tribal_demo.server.permission import VARIABLE, ServersForbidden
from tribal_demo.server.postgres import EmbeddedServer

HERE = Path(__file__)


@pytest.mark.parametrize(
    "start",
    [
        lambda folder: EmbeddedServer.start(folder / "data"),
        lambda _: OpenSearchNode.start(),
        lambda _: MotoServer.start(),
        lambda folder: pooled("postgresql://u:p@127.0.0.1:1/d", folder).__enter__(),
    ],
    ids=["PostgreSQL", "OpenSearch", "moto", "PgBouncer"],
)
def test_where_servers_are_forbidden_none_starts(
    start: Callable[[Path], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "1")
    with pytest.raises(ServersForbidden, match=f"may not be started: {VARIABLE} is set"):
        start(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_process_that_is_started_is_forbidden_servers_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(VARIABLE, "1")
    program = "import sys; from pathlib import Path; from tribal_demo.server.postgres import EmbeddedServer as E; "
    program += "E.start(Path(sys.argv[1]))"
    ran = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "data")], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 1
    assert "ServersForbidden: PostgreSQL" in ran.stderr


def test_a_test_needs_a_server_by_a_fixture_or_by_its_folder() -> None:
    assert needs_server(["tmp_path", "company_dsn", "postgres_servers"], HERE)
    assert needs_server(["fresh_database"], HERE)
    assert needs_server([], ROOT / "tests" / "remote" / "test_asking.py")
    assert not needs_server(["tmp_path"], HERE)
    assert [folder for folder in SERVER_FOLDERS if not (ROOT / "tests" / folder).is_dir()] == []


def test_the_quick_tests_forbid_what_they_leave_out() -> None:
    command = QUICK_TESTS["tests that need no server"]
    assert "--no-servers" in command
    assert command[command.index("-m") + 1].startswith("not server")


def test_servers_know_nothing_of_the_tests_that_use_them() -> None:
    assert not {"tests", "bench", "tribal"} & imported_in(ROOT / "servers")
    # Of the product the sample company's server uses the messages.
    assert not {"tests", "bench"} & imported_in(ROOT / "demo" / "tribal_demo" / "server")


def imported_in(folder: Path) -> set[str]:
    """Top-level packages that the modules of a folder import."""
    imported = {
        name.partition(".")[0]
        for path in folder.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else [each.name for each in node.names])
    }
    assert "subprocess" in imported
    return imported
