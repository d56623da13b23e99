"""Uploads in AWS: taken over the API, read by the ingester as their events and messages say, and removed."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3
import pytest
import requests
from moto import mock_aws

from functions.ingester import handler as ingester
from functions.ingester.handler import task_of
from functions.queues import MessageUnreadable, parse_message
from functions.scopes import IDENTITY, RIGHTS, SCOPE, write_identity, write_rights, write_scope
from functions.uploads import handler as uploads
from tests.cases import each_case
from tests.functions.calls import Context, api_request, sqs_record
from tribal.app.deployed import deployed_application
from tribal.identity.scope import Scope
from tribal.ports import Application, Identity
from tribal.settings.deployment import load_deployment
from tribal_contracts.chat.jobs import IngestTask

BUCKET, REGION = "a-company-knowledge", "eu-central-1"
TEXT = ("Chargebacks are booked in the ledger of the month in which the bank reports them. " * 20).encode()
CHAT = {"collections": [{"name": "handbook"}, {"name": "lessons", "layer": "team", "owner": "school"}]}
WRITER = ("documentation:read", "collections:write")


def caller(*teams: str, rights: tuple[str, ...] = WRITER) -> dict[str, str]:
    """What the authorizer says of a bearer of a token."""
    identity = write_identity(Identity("ada", teams=teams))
    granted = {SCOPE: write_scope(Scope(frozenset())), RIGHTS: write_rights(frozenset(rights))}
    return {"principalId": "ada", IDENTITY: identity, **granted}


@dataclass
class Deployed:
    """Both functions over a bucket and a queue."""

    app: Application
    queue: str

    def request(self, method: str, path: str, who: dict[str, str], body: str | None = None, **headers: str) -> Any:
        """What the function for uploads answers: status and content."""
        event = api_request(method, path, body, who)
        event["headers"] = {"content-type": "application/json", **headers}
        answer = uploads.handle(event, Context())
        return answer["statusCode"], json.loads(answer["body"])

    def send_form(self, name: str, data: bytes, who: dict[str, str], collection: str = "handbook") -> Any:
        """Upload a file as a browser does, which API Gateway hands over in base64."""
        fields: Any = {"collection": (None, collection), "file": (name, data)}
        form = requests.Request("POST", "https://localhost", files=fields).prepare()
        assert isinstance(form.body, bytes)
        event = api_request("POST", "/api/admin/upload", base64.b64encode(form.body).decode(), who)
        event |= {"isBase64Encoded": True, "headers": {"Content-Type": form.headers["Content-Type"]}}
        answer = uploads.handle(event, Context())
        return answer["statusCode"], json.loads(answer["body"])

    def event_of(self, job: dict[str, Any], collection: str = "handbook") -> str:
        """The event of S3 about the bytes of an upload."""
        key = f"collections/{collection}/uploads/{job['job_id']}"
        assert key in set(self.app.store().keys("collections/"))
        return json.dumps({"detail-type": "Object Created", "detail": {"object": {"key": key}}})

    def ingest(self, body: str, remaining_ms: int = 900_000) -> list[dict[str, str]]:
        """Hand a message to the ingester; returns what failed."""
        answer = ingester.handle({"Records": [sqs_record("1", body)]}, Context(remaining_ms))
        failed: list[dict[str, str]] = answer["batchItemFailures"]
        return failed

    def messages(self) -> list[IngestTask]:
        """What waits in the queue, delayed or not; it is empty then."""
        from moto.sqs.models import sqs_backends

        queue = sqs_backends["123456789012"][REGION].queues["ingester"]
        waiting = [IngestTask.from_json(each.body) for each in queue._messages]
        queue._messages.clear()
        return waiting

    def status(self, job: dict[str, Any], who: dict[str, str]) -> Any:
        """What became of an upload."""
        status, content = self.request("GET", f"/api/admin/etl/status/{job['job_id']}", who)
        assert status == 200
        return content


@pytest.fixture
def deployed(aws_account: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Deployed]:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with mock_aws():
        place = {"LocationConstraint": REGION}
        boto3.client("s3", region_name=REGION).create_bucket(Bucket=BUCKET, CreateBucketConfiguration=place)
        url = boto3.client("sqs", region_name=REGION).create_queue(QueueName="ingester")["QueueUrl"]
        for name, value in {
            "AWS_REGION": REGION,
            "TRIBAL_STORE": f"s3://{BUCKET}",
            "TRIBAL_INDEX": "sqlite",
            "TRIBAL_CHAT": json.dumps(CHAT),
            "TRIBAL_QUEUE_URL": url,
            "POWERTOOLS_SERVICE_NAME": "test",
            "POWERTOOLS_METRICS_NAMESPACE": "Test",
            "POWERTOOLS_TRACE_DISABLED": "true",
        }.items():
            monkeypatch.setenv(name, value)
        app = deployed_application(load_deployment())
        for module in (uploads, ingester):
            monkeypatch.setattr(module.metrics.provider, "namespace", "Test")
            monkeypatch.setattr(module, "application", lambda: app)
        uploads._routes.cache_clear()
        yield Deployed(app, url)


def test_an_upload_is_read_when_its_event_arrives_and_its_bytes_are_gone_then(
    deployed: Deployed, capsys: pytest.CaptureFixture[str]
) -> None:
    status, job = deployed.send_form("refunds.md", TEXT, caller())
    assert (status, job["status"], job["filename"]) == (202, "processing", "refunds.md")
    assert deployed.messages() == []
    event = deployed.event_of(job)
    assert deployed.ingest(event) == []
    ended = deployed.status(job, caller())
    assert (ended["status"], ended["files"][0]["status"]) == ("completed", "indexed")
    keys = set(deployed.app.store().keys("collections/handbook/"))
    assert {"collections/handbook/manifest.json", "collections/handbook/index/current.json"} <= keys
    assert not [key for key in keys if "/uploads/" in key]
    assert '"JobsCompleted":[1.0]' in capsys.readouterr().out
    # Events arrive at least once.
    assert deployed.ingest(event) == []
    assert '"JobsCompleted"' not in capsys.readouterr().out


def test_a_large_file_is_announced_and_sent_to_the_address(deployed: Deployed) -> None:
    digest = hashlib.sha256(TEXT).hexdigest()
    wanted = {"filename": "refunds.md", "size_bytes": len(TEXT), "sha256": digest, "collection": "handbook"}
    status, job = deployed.request("POST", "/api/admin/upload", caller(), json.dumps(wanted))
    assert status == 202, job
    assert deployed.messages() == [IngestTask(collection="handbook", job_id=job["job_id"])]
    sent = requests.post(job["upload"]["url"], data=job["upload"]["fields"], files={"file": ("x", TEXT)}, timeout=10)
    assert sent.status_code == 204
    assert deployed.ingest(deployed.event_of(job)) == []
    assert deployed.status(job, caller())["status"] == "completed"


def test_an_announced_file_that_has_not_arrived_is_looked_for_later(deployed: Deployed) -> None:
    wanted = {"filename": "refunds.md", "size_bytes": 10, "sha256": "0" * 64, "collection": "handbook"}
    _, job = deployed.request("POST", "/api/admin/upload", caller(), json.dumps(wanted))
    (task,) = deployed.messages()
    assert deployed.ingest(task.to_compact_json().decode()) == []
    assert deployed.messages() == [task]
    assert deployed.status(job, caller())["status"] == "processing"


@each_case(
    "wanted, status",
    [
        ({"filename": "a.exe", "size_bytes": 1, "sha256": "0" * 64}, 400),
        ({"filename": "a.pdf", "size_bytes": 10**9, "sha256": "0" * 64}, 413),
        ({"filename": "a.pdf", "size_bytes": 1, "sha256": "0"}, 400),
        ({"filename": "a.pdf", "size_bytes": 1, "sha256": "0" * 64, "collection": "lessons"}, 404),
        ([], 400),
    ],
)
def test_a_wrong_announcement_is_refused(deployed: Deployed, wanted: Any, status: int) -> None:
    assert deployed.request("POST", "/api/admin/upload", caller(), json.dumps(wanted))[0] == status
    assert deployed.messages() == []


def test_a_form_above_4_mb_is_refused_with_what_to_send_instead(deployed: Deployed) -> None:
    status, answer = deployed.send_form("a.txt", b"a" * (4 * 1024 * 1024), caller())
    assert (status, answer["error"]["code"]) == (413, "UPL_TOO_LARGE")
    assert "size_bytes" in answer["error"]["message"]


def test_a_poisoned_archive_ends_as_a_failed_job(deployed: Deployed, capsys: pytest.CaptureFixture[str]) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("../../bomb.txt", b"0" * 50_000_000)
        archive.writestr("inner.zip", b"PK\x03\x04")
    _, job = deployed.send_form("poison.zip", packed.getvalue(), caller())
    assert deployed.ingest(deployed.event_of(job)) == []
    ended = deployed.status(job, caller())
    assert (ended["status"], {each["status"] for each in ended["files"]} & {"indexed"}) == ("failed", set())
    assert '"JobsFailed":[1.0]' in capsys.readouterr().out


def test_a_job_with_too_little_time_left_is_sent_back(deployed: Deployed) -> None:
    _, job = deployed.send_form("refunds.md", TEXT, caller())
    event = deployed.event_of(job)
    assert deployed.ingest(event, remaining_ms=30_000) == []
    (task,) = deployed.messages()
    assert (task.collection, task.job_id) == ("handbook", job["job_id"])
    assert deployed.status(job, caller())["status"] == "processing"
    assert deployed.ingest(task.to_compact_json().decode()) == []
    assert deployed.status(job, caller())["status"] == "completed"


def test_a_removal_is_a_message_to_the_ingester_which_deletes_every_copy(deployed: Deployed) -> None:
    _, job = deployed.send_form("refunds.md", TEXT, caller())
    deployed.ingest(deployed.event_of(job))
    source = deployed.status(job, caller())["files"][0]["source_id"]
    status, report = deployed.request("DELETE", f"/api/admin/collections/handbook/sources/{source}", caller())
    assert status == 200, report
    (task,) = deployed.messages()
    assert deployed.ingest(task.to_compact_json().decode()) == []
    assert not list(deployed.app.store().keys("collections/handbook/sources/"))


def test_who_may_not_write_or_is_not_of_the_team_uploads_and_sees_nothing(deployed: Deployed) -> None:
    assert deployed.send_form("a.txt", TEXT, caller(rights=("documentation:read",)))[0] == 403
    assert deployed.send_form("a.txt", TEXT, caller(), "lessons")[0] == 404
    status, job = deployed.send_form("a.txt", TEXT, caller("school"), "lessons")
    assert status == 202
    assert deployed.request("GET", f"/api/admin/etl/status/{job['job_id']}", caller())[0] == 404
    assert deployed.request("GET", "/api/admin/etl/jobs", caller())[1]["total"] == 0
    assert deployed.request("GET", "/api/admin/etl/jobs", caller("school"))[1]["total"] == 1


def test_a_job_that_no_one_can_work_on_is_dropped_and_a_strange_message_fails(deployed: Deployed) -> None:
    for body in (
        '{"collection":"gone","job_id":"x"}',
        '{"collection":"handbook","job_id":"20261121t024500123z-1f9c2a3b4d5e"}',
    ):
        assert deployed.ingest(body) == []
    assert deployed.ingest("{}") == [{"itemIdentifier": "1"}]


@each_case("body", ["", "[]", '{"detail-type": "Object Created"}', '{"collection": "Not A Name", "job_id": "x"}'])
def test_what_is_no_message_is_refused(body: str) -> None:
    with pytest.raises(MessageUnreadable):
        parse_message(body, IngestTask, task_of)


def test_an_event_below_a_prefix_names_its_upload() -> None:
    key = "main/collections/handbook/uploads/20261121t0245"
    event = json.dumps({"detail-type": "Object Created", "detail": {"object": {"key": key}}})
    assert parse_message(event, IngestTask, task_of) == IngestTask(collection="handbook", job_id="20261121t0245")
