"""Uploads to a collection of a deployed environment, and questions to the chat."""

from __future__ import annotations

import hashlib
import io
import json
import threading
import zipfile
from collections.abc import Callable, Mapping
from typing import Any

import requests

from tests.e2e.account import wait_until
from tests.e2e.deployed_system import DeployedSystem
from tests.fakes.openai import FakeOpenAI
from tests.scenario.place import events_in

COLLECTION = "handbook"
FACT = "Chargebacks are booked in the ledger of the month in which the bank reports them."
QUESTION = "In which month are chargebacks booked?"
MANUAL = f"# Refunds\n\n{FACT}\n\nThe desk answers within two days.\n".encode()
UPLOAD, STREAM = "/api/admin/upload", "/api/chat/stream"


class Answering:
    """The mind of a model that quotes the manual, once someone has seen the first piece of the answer."""

    def __init__(self) -> None:
        self.first_seen = threading.Event()
        self.waited: list[bool] = []
        """For each call, whether the first piece had been seen before the answer was made."""

    def __call__(self, body: Mapping[str, Any]) -> str:
        self.waited.append(self.first_seen.wait(30))
        asked = json.loads(body["messages"][-1]["content"])
        number = next(each["n"] for each in asked["sources"] if FACT in each["says"])
        return f"{FACT[:-1]} [{number}]."


def upload(system: DeployedSystem, name: str, data: bytes) -> dict[str, Any]:
    """Upload a file as a browser does; returns what became of it."""
    fields: Any = {"collection": (None, COLLECTION), "file": (name, data)}
    form = requests.Request("POST", "https://localhost", files=fields).prepare()
    assert isinstance(form.body, bytes)
    accepted = system.send("POST", UPLOAD, form.body, {"Content-Type": str(form.headers["Content-Type"])})
    assert accepted.status_code == 202, accepted.text
    return ended(system, accepted.json()["job_id"])


def announce(system: DeployedSystem, name: str, data: bytes) -> dict[str, Any]:
    """Upload a file to an address that is asked for; returns what became of it."""
    wanted = {"filename": name, "size_bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    accepted = system.request("POST", UPLOAD, wanted | {"collection": COLLECTION})
    assert accepted.status_code == 202, accepted.text
    address = accepted.json()["upload"]
    sent = requests.post(address["url"], data=address["fields"], files={"file": (name, data)}, timeout=30)
    assert sent.status_code == 204, sent.text
    return ended(system, accepted.json()["job_id"])


def upload_and_ask(system: DeployedSystem, vendor: FakeOpenAI) -> None:
    """Have a model answer from a manual, once the first piece of its answer has been seen."""
    job = upload(system, "refunds.md", MANUAL)
    assert (job["status"], job["files"][0]["status"]) == ("completed", "indexed")
    vendor.mind = mind = Answering()
    events = stream(system, QUESTION, mind.first_seen.set, collection=COLLECTION)
    assert mind.waited == [True]
    assert FACT[:-1] in text_of(events)
    (cited,) = next(event["sources"] for event in events if event["type"] == "sources")
    assert (cited["source_filename"], cited["page_number"], cited["course_id"]) == ("refunds.md", 1, COLLECTION)
    assert (events[-1]["finish_reason"], events[-1]["model_selected"]) == ("stop", "gpt-6-luna")


def announce_and_remove(system: DeployedSystem) -> None:
    """Send a file to an address, and remove it again."""
    job = announce(system, "again.txt", MANUAL + b"More.\n")
    assert job["status"] == "completed"
    (listed,) = system.request("GET", "/api/admin/collections").json()["collections"]
    shown = system.request("GET", f"/api/admin/collections/{COLLECTION}").json()
    assert (listed["files"], len(shown["sources"])) == (shown["files"], shown["files"])
    assert job["files"][0]["source_id"] in {each["source_id"] for each in shown["sources"]}
    remove(system, job["files"][0]["source_id"])


def poison(system: DeployedSystem) -> None:
    """Upload an archive of which nothing can be read, and ask the documentation afterwards."""
    job = upload(system, "poison.zip", poisoned())
    assert (job["status"], {each["status"] for each in job["files"]} & {"indexed"}) == ("failed", set())
    assert system.request("GET", "/api/admin/etl/jobs").json()["jobs"][0]["job_id"] == job["job_id"]
    asked = {"name": "ask", "arguments": {"question": QUESTION, "collection": COLLECTION}}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": asked}
    assert FACT[:-1] in json.dumps(system.request("POST", "/mcp", call).json()["result"]["structuredContent"])
    documented = stream(system, "Which table has the unpaid invoices, and what joins it to customers?")
    assert documented[-1]["finish_reason"] == "stop"


def ended(system: DeployedSystem, job_id: str) -> dict[str, Any]:
    """What became of an upload."""

    def look() -> dict[str, Any] | None:
        found: dict[str, Any] = system.request("GET", f"/api/admin/etl/status/{job_id}").json()
        return None if found["status"] == "processing" else found

    job: dict[str, Any] = wait_until(look)
    queue = system.ingesting
    assert queue is not None
    wait_until(lambda: queue.idle)
    return job


def remove(system: DeployedSystem, source_id: str) -> None:
    """Remove a file, and wait until it is deleted."""
    answer = system.request("DELETE", f"/api/admin/collections/{COLLECTION}/sources/{source_id}")
    assert answer.status_code == 200, answer.text
    ended(system, answer.json()["job_id"])


def stream(
    system: DeployedSystem, question: str, seen: Callable[[], object] = lambda: None, **more: Any
) -> list[dict[str, Any]]:
    """The events of an answer; `seen` is called when the first one has arrived."""
    body = {"messages": [{"role": "user", "content": question}], **more}
    with system.send("POST", STREAM, json.dumps(body).encode(), {}, stream=True) as answer:
        assert (answer.status_code, answer.headers["Content-Type"]) == (200, "text/event-stream"), answer.text
        events = []
        for event in events_in(answer):
            events.append(event)
            seen()
        return events


def text_of(events: list[dict[str, Any]]) -> str:
    """The text of an answer."""
    return "".join(event["textDelta"] for event in events if event["type"] == "text-delta")


def poisoned() -> bytes:
    """An archive of nothing that can be read: a bomb, and an archive in the archive."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("../../bomb.txt", b"0" * 20_000_000)
        archive.writestr("inner.zip", b"PK\x03\x04")
    return packed.getvalue()
