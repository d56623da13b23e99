"""A job that is killed at any of its writes ends, run again, with the same bytes as an undisturbed one."""

from __future__ import annotations

import copy
from dataclasses import replace
from pathlib import Path

import pytest

from tests.capabilities.chat.uploads.made_uploads import MadeUploads, PageParser, pages, zipped
from tests.fakes import MemoryStore
from tests.fakes.dying_store import DyingStore, Killed
from tribal.capabilities.chat.uploads.ingesting import ingest
from tribal_contracts.chat.jobs import UploadJob
from tribal_contracts.chat.settings import UploadLimits

ARCHIVE = zipped(
    [
        ("long.txt", pages(11, "Vacation rule {} of ada@example.com.")),
        ("secret.pdf", "%PDF-1\n!encrypted"),
        ("copy of long.txt", pages(11, "Vacation rule {} of ada@example.com.")),
        ("known again.txt", pages(2, "Known {}")),
        ("short.md", "# Short"),
    ]
)
FEWEST_WRITES = {"upload": 24, "refused": 12, "removal": 8}


@pytest.fixture(name="waiting")
def waiting_fixture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> tuple[MadeUploads, UploadJob]:
    """A collection with two files, one of which is withdrawn, and a job that waits."""
    monkeypatch.setattr("tribal.capabilities.chat.uploads.reading.PART_PASSAGES", 4)
    monkeypatch.setattr("tribal.capabilities.chat.uploads.reading.FILES_A_WRITE", 2)
    made = MadeUploads(tmp_path, settings={"uploads": UploadLimits(pages=20)})
    made.upload("known.txt", pages(2, "Known {}"))
    made.upload("withdrawn.txt", pages(2, "Withdrawn {}"))
    if request.param == "removal":
        return made, _removal(made)
    made.uploads().remove("handbook", "withdrawn.txt")
    if request.param == "refused":
        made.embedder.usd_per_character = 1.0
    return made, made.accept("export.zip", ARCHIVE)


def _removal(made: MadeUploads) -> UploadJob:
    report = made.uploads().remove("handbook", "withdrawn.txt")
    return made.uploads().job(report.job_id)


def _of_new_process(made: MadeUploads, objects: dict[str, bytes], folder: Path) -> MadeUploads:
    folder.mkdir(exist_ok=True)
    store = MemoryStore()
    store._objects = copy.copy(objects)
    return replace(made, folder=folder, store=store, parser=PageParser())


@pytest.mark.parametrize("waiting", list(FEWEST_WRITES), indirect=True)
@pytest.mark.parametrize("done", [False, True], ids=["before", "after"])
def test_it_ends_as_one_that_no_one_disturbed(
    waiting: tuple[MadeUploads, UploadJob], tmp_path: Path, request: pytest.FixtureRequest, *, done: bool
) -> None:
    made, job = waiting
    start = made.everything()
    undisturbed = _of_new_process(made, start, tmp_path / "undisturbed")
    ended = undisturbed.ingest(job)
    assert ended.status != "processing"
    expected = undisturbed.everything()
    dies_at = 0
    while True:
        dying = _of_new_process(made, start, tmp_path / "killed")
        store = dying.store
        dying.store = DyingStore(store, dies_at, done=done)
        try:
            ingest(dying.app, "handbook", job.job_id)
        except Killed:
            pass
        else:
            break
        resumed = _of_new_process(made, {key: store.get(key).data for key in store.keys("")}, tmp_path / "killed")
        assert resumed.ingest(job) == ended
        found = resumed.everything()
        assert sorted(found.keys() ^ expected.keys()) == [], dies_at
        assert found == expected, dies_at
        dies_at += 1
    kind = request.node.callspec.params["waiting"]
    assert dies_at >= FEWEST_WRITES[kind]
