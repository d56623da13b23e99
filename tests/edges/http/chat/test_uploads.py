"""`POST /api/admin/upload` and what became of uploads, over a real server."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.edges.http.chat.serving import JOB_ID, ChatServer, RecordedUploads, chat_parts, chatting
from tests.edges.http.chat.test_forms import COLLECTION, FILE, TYPE, form_of
from tests.edges.http.served import Raw, read_answer
from tests.edges.mcp.asked import index_project
from tests.fakes import application
from tests.waiting import LONGEST_SECONDS, wait_until
from tribal.edges.http.asgi import receiving as uploading
from tribal.edges.http.asgi.metrics import resident_bytes
from tribal.edges.http.chat import routes as chat_edge
from tribal.edges.http.chat.limits import UPLOADS_AT_ONCE
from tribal.edges.http.chat.routes import UPLOADS, chat_routes
from tribal.edges.http.messages import Request
from tribal.edges.http.routes import respond
from tribal.ports import Caller
from tribal_contracts.chat.jobs import UploadAccepted
from tribal_contracts.chat.settings import ChatSettings, UploadLimits

PDF = ("manual.pdf", b"%PDF-1.7 ...", "application/pdf")
PORTAL = "https://portal.example.com"
STATUS = f"/api/admin/etl/status/{JOB_ID}"
SOURCE = f"/api/admin/collections/handbook/sources/{'a' * 64}"
MB = 1024 * 1024


@pytest.fixture(name="shared", scope="module")
def shared_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChatServer]:
    folder = tmp_path_factory.mktemp("project")
    index_project(folder)
    content = {"databases": [{"name": "shop", "dsn": "postgresql://localhost/shop"}], "serve": {"origins": [PORTAL]}}
    (folder / "databases.yaml").write_text(json.dumps(content), encoding="utf-8")
    with chatting(folder, ChatSettings(uploads=UploadLimits(largest_mb=100)), write=True) as server:
        yield server


@pytest.fixture(name="server")
def server_fixture(shared: ChatServer) -> Iterator[ChatServer]:
    vars(shared.uploads).update(vars(RecordedUploads()))
    yield shared
    assert shared.leftovers() == []


def code_of(answer: httpx2.Response | Raw) -> tuple[int, str]:
    status = answer.status_code if isinstance(answer, httpx2.Response) else answer.status
    body = answer.content if isinstance(answer, httpx2.Response) else answer.body
    return status, json.loads(body)["error"]["code"]


def head_of(length: int, kind: str = TYPE, **headers: str) -> bytes:
    more = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return (
        f"POST {UPLOADS} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n{more}\r\n"
    ).encode()


def connected(server: ChatServer) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.server.port), timeout=LONGEST_SECONDS)


def wait_until_removed(server: ChatServer) -> None:
    wait_until(lambda: not server.leftovers())


def wait_until_written(server: ChatServer, size: int) -> None:
    wait_until(lambda: sum(path.stat().st_size for path in server.leftovers()) >= size)


def test_an_upload_is_answered_at_once_with_its_job(server: ChatServer) -> None:
    answer = server.upload({"file": PDF}, data={"collection": "handbook"})
    assert (answer.status_code, answer.headers["location"]) == (202, STATUS)
    accepted = UploadAccepted.from_json(answer.content)
    assert (accepted.job_id, accepted.filename, accepted.status) == (JOB_ID, "manual.pdf", "processing")
    assert STATUS in accepted.message
    (received,) = server.uploads.received
    assert (received.data, received.filename, received.collection) == (PDF[1], "manual.pdf", "handbook")
    # A trailing slash, as some clients send it, and no collection.
    assert server.client.post(f"{UPLOADS}/", files={"file": PDF}).status_code == 202
    assert server.uploads.received[1].collection is None


def test_jobs_are_shown_and_files_removed(server: ChatServer) -> None:
    job = server.client.get(STATUS)
    assert (job.status_code, job.json()["status"]) == (200, "processing")
    assert code_of(server.client.get(f"{STATUS}x")) == (404, "UPL_JOB_NOT_FOUND")
    jobs = server.client.get("/api/admin/etl/jobs")
    assert (jobs.status_code, jobs.json()["total"]) == (200, 1)
    assert server.client.get("/api/admin/etl/jobs?limit=3").status_code == 200
    assert server.uploads.limits == [50, 3]
    for wrong in ("0", "501", "x", "-1", "1" * 5_000, ""):
        assert server.client.get(f"/api/admin/etl/jobs?limit={wrong}").status_code == 400
    removed = server.client.delete(SOURCE)
    assert (removed.status_code, removed.json()["names"]) == (200, ["manual.pdf"])
    assert server.uploads.removed == [("handbook", "a" * 64)]


def test_other_methods_and_types_are_refused(server: ChatServer) -> None:
    for method in ("GET", "PUT"):
        answer = server.client.request(method, UPLOADS)
        assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
    sent = {"filename": "a.pdf", "size_bytes": 1, "sha256": "a" * 64}
    assert code_of(server.client.post(UPLOADS, json=sent)) == (415, "HTTP_TYPE_UNSUPPORTED")
    assert code_of(server.client.post(UPLOADS)) == (415, "HTTP_TYPE_UNSUPPORTED")


def test_refusals_of_the_form_and_of_the_use_case_are_answered(server: ChatServer) -> None:
    assert code_of(server.upload({"files": PDF})) == (400, "HTTP_REQUEST_INVALID")
    assert code_of(server.upload([("file", PDF), ("file", PDF)])) == (400, "HTTP_REQUEST_INVALID")
    assert code_of(server.upload({"file": PDF}, data={"collection": "unknown"})) == (404, "CHAT_COLLECTION_NOT_FOUND")
    garbage = server.client.post(UPLOADS, content=b"garbage", headers={"content-type": TYPE})
    assert code_of(garbage) == (400, "HTTP_REQUEST_INVALID")
    assert server.uploads.received == []


def test_a_caller_without_the_right_is_refused_before_the_body_is_sent(server: ChatServer) -> None:
    token = server.server.token("reader", "documentation:read")
    writer = server.server.token("writer", "documentation:read", "collections:write")
    with connected(server) as line:
        line.sendall(head_of(50 * MB, Authorization=f"Bearer {token}"))
        assert code_of(read_answer(line)) == (403, "CHAT_ACCESS_DENIED")
    refused = server.client.delete(SOURCE, headers={"authorization": f"Bearer {token}"})
    assert code_of(refused) == (403, "CHAT_ACCESS_DENIED")
    assert server.upload({"file": PDF}, writer).status_code == 202
    assert server.uploads.received[0].caller.subject == "token:writer"


def test_an_unknown_token_and_a_foreign_host_are_refused_before_the_body_is_sent(server: ChatServer) -> None:
    for headers, status in (
        ({"Authorization": "Bearer tribal_" + "0" * 72}, 401),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
    ):
        with connected(server) as line:
            line.sendall(head_of(50 * MB, **headers))
            assert read_answer(line).status == status


def test_a_page_of_another_site_cannot_upload_with_the_rights_of_this_machine(server: ChatServer) -> None:
    token = server.server.token("from-portal", "collections:write")
    # A form is a request that browsers send without asking first.
    assert code_of(server.upload({"file": PDF}, origin="https://evil.example")) == (403, "HTTP_ORIGIN_REFUSED")
    assert code_of(server.upload({"file": PDF}, origin=PORTAL)) == (403, "CHAT_ACCESS_DENIED")
    removed = server.client.delete(SOURCE, headers={"origin": PORTAL})
    assert (code_of(removed), server.uploads.removed) == ((403, "CHAT_ACCESS_DENIED"), [])
    answer = server.upload({"file": PDF}, token, origin=PORTAL)
    assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (202, PORTAL)
    assert server.upload({"file": PDF}, origin=server.address).status_code == 202


def test_without_write_a_caller_on_this_machine_uploads_nothing(tmp_path: Path) -> None:
    index_project(tmp_path)
    with chatting(tmp_path) as server:
        refused = server.upload({"file": PDF})
        assert code_of(refused) == (403, "CHAT_ACCESS_DENIED")
        assert "tribal serve --write" in refused.json()["error"]["message"]
        assert code_of(server.client.delete(SOURCE)) == (403, "CHAT_ACCESS_DENIED")
        assert server.client.get(STATUS).status_code == 200


def test_what_is_too_large_is_refused_by_its_stated_length_and_by_what_arrives(server: ChatServer) -> None:
    with connected(server) as line:
        line.sendall(head_of(101 * MB))
        assert code_of(read_answer(line)) == (413, "UPL_TOO_LARGE")
    before = form_of((FILE, b""), end=b"")[:-2]
    chunk = b"%x\r\n" % MB + b"x" * MB + b"\r\n"
    with connected(server) as line:
        head = head_of(0).replace(b"Content-Length: 0", b"Transfer-Encoding: chunked")
        line.sendall(head + b"%x\r\n" % len(before) + before + b"\r\n")
        for _ in range(101):
            line.sendall(chunk)
        assert code_of(read_answer(line)) == (413, "UPL_TOO_LARGE")


def test_a_client_that_leaves_during_an_upload_leaves_nothing(server: ChatServer) -> None:
    body = form_of((FILE, b"x" * MB))
    with connected(server) as line:
        line.sendall(head_of(len(body)) + body[: MB // 2])
        wait_until_written(server, MB // 4)
    wait_until_removed(server)
    assert server.uploads.received == []
    assert server.upload({"file": PDF}).status_code == 202


def test_a_client_that_stalls_is_cut_off(server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploading, "STALLED_SECONDS", 0.2)
    with connected(server) as line:
        line.sendall(head_of(MB) + form_of((FILE, b"x" * 1_000), end=b""))
        assert code_of(read_answer(line)) == (408, "HTTP_TOO_SLOW")
        assert line.recv(1) == b""


def test_a_client_that_drips_is_cut_off(server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploading, "GRACE_SECONDS", 0.2)
    ended = threading.Event()
    with connected(server) as line:
        line.sendall(head_of(MB) + form_of((FILE, b""), end=b"")[:-2])

        def drip() -> None:
            while not ended.wait(0.02):
                try:
                    line.send(b"x")
                except OSError:
                    return

        dripping = threading.Thread(target=drip)
        dripping.start()
        try:
            assert code_of(read_answer(line)) == (408, "HTTP_TOO_SLOW")
        finally:
            ended.set()
            dripping.join()


def test_a_caller_sends_one_upload_at_a_time_and_a_server_takes_a_few(server: ChatServer) -> None:
    tokens = [server.server.token(f"sender-{number}", "collections:write") for number in range(UPLOADS_AT_ONCE + 1)]
    lines = []
    start = form_of((FILE, b"x" * 1_000), end=b"")
    for token in tokens[:-1]:
        lines.append(connected(server))
        lines[-1].sendall(head_of(MB, Authorization=f"Bearer {token}") + start)
    wait_until_files(server, UPLOADS_AT_ONCE)
    for token in (tokens[0], tokens[-1]):
        refused = server.upload({"file": PDF}, token)
        assert code_of(refused) == (429, "CHAT_BUSY")
        assert refused.headers["retry-after"] == "30"
    for line in lines:
        line.close()
    wait_until_removed(server)
    assert server.upload({"file": PDF}, tokens[0]).status_code == 202


def wait_until_files(server: ChatServer, number: int) -> None:
    wait_until(lambda: len(server.leftovers()) >= number)


def test_an_edge_that_receives_whole_bodies_takes_uploads_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    uploads, app = RecordedUploads(), application().with_part(chat_parts(tmp_path))
    monkeypatch.setattr(chat_edge, "uploads_of", uploads.of)
    routes = chat_routes()
    body = form_of((COLLECTION, b"handbook"), (FILE, b"x"))
    writer = Caller("ada", rights=frozenset(["collections:write"]))
    request = Request("POST", UPLOADS, writer, body, headers={"content-type": TYPE})
    answer = respond(request, app, routes=routes)
    assert (answer.status, answer.headers["Location"]) == (202, STATUS)
    assert [(each.data, each.collection) for each in uploads.received] == [(b"x", "handbook")]
    assert list(tmp_path.iterdir()) == []
    refused = respond(replace(request, caller=Caller("eve", rights=frozenset())), app, routes=routes)
    assert (refused.status, len(uploads.received)) == (403, 1)


def test_the_log_has_the_upload_without_its_name(server: ChatServer) -> None:
    server.upload({"file": ("zanzibar.pdf", b"x", "application/pdf")})
    lines = [line for line in server.server.log if line["path"] == UPLOADS]
    assert lines[-1]["status"] == 202
    assert "zanzibar" not in json.dumps(server.server.log)


class _Zeros:
    """A file of so many megabytes of zeros."""

    def __init__(self, megabytes: int) -> None:
        self._left = megabytes

    def read(self, _: int = -1) -> bytes:
        self._left -= 1
        return bytes(MB) if self._left >= 0 else b""


def pieces(file: Any) -> Iterator[bytes]:
    yield form_of((FILE, b""), end=b"")[:-2]
    while piece := file.read():
        yield piece
    yield b"\r\n--xYz--\r\n"


@pytest.mark.verify
def test_a_large_upload_is_never_held_in_memory(server: ChatServer) -> None:
    server.uploads.keeps_bytes = False
    before, seen, ended = resident_bytes(), [0], threading.Event()

    def watch() -> None:
        while not ended.wait(0.01):
            seen[0] = max(seen[0], resident_bytes())

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        answer = server.client.post(UPLOADS, content=pieces(_Zeros(100)), headers={"content-type": TYPE}, timeout=120)
    finally:
        ended.set()
        watching.join()
    assert answer.status_code == 202
    assert seen[0] - before < 30 * MB
