"""Which tests need a server: told from their fixtures and their folder, so that `make quick` runs all others."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path

import pytest

from tests import ROOT
from tribal_demo.server.permission import VARIABLE

SERVER_FIXTURES = {"aws_account", "chromium", "fresh_database", "opensearch_address", "postgres_servers", "replication"}
"""Fixtures that start a server, on their own or when they are called; what depends on them needs one too."""
SERVER_FOLDERS = ("e2e", "edges/mcp", "infra", "remote")
"""Folders whose tests start moto's server, the one for MCP, Node.js or a package installer."""


def needs_server(fixtures: Collection[str], path: Path) -> bool:
    """Tells whether a test with these fixtures, in this file, needs a server."""
    folders = [ROOT / "tests" / folder for folder in SERVER_FOLDERS]
    return bool(SERVER_FIXTURES.intersection(fixtures)) or any(path.is_relative_to(folder) for folder in folders)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Know `--no-servers`."""
    parser.addoption("--no-servers", action="store_true", help="fail what starts a server; with -m 'not server'")


def pytest_configure(config: pytest.Config) -> None:
    """Forbid servers to this process and to all that it starts."""
    if config.getoption("no_servers"):
        os.environ[VARIABLE] = "1"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what needs a server, before marks choose what runs."""
    for item in items:
        if needs_server(getattr(item, "fixturenames", ()), item.path):
            item.add_marker(pytest.mark.server)
