"""One process at a time works on uploads, is started when there is work, and ends with the server."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.waiting import wait_until
from tribal.app.job_processes import launching
from tribal.app.job_processes.launching import JobWorkers, with_job_workers
from tribal.app.local import local_application
from tribal.capabilities.chat.uploads.job_kind import UPLOADS
from tribal.errors import StoreUnwritable
from tribal.ports import Application
from tribal.ports.application import WorkerLaunch
from tribal.settings import load_settings
from tribal_contracts.chat.jobs import IngestTask

JOB = (UPLOADS, IngestTask(collection="handbook", job_id="job-1"))
Jobs = list[tuple[Any, IngestTask]]
WORKS = """
import pathlib, pickle, sys, time
folder = pathlib.Path(pickle.load(sys.stdin.buffer))
(folder / "running").touch(exist_ok=False)
with (folder / "log").open("a") as log:
    log.write("begun\\n")
time.sleep(0.2)
(folder / "running").unlink()
"""
"""Fails if another process runs at the same time."""
DIES_ONCE = """
import os, pathlib, pickle, signal, sys
folder = pathlib.Path(pickle.load(sys.stdin.buffer))
with (folder / "log").open("a") as log:
    log.write("begun\\n")
if len((folder / "log").read_text().splitlines()) == 1:
    os.kill(os.getpid(), signal.SIGKILL)
"""
WAITS = """
import pathlib, pickle, sys
folder = pathlib.Path(pickle.load(sys.stdin.buffer))
(folder / "begun").touch()
sys.stdin.buffer.read(1)
(folder / "stopped").touch()
"""


def application_in(folder: Path) -> Application:
    return local_application(load_settings(project=folder, environment={}, needs_databases=False))


@contextmanager
def running(folder: Path, script: str, look_seconds: float = 60.0) -> Iterator[JobWorkers]:
    launch = WorkerLaunch((sys.executable, "-c", script), blueprint=str(folder))
    workers = JobWorkers(application_in(folder), [], launch, look_seconds)
    workers.start()
    try:
        yield workers
    finally:
        workers.close()


@pytest.fixture(name="waiting")
def waiting_fixture(monkeypatch: pytest.MonkeyPatch) -> Jobs:
    """The jobs that wait; none of them ends."""
    jobs: Jobs = []
    monkeypatch.setattr(launching, "waiting_jobs", lambda *_: iter(jobs))
    return jobs


def begun(folder: Path) -> int:
    log = folder / "log"
    return len(log.read_text().splitlines()) if log.exists() else 0


def test_jobs_that_were_left_are_worked_on_when_the_server_starts(tmp_path: Path, waiting: Jobs) -> None:
    waiting.append(JOB)
    with running(tmp_path, WORKS):
        wait_until(lambda: begun(tmp_path) == 1)


def test_a_new_job_starts_a_process(tmp_path: Path, waiting: Jobs) -> None:
    with running(tmp_path, WORKS) as workers:
        assert begun(tmp_path) == 0
        waiting.append(JOB)
        workers.wake()
        wait_until(lambda: begun(tmp_path) == 1)


def test_jobs_of_dead_processes_are_found_by_looking_again(tmp_path: Path, waiting: Jobs) -> None:
    with running(tmp_path, WORKS, look_seconds=0.05):
        waiting.append(JOB)
        wait_until(lambda: begun(tmp_path) >= 1)


def test_a_process_that_is_killed_before_it_works_is_soon_replaced(tmp_path: Path, waiting: Jobs) -> None:
    waiting.append(JOB)
    with running(tmp_path, DIES_ONCE):
        wait_until(lambda: begun(tmp_path) == 2)


def test_the_processes_of_a_server_start_one_process_at_a_time(
    tmp_path: Path, waiting: Jobs, capfd: pytest.CaptureFixture[str]
) -> None:
    waiting.append(JOB)
    with running(tmp_path, WORKS), running(tmp_path, WORKS), running(tmp_path, WORKS):
        wait_until(lambda: begun(tmp_path) == 3 and not (tmp_path / "running").exists())
    assert "FileExistsError" not in capfd.readouterr().err


def test_a_server_that_stops_asks_the_process_to_end_and_waits_for_it(tmp_path: Path, waiting: Jobs) -> None:
    waiting.append(JOB)
    with running(tmp_path, WAITS):
        wait_until((tmp_path / "begun").exists)
        assert not (tmp_path / "stopped").exists()
    assert (tmp_path / "stopped").exists()


def test_a_process_that_does_not_end_is_killed(tmp_path: Path, waiting: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launching, "LEAVE_SECONDS", 0.2)
    waiting.append(JOB)
    before = threading.active_count()
    with running(tmp_path, WAITS.replace("sys.stdin.buffer.read(1)", "__import__('time').sleep(60)")):
        wait_until((tmp_path / "begun").exists)
    assert not (tmp_path / "stopped").exists()
    wait_until(lambda: threading.active_count() <= before)


def test_jobs_without_progress_are_tried_less_and_less_often(
    tmp_path: Path, waiting: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []

    class Quick(threading.Event):
        """Is over at once."""

        def wait(self, timeout: float | None = None) -> bool:
            assert timeout is not None
            pauses.append(timeout)
            return super().wait(0)

    monkeypatch.setattr(JobWorkers, "_work", lambda _: None)
    waiting.append(JOB)
    workers = JobWorkers(application_in(tmp_path), [], WorkerLaunch((), None), look_seconds=60.0)
    workers._woken = Quick()
    workers.start()
    wait_until(lambda: len(pauses) > 10)
    workers.close()
    assert pauses[:8] == [120, 240, 480, 960, 1_920, 3_600, 3_600, 3_600]


def test_a_store_that_cannot_be_read_is_looked_at_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = []

    def unreadable(*_: object) -> Iterator[Any]:
        looks.append(1)
        raise StoreUnwritable("the store is gone")

    monkeypatch.setattr(launching, "waiting_jobs", unreadable)
    with running(tmp_path, WORKS, look_seconds=0.01):
        wait_until(lambda: len(looks) > 2)


def test_a_server_without_collections_starts_nothing(tmp_path: Path) -> None:
    settings = load_settings(project=tmp_path, environment={}, needs_databases=False)
    app = application_in(tmp_path)
    assert with_job_workers(app, settings) == (app, None)
