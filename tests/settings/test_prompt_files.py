"""Texts of a project that replace the shipped ones: which files are read, and which are refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.memory_store import MemoryStore
from tribal.errors import ConfigurationError
from tribal.settings.prompt_files import prompts_in_bucket, prompts_in_folder

Read = Callable[[Path, dict[str, bytes]], dict[str, bytes]]


def from_folder(project: Path, files: dict[str, bytes]) -> dict[str, bytes]:
    for name, data in files.items():
        path = project / "prompts" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return prompts_in_folder(project)


def from_bucket(_: Path, files: dict[str, bytes]) -> dict[str, bytes]:
    store = MemoryStore()
    store.put("config/databases.yaml", b"databases: []")
    for name, data in files.items():
        store.put(f"config/prompts/{name}", data)
    return prompts_in_bucket(store)


both = pytest.mark.parametrize("read", [from_folder, from_bucket], ids=["folder", "bucket"])


@both
def test_without_texts_of_ones_own_nothing_is_replaced(read: Read, tmp_path: Path) -> None:
    assert read(tmp_path, {}) == {}


@both
def test_markdown_is_read_and_everything_else_passed_over(read: Read, tmp_path: Path) -> None:
    files = {"table.md": b"Say {{x}}.", "table.md.orig": b"a", "notes.txt": b"b", "old/table.md": b"c"}
    assert read(tmp_path, files) == {"table.md": b"Say {{x}}."}


@both
def test_a_text_too_large_to_be_sent_each_time_is_refused_by_its_name(read: Read, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"prompts/table\.md is larger than 65,536 bytes"):
        read(tmp_path, {"table.md": b"x" * 65_537})
    assert len(read(tmp_path, {"table.md": b"x" * 65_536})["table.md"]) == 65_536


@both
def test_a_folder_of_many_files_is_taken_for_another_one(read: Read, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="prompts has more than 50 Markdown files"):
        read(tmp_path, {f"{number}.md": b"" for number in range(51)})


def test_a_text_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "prompts" / "table.md").mkdir(parents=True)
    with pytest.raises(ConfigurationError, match=r"table\.md cannot be read: Is a directory"):
        prompts_in_folder(tmp_path)
