"""`POST /api/chat/stream` over a real server: framings, refusals, limits, clients that leave, and shutdown."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.cases import each_case
from tests.edges.http.chat.answers import types
from tests.edges.http.chat.serving import (
    QUESTION,
    UI_QUESTION,
    Chats,
    ChatServer,
    chatting,
    handed_over,
    parsed_events,
)
from tests.edges.mcp.asked import index_project
from tests.waiting import LONGEST_SECONDS
from tribal.capabilities.chat.errors import ChatForbidden, CollectionNotFound
from tribal.capabilities.chat.events import TextPiece
from tribal.edges.http.asgi import event_streams
from tribal.edges.http.chat.routes import QUESTIONS
from tribal_contracts.chat.settings import ChatSettings

UI_HEADER = "x-vercel-ai-ui-message-stream"
PORTAL = "https://portal.example.com"


@pytest.fixture(name="project", scope="module")
def project_fixture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    index_project(folder)
    content = {
        "databases": [{"name": "shop", "dsn": "postgresql://localhost/shop"}],
        "serve": {"origins": [PORTAL]},
    }
    (folder / "databases.yaml").write_text(json.dumps(content), encoding="utf-8")
    return folder


@pytest.fixture(name="shared", scope="module")
def shared_fixture(project: Path) -> Iterator[ChatServer]:
    """A server with a rate that no test reaches."""
    with chatting(project, ChatSettings(questions_per_minute=100_000)) as server:
        yield server


@pytest.fixture(name="server")
def server_fixture(shared: ChatServer) -> ChatServer:
    """The shared server with a chat as new."""
    vars(shared.chats).update(vars(Chats()))
    return shared


def connected(server: ChatServer, content: Any = None) -> socket.socket:
    """A connection on which a question was sent."""
    line = socket.create_connection(("127.0.0.1", server.server.port), timeout=LONGEST_SECONDS)
    body = json.dumps(QUESTION if content is None else content).encode()
    head = f"POST {QUESTIONS} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n"
    line.sendall(f"{head}Content-Type: application/json\r\n\r\n".encode() + body)
    return line


def receive_until(line: socket.socket, wanted: bytes) -> bytes:
    received = b""
    while wanted not in received:
        piece = line.recv(65_536)
        assert piece, received
        received += piece
    return received


def test_without_a_sign_of_the_ai_sdk_the_specifications_events_are_sent(server: ChatServer) -> None:
    answer = server.ask()
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/event-stream")
    assert (answer.headers["cache-control"], UI_HEADER in answer.headers) == ("no-cache", False)
    assert types(parsed_events(answer)) == [
        *["reasoning-delta"] * 2,
        *["text-delta"] * 2,
        "sources",
        "finish",
    ]


@pytest.mark.parametrize(("content", "headers"), [(UI_QUESTION, {}), (QUESTION, {UI_HEADER: "v1"})])
def test_the_ai_sdk_is_answered_in_its_own_framing(server: ChatServer, content: Any, headers: dict[str, str]) -> None:
    answer = server.ask(content, **headers)
    assert (answer.status_code, answer.headers[UI_HEADER]) == (200, "v1")
    seen = parsed_events(answer)
    assert (types(seen)[0], types(seen)[-2:]) == ("start", ["finish", "[DONE]"])
    assert seen[0]["messageId"].startswith("msg-")
    assert parsed_events(server.ask(content, **headers))[0] != seen[0]


def test_a_whole_answer_is_one_object(server: ChatServer) -> None:
    for content in (QUESTION, UI_QUESTION):
        answer = server.ask({**content, "stream": False}, accept="application/json")
        assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
        assert answer.json()["text"] == "Customers are people [1]. They return things [2]."
        assert [each["source_id"] for each in answer.json()["sources"]] == ["1", "2"]
        assert answer.json()["finish"]["finish_reason"] == "stop"


def test_the_question_reaches_the_chat_with_the_caller_of_the_token(server: ChatServer) -> None:
    token = server.server.token("ada-asks", "documentation:read")
    content = {**UI_QUESTION, "collection": "handbook", "user_id": "eve", "teams": ["board"]}
    assert server.ask(content, token).status_code == 200
    ((caller, request),) = server.chats.asked
    assert (caller.subject, caller.may("chat:ask"), caller.identity.teams) == ("token:ada-asks", False, ())
    assert (request.collection, request.messages[0].parts) == (
        "handbook",
        [{"type": "text", "text": "who is a customer?"}],
    )


def test_a_caller_on_this_machine_may_have_a_model_answer_but_upload_nothing(server: ChatServer) -> None:
    server.ask()
    ((caller, _),) = server.chats.asked
    assert (caller.may("chat:ask"), caller.may("collections:write")) == (True, False)


@each_case(
    ("content", "status", "code"),
    [
        (b"", 400, "CHAT_QUESTION_INVALID"),
        (b"[]", 400, "HTTP_REQUEST_INVALID"),
        (b"{", 400, "HTTP_REQUEST_INVALID"),
        (b"\xff", 400, "HTTP_REQUEST_INVALID"),
        (b'{"messages": "hello"}', 400, "CHAT_QUESTION_INVALID"),
        (b'{"messages": [{"content": "no role"}]}', 400, "CHAT_QUESTION_INVALID"),
        (b'{"messages": [{"role": "user", "content": "\\ud800"}]}', 400, "CHAT_QUESTION_INVALID"),
        (b'{"messages": [{"role": "user", "parts": [{"text": ["\\ud800"]}]}]}', 400, "CHAT_QUESTION_INVALID"),
        (b'{"messages": [], "trigger": 7}', 400, "CHAT_QUESTION_INVALID"),
        (b'{"messages": [], "stream": "perhaps"}', 400, "CHAT_QUESTION_INVALID"),
        (b"[" * 100_000, 400, "CHAT_QUESTION_INVALID"),
        (json.dumps({**QUESTION, "more": "x" * 70_000}).encode(), 400, "CHAT_QUESTION_INVALID"),
        (b"x" * 1_100_000, 413, "HTTP_BODY_TOO_LARGE"),
    ],
)
def test_a_request_that_is_not_a_question_is_refused_before_anything_is_answered(
    server: ChatServer, content: bytes, status: int, code: str
) -> None:
    headers = {"content-type": "application/json"}
    answer = server.client.post(QUESTIONS, content=content, headers=headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
    assert answer.headers["content-type"] == "application/json"


def test_what_is_too_large_says_what_to_change(server: ChatServer) -> None:
    answer = server.ask({**QUESTION, "more": "x" * 70_000})
    assert answer.json()["error"]["message"] == ("the request is larger than 64 KB; send fewer earlier messages")


@pytest.mark.parametrize(
    ("refusal", "status"),
    [(CollectionNotFound("there is no collection 'x'"), 404), (ChatForbidden("asking needs a right"), 403)],
)
def test_a_refusal_before_the_first_byte_is_json_with_its_status(
    server: ChatServer, refusal: Exception, status: int
) -> None:
    server.chats.refusal = refusal
    for content in (QUESTION, UI_QUESTION, {**QUESTION, "stream": False}):
        answer = server.ask(content)
        assert (answer.status_code, answer.headers["content-type"]) == (status, "application/json")
        assert answer.json()["error"]["message"] == str(refusal)


def test_answers_that_are_not_accepted_and_bodies_of_other_types_are_refused(server: ChatServer) -> None:
    assert server.ask(accept="application/json").status_code == 406
    assert server.ask({**QUESTION, "stream": False}, accept="text/event-stream").status_code == 406
    assert server.ask(accept="text/html").status_code == 406
    assert server.ask(accept="text/event-stream, */*;q=0.1").status_code == 200
    plain = server.client.post(QUESTIONS, content=b"{}", headers={"content-type": "text/plain"})
    assert plain.status_code == 415
    assert server.client.get(QUESTIONS).headers["allow"] == "POST"


def test_an_unknown_token_is_refused(server: ChatServer) -> None:
    refused = server.ask(token="tribal_" + "0" * 72)
    assert (refused.status_code, refused.json()["error"]["code"], server.chats.asked) == (
        401,
        "HTTP_CALLER_UNKNOWN",
        [],
    )


def test_pieces_are_sent_as_they_are_made(server: ChatServer) -> None:
    server.chats.pieces = pieces = handed_over()
    with server.client.stream("POST", QUESTIONS, json=QUESTION) as answer:
        received = answer.iter_raw()
        for word in ("one", "two"):
            pieces.put(TextPiece(word))
            assert json.loads(next(received).removeprefix(b"data: "))["textDelta"] == word
        pieces.put(None)
        assert b'"type":"finish"' in b"".join(received)


@pytest.mark.parametrize("stream", [True, False])
def test_a_client_that_disconnects_cancels_the_answer(server: ChatServer, stream: bool) -> None:
    server.chats.pieces = handed_over("one")
    with connected(server, {**QUESTION, "stream": stream}) as line:
        receive_until(line, b"one" if stream else b"\r\n\r\n")
    assert server.chats.closed.wait(LONGEST_SECONDS)
    assert server.chats.stopped.is_set()


def test_a_failure_during_an_answer_ends_it_in_the_stream(server: ChatServer) -> None:
    server.chats.events = [TextPiece("Half"), ZeroDivisionError("secret zanzibar")]
    answer = server.ask()
    *_, last = parsed_events(answer)
    assert (answer.status_code, last["finish_reason"], last["error"]["code"]) == (200, "error", "CHAT_INTERNAL")
    whole = server.ask({**QUESTION, "stream": False}).json()
    assert (whole["text"], whole["finish"]["error"]["code"]) == ("Half", "CHAT_INTERNAL")
    assert "zanzibar" not in answer.text + json.dumps(whole) + json.dumps(server.server.log)


def test_a_whole_answer_that_takes_long_is_preceded_by_white_space(
    server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_streams, "QUIET_SECONDS", 0.05)
    server.chats.pieces = pieces = handed_over("one")
    headers = {"accept-encoding": "gzip"}
    with server.client.stream("POST", QUESTIONS, json={**QUESTION, "stream": False}, headers=headers) as answer:
        received = answer.iter_raw()
        assert next(received) == b"\n"
        pieces.put(None)
        assert json.loads(b"".join(received))["text"] == "one"


def test_a_caller_has_two_answers_at_once_and_another_caller_is_not_concerned(server: ChatServer) -> None:
    server.chats.pieces = handed_over()
    tokens = [server.server.token(name, "documentation:read") for name in ("busy-one", "busy-two")]
    asked = [
        httpx2.Request(
            "POST", f"{server.address}{QUESTIONS}", json=QUESTION, headers={"authorization": f"Bearer {token}"}
        )
        for token in (tokens[0], tokens[0], tokens[1])
    ]
    with httpx2.Client(timeout=LONGEST_SECONDS) as client:
        streams = [client.send(each, stream=True) for each in asked]
        assert [each.status_code for each in streams] == [200] * 3
        refused = server.ask(token=tokens[0])
        assert (refused.status_code, refused.json()["error"]["code"]) == (429, "CHAT_BUSY")
        assert int(refused.headers["retry-after"]) > 0
        refused = server.ask({**QUESTION, "stream": False}, tokens[0])
        assert refused.status_code == 429
        for _ in streams:
            server.chats.pieces.put(None)
        assert [b"finish" in each.read() for each in streams] == [True] * 3
    server.chats.pieces.put(None)
    assert server.ask(token=tokens[0]).status_code == 200


def test_a_caller_who_asks_too_often_is_refused_on_this_machine_too(project: Path) -> None:
    with chatting(project, ChatSettings(questions_per_minute=6)) as server:
        assert [server.ask().status_code for _ in range(2)] == [200, 200]
        refused = server.ask()
        assert (refused.status_code, refused.json()["error"]["code"]) == (429, "CHAT_BUSY")
        assert 0 < int(refused.headers["retry-after"]) <= 10
        assert server.ask(token=server.server.token("other", "documentation:read")).status_code == 200
        # What is no question does not count.
        assert server.ask({"messages": 7}).status_code == 400


@pytest.mark.parametrize("content", [QUESTION, UI_QUESTION])
def test_a_server_that_stops_ends_its_answers_with_an_error(
    project: Path, monkeypatch: pytest.MonkeyPatch, content: Any
) -> None:
    monkeypatch.setattr(event_streams, "ENDING_SECONDS", 0.1)
    with chatting(project) as server:
        server.chats.pieces = handed_over("one")
        with server.client.stream("POST", QUESTIONS, json=content) as answer:
            received = answer.iter_text()
            text = next(received)
            while "one" not in text:
                text += next(received)
            server.server.server.should_exit = True
            text += "".join(received)
    assert "the server is stopping" in text
    assert text.endswith("data: [DONE]\n\n" if content is UI_QUESTION else "}\n\n")
    assert text.count('"type":"finish"') == 1


def test_a_browser_may_ask_from_a_page_of_a_named_site_and_from_no_other(server: ChatServer) -> None:
    asked = {
        "origin": PORTAL,
        "access-control-request-method": "POST",
        "access-control-request-headers": f"authorization, content-type, {UI_HEADER}",
    }
    allowed = server.client.options(QUESTIONS, headers=asked)
    accepted = {each.strip().lower() for each in allowed.headers["access-control-allow-headers"].split(",")}
    assert (allowed.status_code, set(asked["access-control-request-headers"].split(", ")) <= accepted) == (200, True)
    answer = server.ask(UI_QUESTION, origin=PORTAL)
    assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (200, PORTAL)
    shown = {each.strip().lower() for each in answer.headers["access-control-expose-headers"].split(",")}
    assert {UI_HEADER, "location", "retry-after"} <= shown
    server.chats.asked.clear()
    for headers in ({"origin": "https://evil.example"}, {"origin": "null"}, {"host": "rebound.example"}):
        assert server.ask(UI_QUESTION, **headers).status_code in (403, 421)
    assert server.chats.asked == []
