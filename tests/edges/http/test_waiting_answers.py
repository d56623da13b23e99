"""Answers that wait for a model wait next to each other, are limited, and keep no quick answer waiting."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.edges.http.asking import Asking, asking
from tests.edges.mcp.asked import index_project
from tests.waiting import LONGEST_SECONDS
from tribal.edges.http.audit import RequestLog
from tribal.edges.mcp.waiting_threads import RETRY_SECONDS, WAITING_AT_ONCE, WaitingThreads
from tribal.errors import TooManyRequests

HALF = WAITING_AT_ONCE // 2


@pytest.fixture(name="server")
def server_fixture(tmp_path: Path) -> Iterator[Asking]:
    index_project(tmp_path)
    with asking(tmp_path) as running:
        yield running


def test_a_caller_gets_half_of_the_threads_and_the_next_call_is_refused_at_once() -> None:
    async def ask() -> None:
        threads, may_end = WaitingThreads(), threading.Event()
        waiting = [
            asyncio.create_task(threads.run(lambda: may_end.wait(LONGEST_SECONDS), caller))
            for caller in "ab"
            for _ in range(HALF)
        ]
        await asyncio.sleep(0)
        for caller in "abc":
            with pytest.raises(TooManyRequests, match=f"at most {WAITING_AT_ONCE} at once, and {HALF} for one caller"):
                await threads.run(lambda: None, caller)
        may_end.set()
        assert all(await asyncio.gather(*waiting))
        assert await threads.run(lambda: 5, "a") == 5

    asyncio.run(ask())


def test_an_answer_that_waits_for_a_model_is_not_logged_as_slow() -> None:
    for waits in (False, True):
        seen = RequestLog("1", waits=waits)
        assert seen.is_slow(10.0) is not waits
        assert seen.fields("POST", 200, 10.0).get("slow", False) is not waits


def test_a_call_that_fails_releases_its_slot() -> None:
    def fail() -> None:
        raise KeyError

    async def ask() -> None:
        threads = WaitingThreads()
        for _ in range(HALF + 1):
            with pytest.raises(KeyError):
                await threads.run(fail, "a")

    asyncio.run(ask())


def test_while_twenty_answers_wait_for_a_model_a_quick_one_is_given_at_once(server: Asking) -> None:
    tokens = [server.token(name) for name in ("ada", "bob")]
    with ThreadPoolExecutor(20) as pool:
        waiting = [
            pool.submit(call, token=token)
            for call in (server.ask, server.ask_over_mcp)
            for token in tokens
            for _ in range(5)
        ]
        server.questions.wait_for(20)
        server.ask("search_tables", query="customer")
        for call in (server.ask, server.ask_over_mcp):
            assert call("search_tables", query="customer").status_code == 200
        assert not any(each.done() for each in waiting)
        server.questions.may_answer.set()
        assert {each.result().status_code for each in waiting} == {200}


def test_a_call_beyond_the_limit_is_refused_with_the_time_to_retry_over_http_and_mcp(server: Asking) -> None:
    ada, bob, reader = server.token("ada"), server.token("bob"), server.token("eve", "documentation:read")
    with ThreadPoolExecutor(HALF + 1) as pool:
        waiting = [pool.submit(server.ask, token=ada) for _ in range(HALF)]
        server.questions.wait_for(HALF)
        refused = server.ask(token=ada)
        assert (refused.status_code, refused.json()["error"]["code"]) == (429, "HTTP_TOO_MANY_REQUESTS")
        over_mcp = server.ask_over_mcp(token=ada)
        assert (over_mcp.status_code, over_mcp.json()["id"]) == (429, 7)
        assert over_mcp.json()["error"]["data"] == {
            "code": "HTTP_TOO_MANY_REQUESTS",
            "retry_after_seconds": RETRY_SECONDS,
        }
        assert {each.headers["retry-after"] for each in (refused, over_mcp)} == {str(RETRY_SECONDS)}
        # Who may not have a model asked does not wait for one.
        for call in (server.ask, server.ask_over_mcp):
            assert b'"by_model":false' in call(token=reader).content.replace(b" ", b"")
        # Other callers may still ask.
        waiting.append(pool.submit(server.ask, token=bob))
        server.questions.wait_for(HALF + 1)
        server.questions.may_answer.set()
        assert {each.result().status_code for each in waiting} == {200}
    assert server.ask_over_mcp(token=ada).status_code == 200
