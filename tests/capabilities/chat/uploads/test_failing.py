"""A job that raises ends as failed, one that kills its processes too, and a full disk says what to do."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.capabilities.chat.uploads.made_uploads import MadeUploads, PageParser, pages, zipped
from tests.fakes.dying_store import Killed
from tribal.adapters.local.folder import FolderLock, FolderStore
from tribal.capabilities.chat.uploads import ingesting
from tribal.errors import EXIT_STORE, StoreUnwritable
from tribal.jobs.job import MOST_DEATHS
from tribal.ports import Application


@pytest.fixture(name="made")
def made_fixture(tmp_path: Path) -> MadeUploads:
    return MadeUploads(tmp_path)


def _raising(made: MadeUploads, error: BaseException, page: int = 1) -> PageParser:
    def fail(number: int) -> None:
        if number == page:
            raise error

    made.parser = PageParser(before_page=fail)
    return made.parser


@pytest.mark.parametrize("error", [IndexError("out of range"), MemoryError(), OSError(errno.EIO, "bad"), SystemExit(3)])
def test_a_job_that_raises_ends_as_failed_with_the_reason(made: MadeUploads, error: BaseException) -> None:
    _raising(made, error)
    job = made.upload("one.txt", pages(2))
    assert (job.status, job.attempts, made.uploads().job(job.job_id)) == ("failed", 0, job)
    assert job.error is not None
    assert job.error.code == "CHAT_INTERNAL"
    assert made.resume() == []
    made.parser = PageParser()
    assert made.upload("one.txt", pages(2)).status == "completed"


def test_a_file_that_raises_costs_only_itself_in_an_archive(made: MadeUploads) -> None:
    _raising(made, IndexError("out of range"), page=2)
    job = made.upload("a.zip", zipped({"bad.txt": pages(2), "good.txt": "Vacation"}))
    assert [(each.filename, each.status) for each in job.files] == [("bad.txt", "unreadable"), ("good.txt", "indexed")]
    assert "IndexError: out of range" in str(job.files[0].reason)


def test_a_job_that_fails_at_its_end_leaves_nothing_of_its_files(
    made: MadeUploads, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise ValueError("a bug")

    made.upload("kept.txt", "Kept")
    with monkeypatch.context() as patched:
        patched.setattr(ingesting, "publish_index", fail)
        job = made.upload("a.zip", zipped({"kept.txt": "Kept", "new.txt": "Vacation"}))
    assert [(each.filename, each.status) for each in job.files] == [("kept.txt", "unchanged"), ("new.txt", "refused")]
    assert job.status == "failed"
    assert [each.names for each in made.files().manifest().sources] == [["kept.txt"]]
    assert not list(made.store.keys(made.files().source_folder(str(job.files[1].source_id))))
    assert made.found(["vacat"]) == []


def test_a_job_that_kills_its_processes_comes_last_and_ends_as_failed(made: MadeUploads) -> None:
    _raising(made, Killed())
    job = made.accept("one.txt", pages(2))
    for _ in range(MOST_DEATHS):
        with pytest.raises(Killed):
            made.ingest(job)
    made.parser = PageParser()
    later = made.accept("two.txt", pages(1))
    ended = made.resume()
    assert [(each.job_id, each.status) for each in ended] == [(later.job_id, "completed"), (job.job_id, "failed")]


def test_a_job_that_is_killed_again_and_again_but_makes_progress_is_completed(
    made: MadeUploads, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tribal.capabilities.chat.uploads.reading.PART_PASSAGES", 2)
    total = 4 * MOST_DEATHS
    job = made.accept("long.txt", pages(total))
    for page in range(3, total + 1, 2):
        _raising(made, Killed(), page)
        with pytest.raises(Killed):
            made.ingest(job)
    made.parser = PageParser()
    assert made.ingest(job).status == "completed"


class FullDisk:
    """Refuses files that are opened for writing in a folder, from the n-th on."""

    folder: str | None = None
    left = 0
    opened = 0

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.folder is None or event not in ("open", "sqlite3.connect") or not isinstance(arguments[0], str | Path):
            return
        is_written = event == "sqlite3.connect" or bool(arguments[2] & (os.O_WRONLY | os.O_RDWR))
        # Leases and locks are small, and were written before.
        if is_written and str(arguments[0]).startswith(self.folder) and "lock" not in str(arguments[0]):
            self.opened += 1
            if self.opened > self.left:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(arguments[0]))


class OnDisk(MadeUploads):
    """Collections in a folder."""

    @property
    def app(self) -> Application:
        """An application of a new process, to which a lease that could not be released is no obstacle."""
        return replace(super().app, locks=partial(FolderLock, self.folder / "store"))


DISK = FullDisk()
sys.addaudithook(DISK)


@contextmanager
def full_after(folder: Path, files: int) -> Iterator[None]:
    DISK.folder, DISK.left, DISK.opened = str(folder), files, 0
    try:
        yield
    finally:
        DISK.folder = None


def test_a_disk_that_is_full_at_any_file_says_to_make_room_and_the_upload_resumes(tmp_path: Path) -> None:
    data = zipped({"one.txt": pages(3), "b/two.txt": "Vacation"})
    for files in count():
        folder = tmp_path / str(files)
        folder.mkdir()
        made = OnDisk(folder, store=FolderStore(folder / "store"))
        made.upload("first.txt", "First")
        (folder / "given").write_bytes(data)
        with full_after(folder, files):
            try:
                job = made.ingest(made.uploads().accept(folder / "given", "a.zip"))
                break
            except StoreUnwritable as error:
                failed = error
        assert (failed.exit_code, "make room on that disk" in failed.message) == (EXIT_STORE, True), failed.message
        assert made.upload("a.zip", data).status == "completed"
        assert [each.status for each in made.uploads().jobs().jobs] == ["completed"] * 2
    assert job.status == "completed"
    assert files > 10
