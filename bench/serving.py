"""Measures `tribal serve` under load, over an index of 5,000 tables.

`python -m bench.serving` asks for a minute, `--minutes 10` as long as the bar says. Requests are sent on time whether
or not earlier ones are answered (open loop), and their time counts from when they were due. The server has one core,
the generator the other. A new index is published every 30 seconds meanwhile, twice before the figures begin. Then 500
clients send a byte a second each, and at last the rate rises until the server no longer keeps up.
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
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil

from bench.generated import load_generated
from bench.searching import questions
from servers.postgres import EmbeddedServer
from tribal.identity.locations import INDEX_FILE

FOLDER = Path(".bench") / "serving"
RESULTS = Path(".bench") / "serving.json"
TABLES = 5_000
RATE = 40.0
PUBLISH_SECONDS = 30.0
KEPT_UP_MILLISECONDS = 100.0
"""The server keeps up with a rate while 95 of 100 requests take less. By judgement: people feel no wait."""
FIRST_SECONDS = 2 * PUBLISH_SECONDS + 10.0
SLOW_CLIENTS = 500
_STEP_SECONDS = 10.0
_TRIES = 3
_TRIBAL = Path(sys.executable).parent / "tribal"


@dataclass(frozen=True, slots=True)
class Load:
    """How one rate of requests was answered."""

    rate: float
    seconds: float
    requests: int
    errors: int
    empty: int
    p50: float
    p95: float
    p99: float
    slowest: float
    memory_before_mb: float
    memory_after_mb: float
    memory_peak_mb: float
    published: int = 0

    @property
    def kept_up(self) -> bool:
        """Whether the server was fast enough at this rate."""
        return self.errors == 0 and self.p95 < KEPT_UP_MILLISECONDS


class Server:
    """`tribal serve` on cores of its own."""

    def __init__(self, project: Path, workers: int) -> None:
        command: list[str | Path] = [_TRIBAL, "serve", "--port", "0", "--project", project, "--workers", str(workers)]
        self.log = (project / "serve.log").open("w")
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self.log, text=True)
        assert self.process.stdout is not None
        self.port = int(self.process.stdout.readline().strip().rstrip("/").rpartition(":")[2])
        cores = sorted(os.sched_getaffinity(0))
        if workers == 1 and len(cores) > 1:
            os.sched_setaffinity(self.process.pid, {cores[0]})
            os.sched_setaffinity(0, {cores[1]})

    def memory_mb(self) -> float:
        """Resident memory of all its processes."""
        own = psutil.Process(self.process.pid)
        held: int = sum(each.memory_info().rss for each in (own, *own.children(recursive=True)))
        return held / 1024**2

    def stop(self) -> None:
        """Stop it."""
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=60)
        self.log.close()


class Generator:
    """Sends requests at a rate, over as many connections as that needs."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._idle: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []
        self._asked = cycle(questions(300))
        self.milliseconds: list[float] = []
        self.errors = self.empty = 0

    async def run(self, rate: float, seconds: float) -> None:
        """Send requests for so long."""
        began = time.perf_counter()
        pending = set()
        for number in range(int(rate * seconds)):
            due = began + number / rate
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            task = asyncio.create_task(self._ask(due))
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
            # The server hangs up on connections that were idle for a while.
            if not reader.at_eof() and not writer.is_closing():
                return reader, writer
        return await asyncio.open_connection("127.0.0.1", self._port)

    async def _ask(self, due: float) -> None:
        body = json.dumps({"query": next(self._asked)}).encode()
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


async def under_load(server: Server, project: Path, rate: float, seconds: float, *, publishing: bool) -> Load:
    """Ask at a rate for so long, and publish meanwhile if wanted."""
    generator, before, peak, published = Generator(server.port), server.memory_mb(), 0.0, 0
    asking = asyncio.create_task(generator.run(rate, seconds))
    next_publication = time.perf_counter() + PUBLISH_SECONDS
    while not asking.done():
        await asyncio.wait([asking], timeout=0.5)
        peak = max(peak, server.memory_mb())
        if publishing and time.perf_counter() >= next_publication:
            next_publication += PUBLISH_SECONDS
            ran = await asyncio.create_subprocess_exec(sys.executable, "-m", "bench.serving", "--publish", str(project))
            published += await ran.wait() == 0
    await asking
    times = sorted(generator.milliseconds) or [float("inf")]

    def at(share: float) -> float:
        return round(times[min(len(times) - 1, int(len(times) * share))], 1)

    return Load(
        rate=rate,
        seconds=seconds,
        requests=len(generator.milliseconds) + generator.errors,
        errors=generator.errors,
        empty=generator.empty,
        p50=at(0.5),
        p95=at(0.95),
        p99=at(0.99),
        slowest=at(1.0),
        memory_before_mb=round(before, 1),
        memory_after_mb=round(server.memory_mb(), 1),
        memory_peak_mb=round(peak, 1),
        published=published,
    )


