"""A folder, as a `KnowledgeSource`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance.knowledge_source import *  # noqa: F403 - the tests
from tests.conformance.knowledge_source import FILES, Change
from tribal.adapters.local.knowledge import KnowledgeFolder
from tribal.ports.remembering.knowledge_source import KnowledgeSource


@pytest.fixture(name="change")
def change_fixture(tmp_path: Path) -> Change:
    def change(path: str, data: bytes | None) -> None:
        place = tmp_path / path
        if data is None:
            place.unlink()
            return
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)

    return change


@pytest.fixture(name="source")
def source_fixture(tmp_path: Path, change: Change) -> KnowledgeSource:
    for path, data in FILES.items():
        change(path, data)
    return KnowledgeFolder(tmp_path)
