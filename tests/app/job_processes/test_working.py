"""Uploads and removals are worked on next to the server, and resumed when a process died."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.edges.http.served import Served
from tests.edges.mcp.asked import index_project
from tests.waiting import LONGEST_SECONDS, wait_until
from tribal.app.job_processes.launching import JobWorkers
from tribal.app.local import Blueprint, local_application
from tribal.capabilities.chat.collections.files import CollectionFiles
from tribal.capabilities.chat.uploads.job_kind import UPLOADS
from tribal.capabilities.chat.uploads.uploads import Uploads
from tribal.identity.locations import collection_lease
from tribal.jobs.lease import RunLease
from tribal.jobs.lease_file import LeaseFile
from tribal.jobs.working import waiting_jobs, work_on_waiting
from tribal.ports import Application, Caller, RunParameters, StopToken
from tribal.ports.application import WorkerLaunch
from tribal.settings import load_settings
from tribal_contracts import Contract
from tribal_contracts.chat.jobs import IngestTask

TEXT = "Refunds are paid within fourteen days of the return. A refund over 500 euros needs the consent of a manager. "
COMMAND = [sys.executable, "-P", "-m", "tribal.app.job_processes.worker"]
QUESTION = "How soon are refunds paid?"


def write_settings(folder: Path) -> None:
    content = {
        "databases": [{"name": "shop", "dsn": "postgresql://localhost/shop"}],
        "collections": [{"name": "handbook"}, {"name": "other"}],
    }
    (folder / "databases.yaml").write_text(json.dumps(content), encoding="utf-8")


@pytest.fixture(name="project")
def project_fixture(tmp_path: Path) -> Path:
    write_settings(tmp_path)
    (tmp_path / "refunds.md").write_text(TEXT * 20, encoding="utf-8")
    return tmp_path


def application_of(project: Path) -> Application:
    return local_application(load_settings(project=project, environment={}, needs_databases=False))


def upload(app: Application, project: Path, collection: str = "handbook", name: str = "refunds.md") -> IngestTask:
    job = Uploads(app, Caller("ada")).accept(project / name, name, collection)
    return IngestTask(collection=job.collection, job_id=job.job_id)


def status_of(app: Application, job: IngestTask) -> str:
    return Uploads(app, Caller("ada")).job(job.job_id).status


def waiting(app: Application, ended: set[Contract] | None = None) -> list[Contract]:
    return [task for _, task in waiting_jobs(app, [UPLOADS], set() if ended is None else ended)]


def test_every_job_that_waits_is_worked_on_and_logged_without_its_name(project: Path) -> None:
    with closing(application_of(project)) as app:
        jobs = [upload(app, project), upload(app, project, "other")]
        assert waiting(app) == jobs
        lines: list[Any] = []
        work_on_waiting(app, [UPLOADS], StopToken(), lambda line: lines.append(json.loads(line)))
        assert [status_of(app, job) for job in jobs] == ["completed"] * 2
        seen = [(line["collection"], line["job_id"], line["status"], line["level"]) for line in lines]
        assert seen == [(job.collection, job.job_id, "completed", "info") for job in jobs]
        assert "refunds" not in json.dumps(lines)
        ended: set[Contract] = set()
        assert waiting(app, ended) == []
        assert ended == set(jobs)


def test_a_collection_under_a_lease_and_a_damaged_job_do_not_wait(project: Path) -> None:
    with closing(application_of(project)) as app:
        (project / "returns.md").write_text("Returns are free.", encoding="utf-8")
        held, damaged = upload(app, project), upload(app, project, "other")
        free = upload(app, project, "other", "returns.md")
        store = app.store()
        store.put(CollectionFiles(store, "other").job_key(damaged.job_id), b"{")
        name = collection_lease("handbook")
        with RunLease(LeaseFile(store, app.clock, name), held.job_id):
            assert waiting(app) == [free]
        assert waiting(app) == [held, free]


def test_a_worker_without_a_server_ends_at_once() -> None:
    assert subprocess.run(COMMAND, stdin=subprocess.DEVNULL, check=False, timeout=LONGEST_SECONDS).returncode == 0


def test_a_worker_ends_cleanly_while_its_server_runs(project: Path) -> None:
    settings = load_settings(project=project, environment={}, needs_databases=False)
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as worker:
        assert worker.stdin is not None
        assert worker.stderr is not None
        pickle.dump(Blueprint(settings, RunParameters()), worker.stdin)
        worker.stdin.flush()
        assert worker.stderr.read() == b""
        assert worker.wait(LONGEST_SECONDS) == 0


DIES = """
import os
from tribal.app.job_processes.worker import main
from tribal.capabilities.chat.uploads import reading
from tribal.jobs import job
job.MOST_DEATHS = 1
real = reading.redacted
reading.redacted = lambda text: os._exit(3) if "poison" in text else real(text)
main()
"""


def test_a_job_that_kills_its_process_ends_as_failed_and_no_later_one_waits_for_it(project: Path) -> None:
    (project / "bad.md").write_text("poison", encoding="utf-8")
    settings = load_settings(project=project, environment={}, needs_databases=False)
    launch = WorkerLaunch((sys.executable, "-c", DIES), blueprint=Blueprint(settings, RunParameters()))
    with closing(application_of(project)) as app:
        bad, good = upload(app, project, name="bad.md"), upload(app, project)
        workers = JobWorkers(app, [UPLOADS], launch)
        workers.start()
        wait_until(lambda: "processing" not in (status_of(app, bad), status_of(app, good)))
        workers.close()
        assert [status_of(app, each) for each in (bad, good)] == ["failed", "completed"]


def finished(server: Served, place: str) -> dict[str, Any]:
    def look() -> dict[str, Any]:
        job: dict[str, Any] = server.client.get(place).json()
        return {} if job["status"] == "processing" else job

    return wait_until(look)


def test_an_upload_over_http_is_indexed_and_cited_and_one_that_was_left_is_resumed(project: Path) -> None:
    index_project(project)
    with closing(application_of(project)) as app:
        left = upload(app, project, "other")
    with Served(project, "--write") as server:
        answer = server.client.post(
            "/api/admin/upload", files={"file": ("refunds.md", TEXT.encode() * 20)}, data={"collection": "handbook"}
        )
        assert answer.status_code == 202
        job = finished(server, answer.headers["location"])
        assert (job["status"], [file["status"] for file in job["files"]]) == ("completed", ["indexed"])
        assert finished(server, f"/api/admin/etl/status/{left.job_id}")["status"] == "completed"
        asked = {"messages": [{"role": "user", "content": QUESTION}], "collection": "handbook", "stream": False}
        reply = server.client.post("/api/chat/stream", json=asked).json()
        assert reply["sources"][0]["source_filename"] == "refunds.md"
        assert "fourteen days" in reply["text"]
        (source,) = [file["source_id"] for file in job["files"]]
        removed = server.client.delete(f"/api/admin/collections/handbook/sources/{source}")
        assert removed.status_code == 200
        reply = server.client.post("/api/chat/stream", json=asked).json()
        assert reply["sources"] == []
        finished(server, f"/api/admin/etl/status/{removed.json()['job_id']}")
    assert {line["event"] for line in server.lines()} == {"request", "upload"}
    assert [line for line in server.said if "rror" in line or "Traceback" in line] == []
    assert server.process.returncode == 0
