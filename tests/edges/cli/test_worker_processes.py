"""A large run documents in several processes, and ends as one process would have ended."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from tests.edges.cli.test_killed import EPOCH, OWN_TO_A_RUN
from tests.edges.cli.tribal_command import contents, start_tribal, tribal
from tests.plugins.postgres import new_database
from tests.waiting import wait_until
from tribal_demo.server.postgres import EmbeddedServer

pytestmark = pytest.mark.xdist_group("worker-processes")
WORKERS = 2
COUNT = 240
# Enough of them that the workers are there long before the end.
TABLES = "".join(
    f"CREATE TABLE t{n:03} (id int PRIMARY KEY, code text, up int REFERENCES t{n // 2:03});"
    f"INSERT INTO t{n:03} SELECT g, 'A' || g % 3 FROM generate_series(1, 9) AS g;"
    for n in range(COUNT)
)


@pytest.fixture(scope="module")
def dsn(postgres_server: EmbeddedServer) -> Iterator[str]:
    with new_database(postgres_server, TABLES) as dsn:
        yield dsn


def planned_project(folder: Path, dsn: str, processes: int) -> Path:
    """A planned project that documents in so many processes, in many small units."""
    entry = f'databases:\n  - name: company\n    dsn: "{dsn}"\n'
    (folder / "databases.yaml").write_text(f"{entry}tables_per_unit: 10\nworker_processes: {processes}\n")
    assert tribal("plan", cwd=folder, SOURCE_DATE_EPOCH=EPOCH).returncode == 0
    return folder


@pytest.fixture(scope="module")
def alone(dsn: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What one process writes."""
    folder = planned_project(tmp_path_factory.mktemp("alone"), dsn, processes=1)
    assert tribal("document", cwd=folder, SOURCE_DATE_EPOCH=EPOCH).returncode == 0
    return files_of(folder)


@pytest.fixture(scope="module")
def planned(dsn: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A planned project for several processes; only to be copied."""
    return planned_project(tmp_path_factory.mktemp("planned"), dsn, WORKERS)


@pytest.fixture
def folder(planned: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(planned, tmp_path / "project"))


def files_of(folder: Path) -> dict[str, bytes]:
    """But for hashes over databases.yaml, which says how many processes there are."""
    found = contents(folder, *OWN_TO_A_RUN, "databases.yaml")
    return {name: re.sub(rb'"((config|plan)_hash|checksum)": "\w+"', b"", data) for name, data in found.items()}


def workers_at_work(run: subprocess.Popen[str]) -> list[psutil.Process]:
    """Wait until every worker documents."""
    process = psutil.Process(run.pid)

    def connected() -> list[psutil.Process]:
        assert run.poll() is None, run.communicate()
        with suppress(psutil.Error):
            workers = [child for child in process.children() if "tribal.app.worker" in child.cmdline()]
            # One that samples a table is connected.
            if len(workers) == WORKERS and all(worker.net_connections("tcp") for worker in workers):
                return workers
        return []

    return wait_until(connected)


def test_several_processes_write_what_one_writes(alone: dict[str, bytes], folder: Path) -> None:
    ran = start_tribal("document", cwd=folder, SOURCE_DATE_EPOCH=EPOCH)
    assert len(workers_at_work(ran)) == WORKERS
    output, errors = ran.communicate(timeout=60)
    assert (ran.returncode, output.splitlines()[0]) == (
        0,
        f"completed: {COUNT} tables documented, 0 unchanged, 0 failed.",
    )
    assert f"document: {COUNT} of {COUNT} tables" in errors
    assert files_of(folder) == alone


def test_a_worker_that_dies_costs_nothing_but_time(alone: dict[str, bytes], folder: Path) -> None:
    ran = start_tribal("document", cwd=folder, SOURCE_DATE_EPOCH=EPOCH)
    for worker in workers_at_work(ran):
        worker.kill()
    _, errors = ran.communicate(timeout=60)
    assert ran.returncode == 0, errors
    assert errors.count("a worker process died; its unfinished work is repeated") == WORKERS
    # What it left half written is swept when the next run starts.
    assert tribal("document", cwd=folder, SOURCE_DATE_EPOCH=EPOCH).returncode == 0
    assert files_of(folder) == alone


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_run_that_ends_early_leaves_no_worker_behind_and_is_resumed(
    number: signal.Signals, alone: dict[str, bytes], folder: Path
) -> None:
    ran = start_tribal("document", cwd=folder, SOURCE_DATE_EPOCH=EPOCH)
    workers = workers_at_work(ran)
    ran.send_signal(number)
    _, errors = ran.communicate(timeout=60)
    assert ran.returncode == (-signal.SIGKILL if number == signal.SIGKILL else 130), errors
    assert "Traceback" not in errors
    _, left = psutil.wait_procs(workers, timeout=30)
    assert left == []
    again = tribal("document", cwd=folder, SOURCE_DATE_EPOCH=EPOCH)
    assert again.returncode == 0, again.stderr
    assert files_of(folder) == alone


def test_an_error_in_a_worker_ends_the_run_as_it_would_have_ended_here(folder: Path) -> None:
    # The last units of the plan cannot write: a file stands where their folder should be.
    last = max((folder / "progress" / "runs").glob("*/units/*.json"))
    (folder / "progress" / "work_units").mkdir(exist_ok=True)
    (folder / "progress" / "work_units" / last.stem).write_text("in the way")
    ran = tribal("document", cwd=folder, SOURCE_DATE_EPOCH=EPOCH)
    assert ran.returncode == 5, ran.stderr
    assert f"cannot write {str(folder / 'progress' / 'work_units' / last.stem)!r}"[:-1] in ran.stderr
    assert "Traceback" not in ran.stderr
