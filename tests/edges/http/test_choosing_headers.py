"""What a server lets headers choose: behind the guards, for the caller that token or machine identifies."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import anyio

from tests.cases import each_case
from tests.fakes import FixedClock, MemoryStore
from tribal.edges.http.asgi.guards import Guards
from tribal.edges.http.asgi.messages import CALLER, REQUEST_LOG
from tribal.edges.http.asgi.serving import Serving
from tribal.edges.http.audit import RequestLog
from tribal.edges.http.identity.callers import Callers, OwnTokens
from tribal.ports import Caller, Identity

ADA = Identity("ada", projects=("shop", "till"), teams=("data",))
HOST = {"host": "localhost"}


def sent(headers: Mapping[str, str], *, path: str = "/v1/tools") -> Caller | tuple[int, dict[str, Any]]:
    """The caller that what answers sees, or the status and body of a refusal."""
    store = MemoryStore()
    tokens = OwnTokens(lambda: store, FixedClock().real, lambda: 0.0)
    callers = Callers(tokens, frozenset(), without_token=Caller("ada", identity=ADA))
    answered: list[Caller] = []
    messages: list[Any] = []

    async def inner(scope: Any, _receive: Any, _send: Any) -> None:
        answered.append(scope[CALLER])

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        messages.append(message)

    guards = Guards(inner, Serving(callers), FixedClock(), lambda path: path == "/health")
    raw = [(name.lower().encode(), value.encode()) for name, value in {**HOST, **headers}.items()]
    scope = {
        "type": "http",
        "scheme": "http",
        "method": "GET",
        "path": path,
        "headers": raw,
        REQUEST_LOG: RequestLog("1", path, None, None),
    }
    anyio.run(guards, scope, receive, send)
    if answered:
        return answered[0]
    return messages[0]["status"], json.loads(messages[1]["body"])


def test_a_session_an_agent_and_a_project_are_chosen() -> None:
    asks = sent({"X-Tribal-Session": "s1", "X-Tribal-Agent": "coder", "X-Tribal-Project": "till"})
    assert isinstance(asks, Caller)
    assert (asks.identity.user, asks.identity.session, asks.identity.agent) == ("ada", "s1", "coder")
    assert asks.identity.chosen == (("project", "till"),)


def test_a_name_in_utf_8_is_read_as_it_was_sent() -> None:
    asks = sent({"X-Tribal-Session": "Gespräch 7"})
    assert isinstance(asks, Caller)
    assert asks.identity.session == "Gespräch 7"


def test_without_headers_the_caller_is_who_the_machine_says() -> None:
    assert sent({}) == Caller("ada", identity=ADA)


@each_case(
    ("headers", "status", "code"),
    [
        ({"X-Tribal-Project": "other"}, 403, "HTTP_IDENTIFIER_REFUSED"),
        ({"X-Tribal-Project": "data"}, 403, "HTTP_IDENTIFIER_REFUSED"),
        ({"X-Tribal-Session": "x" * 201}, 400, "HTTP_REQUEST_INVALID"),
        ({"X-Tribal-Agent": "\u202ex"}, 400, "HTTP_REQUEST_INVALID"),
    ],
)
def test_what_is_not_the_callers_is_refused_in_the_servers_shape(
    headers: dict[str, str], status: int, code: str
) -> None:
    answer = sent(headers)
    assert isinstance(answer, tuple)
    assert (answer[0], answer[1]["success"], answer[1]["error"]["code"]) == (status, False, code)
    assert next(iter(headers.values())) not in json.dumps(answer[1])


def test_what_is_public_asks_for_no_one_and_chooses_nothing() -> None:
    asks = sent({"X-Tribal-Project": "other"}, path="/health")
    assert isinstance(asks, Caller)
    assert asks.identity == Identity()
