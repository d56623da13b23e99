"""How many searches a second does `tribal serve` answer, how fast, and does its memory grow?

`python -m bench.serving [--minutes 10] [--workers 2] [--tables 5000]`, by default for one minute with one process over
5,000 tables. Requests are sent on time whether or not earlier ones are answered, and their time counts from when they
were due. The server has one core, the clients the other. A new index is published every 30 seconds meanwhile, twice
before the measured minutes begin. Then the rate rises until the server no longer keeps up: until 5 of 100 requests
take more than 100 ms. Last, another server is asked while answers wait for a model (`bench/waiting.py`).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import NamedTuple

from bench import waiting
from bench.generated import documented_project
from bench.harness import TRIBAL, Bench, Row, Table, memory_mb, percentile, run
from bench.search import questions
from tribal.identity.locations import INDEX_FILE

RATE, PUBLISH_SECONDS = 40.0, 30.0
KEPT_UP_MILLISECONDS = 100.0
"""By judgement: people feel no wait."""
_WARM_UP_SECONDS = 2 * PUBLISH_SECONDS + 10.0
_STEP_SECONDS, _TRIES = 10.0, 3


class Server(NamedTuple):
    """A running server."""

    pid: int
    port: int


class Clients:
    """Send requests at a rate, over as many connections as that needs."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._idle: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []
        self._questions = cycle(questions(300))
        self.milliseconds: list[float] = []
        self.errors = self.empty = 0

    async def run(self, rate: float, seconds: float) -> None:
        """Send requests for so long."""
        start = time.perf_counter()
        pending = set()
        for number in range(int(rate * seconds)):
            due = start + number / rate
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            task = asyncio.create_task(self._request(due))
            pending.add(task)
            task.add_done_callback(pending.discard)
        if pending:
            await asyncio.wait(pending, timeout=60)
        for _, writer in self._idle:
            writer.close()
        self._idle.clear()

    async def _connection(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        while self._idle:
            reader, writer = self._idle.pop()
            # The server closes connections that were idle for a while.
            if not reader.at_eof() and not writer.is_closing():
                return reader, writer
        return await asyncio.open_connection("127.0.0.1", self._port)

    async def _request(self, due: float) -> None:
        body = json.dumps({"query": next(self._questions)}).encode()
        try:
            reader, writer = await self._connection()
            head = f"POST /v1/tools/search_tables HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
            writer.write(head.encode() + body)
            lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
            length = next(int(line.split(":")[1]) for line in lines if line.lower().startswith("content-length"))
            answer = json.loads(await reader.readexactly(length))
        except (OSError, EOFError, StopIteration, ValueError):
            self.errors += 1
            return
        self.milliseconds.append((time.perf_counter() - due) * 1_000)
        self._idle.append((reader, writer))
        self.errors += lines[0].split()[1] != "200"
        self.empty += not answer.get("tables")


async def _load(name: str, server: Server, rate: float, seconds: float, publishing: Path | None = None) -> Row:
    """Ask at a rate for so long, and publish the index of a project meanwhile if one is named."""
    clients, before, peak, published = Clients(server.port), memory_mb(server.pid), 0.0, 0
    sending = asyncio.create_task(clients.run(rate, seconds))
    next_publication = time.perf_counter() + PUBLISH_SECONDS
    while not sending.done():
        await asyncio.wait([sending], timeout=0.5)
        peak = max(peak, memory_mb(server.pid))
        if publishing is not None and time.perf_counter() >= next_publication:
            next_publication += PUBLISH_SECONDS
            command = sys.executable, "-m", "bench.serving", "publish", str(publishing)
            process = await asyncio.create_subprocess_exec(*command)
            published += await process.wait() == 0
    await sending
    times = clients.milliseconds or [float("inf")]
    print(f"{name}: p95 {percentile(times, 0.95):.1f} ms", flush=True)
    return {
        "load": name,
        "rate": rate,
        "requests": len(clients.milliseconds) + clients.errors,
        "errors": clients.errors,
        "empty": clients.empty,
        "p50 ms": percentile(times, 0.5),
        "p95 ms": percentile(times, 0.95),
        "p99 ms": percentile(times, 0.99),
        "slowest ms": max(times),
        "MB before": before,
        "MB after": memory_mb(server.pid),
        "peak MB": peak,
        "published": published,
    }


async def _rising(server: Server) -> AsyncIterator[Row]:
    """Loads at rising rates, up to the first that the server does not keep up with in any of three tries.

    Other machines take this one's cores away for some tenths of a second now and then, which ten seconds show.
    """
    for rate in range(50, 400, 10):
        for _ in range(_TRIES):
            row = await _load(f"{rate} a second", server, float(rate), _STEP_SECONDS)
            yield row
            if _kept_up(row):
                break
        else:
            return


def _kept_up(row: Row) -> bool:
    p95 = row["p95 ms"]
    return row["errors"] == 0 and isinstance(p95, float) and p95 < KEPT_UP_MILLISECONDS


async def _loads(server: Server, project: Path, minutes: float) -> list[Row]:
    rows = [
        await _load("warming up", server, RATE, _STEP_SECONDS),  # The first questions load the index.
        # The first publications make room for two indexes, the one that is read and the next.
        await _load("first publications", server, RATE, _WARM_UP_SECONDS, project),
        await _load(f"{minutes:g} minutes", server, RATE, 60.0 * minutes, project),
    ]
    return rows + [row async for row in _rising(server)]


async def _search(server: Server, name: str) -> Row:
    """Searches at the usual rate, once the index is loaded."""
    await _load("warming up", server, RATE, _STEP_SECONDS)
    return await _load(name, server, RATE, 2 * _STEP_SECONDS)


def _publish(project: Path) -> None:
    """Publish the index again, as a run does that finds no changed document."""
    from tribal.adapters.sqlite.index import SqliteIndex

    index = SqliteIndex(project / INDEX_FILE)
    metadata, graph = index.metadata(), index.key_graph()
    assert metadata is not None
    assert graph is not None
    index.begin(metadata.embedding_model, metadata.embedding_dimensions)
    index.finish(metadata, graph)
    index.close()


@contextmanager
def _served(project: Path, workers: int, *program: str | Path) -> Iterator[Server]:
    """`tribal serve` or another program that serves, on a core of its own if it has one process."""
    usual: tuple[str | Path, ...] = (TRIBAL, "serve", "--port", "0", "--project", project, "--workers", str(workers))
    command = program or usual
    with (project / "serve.log").open("w") as log:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        assert process.stdout is not None
        port = int(process.stdout.readline().strip().rstrip("/").rpartition(":")[2])
        cores = sorted(os.sched_getaffinity(0))
        if workers == 1 and len(cores) > 1:
            os.sched_setaffinity(process.pid, {cores[0]})
            os.sched_setaffinity(0, {cores[1]})
        try:
            yield Server(process.pid, port)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=60)


