"""The index of memories in objects of the store keeps the port's contract."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conformance.memory_index import *  # noqa: F403
from tests.conformance.memory_index import OF_ADA, OF_BOB, among, memory
from tribal.adapters.journal.memories import FOLDER, JournalMemories
from tribal.adapters.local.folder import FolderStore
from tribal.errors import MemoryRefused, MemoryStoreFailed


@pytest.fixture
def index(tmp_path: Path) -> JournalMemories:
    return JournalMemories(FolderStore(tmp_path))


@pytest.fixture
def other(tmp_path: Path) -> JournalMemories:
    return JournalMemories(FolderStore(tmp_path))


@pytest.fixture
def lose(tmp_path: Path) -> Callable[[], None]:
    return lambda: FolderStore(tmp_path).delete(f"{FOLDER}{OF_BOB.name}.jsonl")


def test_a_space_takes_5_000_memories_and_refuses_one_more(index: JournalMemories) -> None:
    index.write(memory(number) for number in range(5_000))
    with pytest.raises(MemoryRefused, match="index: opensearch"):
        index.write([memory(5_000)])
    assert index.count(among(OF_ADA)) == 5_000
    index.write([memory(1, "again")])


def test_a_damaged_object_is_reported_and_no_matter_once_it_is_deleted(index: JournalMemories, tmp_path: Path) -> None:
    index.write([memory(1, "x")])
    key = f"{FOLDER}{OF_ADA.name}.jsonl"
    FolderStore(tmp_path).put(key, b"{")
    for ask in (lambda: index.count(among(OF_ADA)), lambda: index.write([memory(2)])):
        with pytest.raises(MemoryStoreFailed, match="rebuild it"):
            ask()
    FolderStore(tmp_path).delete(key)
    index.write([memory(2)])
    assert index.count(among(OF_ADA)) == 1
