"""What a source holds becomes a snapshot; nothing that did not change is read or written again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes import MemoryStore
from tribal.adapters.local.knowledge import KnowledgeFolder
from tribal.capabilities.knowledge.items.places import Layout, Place
from tribal.capabilities.knowledge.snapshots.publishing import publish
from tribal.capabilities.knowledge.snapshots.snapshot import ITEMS, MANIFEST, load_item, load_manifest, superseding

FLAT = Layout(flat=Place("project", "shop", "adr"))
NOW = "2026-11-23T08:00:00Z"


def write(folder: Path, name: str, text: str) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")


@pytest.fixture(name="folder")
def folder_fixture(tmp_path: Path) -> Path:
    write(tmp_path, "0001-one.md", "# 1. One\n\n## Status\n\nSuperseded by [2. Two](0002-two.md)\n")
    write(tmp_path, "0002-two.md", "# 2. Two\n\nStatus: accepted\n\n## Decision\n\nWe take two. Always.\n")
    write(tmp_path, "0003-no.md", "# 3. No\n\nStatus: rejected\n")
    write(tmp_path, "0004-bad.md", "---\nstatus: maybe\n---\n# Bad\n")
    return tmp_path


def test_items_failures_and_what_was_rejected_are_reported(folder: Path) -> None:
    store = MemoryStore()
    published = publish(KnowledgeFolder(folder), FLAT, store, NOW)
    manifest = published.manifest
    assert published.changed
    assert [each.id for each in manifest.items] == ["0001-one", "0002-two"]
    assert [(each.path, each.line) for each in manifest.failures] == [("0004-bad.md", 2)]
    assert [each.path for each in manifest.skipped] == ["0003-no.md"]
    one, two = (load_item(store, each) for each in manifest.items)
    assert (two.title, two.summary, two.status, two.owner) == ("Two", "We take two.", "accepted", "shop")
    assert (superseding(manifest, one), superseding(manifest, two)) == (["0002-two"], [])
    assert load_manifest(store)[0] == manifest


def test_a_second_sync_of_the_same_writes_nothing(folder: Path) -> None:
    store = MemoryStore()
    publish(KnowledgeFolder(folder), FLAT, store, NOW)
    before = {key: store.get(key).etag for key in store.keys("")}
    again = publish(KnowledgeFolder(folder), FLAT, store, "2026-11-24T08:00:00Z")
    assert not again.changed
    assert {key: store.get(key).etag for key in store.keys("")} == before


def test_of_a_changed_file_a_new_item_is_published_and_the_others_stay(folder: Path) -> None:
    store = MemoryStore()
    first = publish(KnowledgeFolder(folder), FLAT, store, NOW).manifest
    write(folder, "0002-two.md", "# 2. Two and a half\n\nStatus: accepted\n")
    (folder / "0001-one.md").unlink()
    write(folder, "0005-five.md", "---\nsupersedes: 0002-two\n---\n# 5. Five\n\nStatus: accepted\n")
    second = publish(KnowledgeFolder(folder), FLAT, store, NOW).manifest
    assert [each.id for each in second.items] == ["0002-two", "0005-five"]
    assert second.items[0].object != first.items[1].object
    assert superseding(second, load_item(store, second.items[0])) == ["0005-five"]
    # Who still reads by the manifest of before finds its items.
    assert load_item(store, first.items[1]).title == "Two"


def test_an_id_that_two_files_have_is_the_first_ones(tmp_path: Path) -> None:
    for name in ("b/x.md", "a/x.md"):
        write(tmp_path, name, f"# {name}\n\nStatus: accepted\n")
    manifest = publish(KnowledgeFolder(tmp_path), FLAT, MemoryStore(), NOW).manifest
    assert [each.path for each in manifest.items] == ["a/x.md"]
    assert [(each.path, each.reason) for each in manifest.failures] == [
        ("b/x.md", "its id 'x' is already used by 'a/x.md'")
    ]


def test_links_are_refused_and_what_is_no_item_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("# Secret\n")
    inside = tmp_path / "adrs"
    write(inside, "a.md", "# A\n\nStatus: accepted\n")
    write(inside, "a.png", "no")
    (inside / "out.md").symlink_to(tmp_path / "secret.md")
    (inside / "folder").symlink_to(tmp_path, target_is_directory=True)
    manifest = publish(KnowledgeFolder(inside), FLAT, MemoryStore(), NOW).manifest
    assert [each.path for each in manifest.items] == ["a.md"]
    assert [each.path for each in manifest.failures] == ["out.md"]


def test_items_are_named_by_their_bytes_and_the_manifest_is_last(folder: Path) -> None:
    written: list[str] = []

    class Watched(MemoryStore):
        def put(self, key: str, data: bytes, **conditions: object) -> str:
            written.append(key)
            return super().put(key, data, **conditions)  # type: ignore[arg-type]

    publish(KnowledgeFolder(folder), FLAT, Watched(), NOW)
    assert all(key.startswith(ITEMS) for key in written[:-1])
    assert written[-1] == MANIFEST