async def with_slow_clients(server: Server, project: Path) -> tuple[Load, int]:
    """The load of the bar beside clients that send a byte a second; and how many of those were dropped."""
    lines = [await asyncio.open_connection("127.0.0.1", server.port) for _ in range(SLOW_CLIENTS)]
    asking = asyncio.create_task(under_load(server, project, RATE, 3 * _STEP_SECONDS, publishing=False))
    for _, writer in lines:
        writer.write(b"POST /v1/tools/search_tables HTTP/1.1\r\nHost: ")
    while not asking.done():
        await asyncio.wait([asking], timeout=1.0)
        for _, writer in lines:
            if not writer.is_closing():
                writer.write(b"x")
    dropped = sum(reader.at_eof() or reader.exception() is not None for reader, _ in lines)
    for _, writer in lines:
        writer.close()
    return await asking, dropped


async def knee(server: Server, project: Path) -> list[Load]:
    """The loads at rising rates, up to the first that the server does not keep up with however often it is tried.

    Other machines take this one's cores away for some tenths of a second now and then, which ten seconds show.
    """
    loads: list[Load] = []
    for rate in range(50, 400, 10):
        for _ in range(_TRIES):
            loads.append(await under_load(server, project, float(rate), _STEP_SECONDS, publishing=False))
            print_load(f"{rate} requests/s", loads[-1])
            if loads[-1].kept_up:
                break
        else:
            break
    return loads


def publish(project: Path) -> None:
    """Publish the index anew, as an indexing run does that found nothing changed in the documents."""
    from tribal.adapters.sqlite.index import SqliteIndex

    index = SqliteIndex(project / INDEX_FILE)
    metadata, graph = index.metadata(), index.key_graph()
    assert metadata is not None
    assert graph is not None
    index.begin(metadata.embedding_model, metadata.embedding_dimensions)
    index.finish(metadata, graph)
    index.close()


@contextmanager
def served(workers: int) -> Iterator[tuple[Server, Path]]:
    """A server over the generated project, which is made once."""
    project = (FOLDER / "project").resolve()
    if not (project / INDEX_FILE).exists():
        project.mkdir(parents=True, exist_ok=True)
        with (
            TemporaryDirectory(prefix="tribal-bench-") as scratch,
            EmbeddedServer.start(Path(scratch) / "generated") as database,
        ):
            dsn = database.dsn(load_generated(database, TABLES))
            subprocess.run([_TRIBAL, "run", dsn, "--project", project], check=True, stdout=subprocess.DEVNULL)
    server = Server(project, workers)
    try:
        yield server, project
    finally:
        server.stop()


def print_load(name: str, load: Load) -> None:
    """Print one line of figures."""
    print(
        f"{name:<28}{load.requests:>8,} requests, {load.errors} errors, {load.empty} empty; "
        f"p50 {load.p50:.1f}, p95 {load.p95:.1f}, p99 {load.p99:.1f}, slowest {load.slowest:.1f} ms; "
        f"memory {load.memory_before_mb:.0f} -> {load.memory_after_mb:.0f} MB (peak {load.memory_peak_mb:.0f}); "
        f"{load.published} published",
        flush=True,
    )


async def measured(arguments: argparse.Namespace) -> dict[str, object]:
    """Measure everything."""
    with served(arguments.workers) as (server, project):
        # The first questions load the index.
        print_load("warming up", await under_load(server, project, RATE, _STEP_SECONDS, publishing=False))
        # The first publications make room for two indexes, the one that is read and the next.
        first = await under_load(server, project, RATE, FIRST_SECONDS, publishing=True)
        print_load("the first publications", first)
        steady = await under_load(server, project, RATE, 60.0 * arguments.minutes, publishing=True)
        print_load(f"{RATE:.0f} requests/s", steady)
        beside, dropped = await with_slow_clients(server, project)
        print_load(f"beside {SLOW_CLIENTS} slow clients", beside)
        print(f"{dropped} of {SLOW_CLIENTS} slow clients were dropped")
        rising = await knee(server, project)
    kept = [load.rate for load in (steady, *rising) if load.kept_up]
    print(f"knee: {max(kept, default=0):.0f} requests/s with {arguments.workers} process(es)")
    growth = (steady.memory_after_mb / steady.memory_before_mb - 1) * 100
    print(f"memory: {growth:+.1f} % in {arguments.minutes:g} minutes of {steady.published} publications")
    return {
        "first_publications": asdict(first),
        "steady": asdict(steady),
        "beside_slow_clients": asdict(beside),
        "slow_clients_dropped": dropped,
        "rising": [asdict(load) for load in rising],
        "knee": max(kept, default=0),
        "workers": arguments.workers,
    }


def main() -> int:
    """Measure, print the figures and write them to a file; returns the exit code."""
    parser = argparse.ArgumentParser(prog="bench.serving")
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--publish", type=Path)
    arguments = parser.parse_args()
    if arguments.publish is not None:
        publish(arguments.publish)
        return 0
    figures = asyncio.run(measured(arguments))
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(figures, indent=2) + "\n")
    print(f"bench.serving: written to {RESULTS}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
