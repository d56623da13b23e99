"""An indexed project that every chat of a module asks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.edges.mcp.asked import index_project
from tribal.app.local import local_application
from tribal.ports import Application
from tribal.settings import load_settings


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shop")
    index_project(folder)
    (folder / "databases.yaml").write_text("databases: []\n")
    return folder


@pytest.fixture(scope="module")
def app(indexed: Path) -> Iterator[Application]:
    settings = load_settings(project=indexed, environment={}, needs_databases=False)
    with closing(local_application(settings)) as built:
        yield built