def tables(bench: Bench) -> Iterator[Table]:
    """Measure every load on one server."""
    parser = argparse.ArgumentParser(prog="bench.serving")
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--tables", type=int, default=5_000)
    arguments = parser.parse_args(bench.arguments)
    project = documented_project(bench, arguments.tables)
    bench.server.stop()
    with _served(project, arguments.workers) as server:
        rows = asyncio.run(_loads(server, project, arguments.minutes))
    rates = [rate for row in rows if _kept_up(row) and isinstance(rate := row["rate"], float)]
    yield Table(
        f"tribal serve, {arguments.tables:,} tables, {arguments.workers} process(es)",
        rows,
        [f"keeps up with {max(rates, default=0):.0f} requests a second"],
    )
    with _served(project, 1, sys.executable, "-m", "bench.waiting", project) as server:
        rows, sentences = asyncio.run(waiting.measure(server.port, partial(_search, server)))
    yield Table(f"searches while answers wait for a model, {arguments.tables:,} tables, one process", rows)
    yield Table("until a sentence of a streamed answer reaches its client meanwhile", [sentences])


def main() -> int:
    """Measure, or publish; returns the exit code."""
    match sys.argv[1:]:
        case ["publish", project]:
            _publish(Path(project))
            return 0
    return run("serving", tables)


if __name__ == "__main__":
    sys.exit(main())
