"""How fast are quick answers while others wait for a model, and how soon does a sentence of a streamed one leave?

`python -m bench.serving` runs this. The model is a pause, and the route with sentences exists only here. Each sentence
has the time at which it was made, so that its client knows how long it took.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable, Generator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.harness import BenchmarkFailed, Row, percentile
from tribal.ports.tool import ToolGroup, ToolSpec
from tribal_contracts import AgentError, ClosedContract, Contract, Unset
from tribal_contracts.core.shape import optional

if TYPE_CHECKING:
    from tribal.ports import StopToken

WAITING, WAIT_SECONDS = 20, 3.0
_SENTENCE_SECONDS = 0.05
_TOOL, _SENTENCES = "wait_for_model", "/v1/sentences"


class _Question(ClosedContract):
    """Nothing to choose."""


class _Reply(Contract):
    """An answer without content."""

    success: bool
    error: AgentError | Unset = optional()


def _wait(*_: object) -> _Reply:
    time.sleep(WAIT_SECONDS)
    return _Reply(success=True)


def _failed(_: ToolSpec, __: Mapping[str, Any], error: AgentError) -> Contract:
    return _Reply(success=False, error=error)


def _sentences(stop: StopToken) -> Generator[bytes, None, None]:
    while not stop.requested:
        yield f"data: {time.monotonic_ns()}\n\n".encode()
        time.sleep(_SENTENCE_SECONDS)


def serve(project: Path) -> None:
    """Serve a project with a tool that waits and a route of sentences, until SIGTERM."""
    from tribal.edges.http.asgi import application, starting
    from tribal.edges.http.asgi.running import listen, run_server
    from tribal.edges.http.messages import EVENT_STREAM, event_stream
    from tribal.edges.http.page import PAGE_ROUTES
    from tribal.edges.http.routing import Route
    from tribal.settings import load_settings
    from tribal.tools.registry import REGISTRY, Registry, with_model

    waiting = ToolSpec(
        name=_TOOL,
        title="Wait",
        summary="Wait.",
        description="Wait.",
        models=lambda: (_Question, _Reply),
        handler=_wait,
        right="documentation:read",
        spends="chat:ask",
    )
    group = ToolGroup(
        name="waiting",
        tools=(waiting,),
        failed=_failed,
        invalid_input_code="RET_QUERY_INVALID",
        internal_code="RET_INTERNAL",
        access_denied_code="RET_ACCESS_DENIED",
    )
    tools = Registry((*REGISTRY.groups, with_model(group)))
    route = Route("GET", _SENTENCES, lambda _: event_stream(_sentences), "Sentences.", content_type=EVENT_STREAM)
    starting._tools_of = lambda blueprint: tools  # noqa: ARG005 - mypy compares the names
    application.PAGE_ROUTES = (*PAGE_ROUTES, route)  # type: ignore[attr-defined]
    settings = load_settings(project=project, needs_databases=False)
    with listen("127.0.0.1", 0) as listening:
        print(f"serving http://127.0.0.1:{listening.getsockname()[1]}/", flush=True)
        run_server(starting.ServerBlueprint(settings, "127.0.0.1"), listening, 1)


async def measure(port: int, search: Callable[[str], Awaitable[Row]]) -> tuple[list[Row], Row]:
    """Measure searches without and with answers that wait, and sentences meanwhile.

    Args:
        port: of a server that `serve` runs.
        search: sends searches for some seconds, and returns the row under this name.
    """
    alone = await search("no answer waits")
    delays: list[float] = []
    answers = [0]
    tasks = [asyncio.create_task(_ask_on(port, number, answers)) for number in range(WAITING)]
    tasks.append(asyncio.create_task(_read_sentences(port, delays)))
    await asyncio.sleep(1)
    rows = [alone, await search(f"{WAITING} answers wait {WAIT_SECONDS:g} s each")]
    if any(task.done() for task in tasks):
        raise BenchmarkFailed("an answer that waits for a model failed")
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    shares = {"p50 ms": 0.5, "p95 ms": 0.95, "p99 ms": 0.99, "slowest ms": 1.0}
    sentences: Row = {"sentences": len(delays), **{name: percentile(delays, share) for name, share in shares.items()}}
    return rows, {**sentences, "answers that waited": answers[0]}


async def _ask_on(port: int, number: int, answers: list[int]) -> None:
    """Ask again and again, from one of two addresses: one caller may not have so many answers wait."""
    local = (f"127.0.0.{1 + number % 2}", 0)
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=local)
    while True:
        writer.write(f"POST /v1/tools/{_TOOL} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{{}}".encode())
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = int(head.partition("content-length:")[2].split()[0])
        answer = json.loads(await reader.readexactly(length))
        assert answer["success"], answer
        answers[0] += 1


async def _read_sentences(port: int, delays: list[float]) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=("127.0.0.3", 0))
    writer.write(f"GET {_SENTENCES} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    await reader.readuntil(b"\r\n\r\n")
    with suppress(asyncio.IncompleteReadError):
        while True:
            line = await reader.readuntil(b"\n")
            if line.startswith(b"data: "):
                delays.append((time.monotonic_ns() - int(line[6:])) / 1e6)


if __name__ == "__main__":
    serve(Path(sys.argv[1]))
