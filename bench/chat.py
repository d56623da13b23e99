"""Which questions does the chat refuse, and how fast does it answer? Scope needs `TRIBAL_BENCH_DATA`.

`python -m bench.chat [scope|times]`: for several thresholds, the share of each set's questions that are refused in
their own database, and the share of questions about other things that are accepted there; and over HTTP at 1,000
tables, the times of the first event and of a whole offline answer, and of 50 clients that disconnect while a model
writes.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import psutil

from bench.generated import documented_project
from bench.harness import TRIBAL, Bench, Row, Table, memory_mb, percentile, run
from bench.question_sets import QuestionSet, opened, question_sets, read_lines
from bench.search import questions
from tests.capabilities.chat.made import WritingModel, made_chat
from tests.fakes.openai import FakeOpenAI
from tribal.app.local import local_application
from tribal.capabilities.chat.asking.chat import Chat
from tribal.capabilities.chat.events import Governed, TextPiece
from tribal.identity.scope import Scope
from tribal.ports import Application, Caller, ModelOutcome, ModelRequest, StopToken
from tribal.settings import load_settings
from tribal_contracts.chat.requests import ChatMessage, ChatRequest
from tribal_contracts.chat.settings import ChatSettings, CollectionEntry, Laws, ScopeLaw

THRESHOLDS = (0.25, 0.33, 0.4)
SETS = ("beaver", "bird_mini", "defog", "kaggledbqa")
_OTHERS = 40
"""Questions about other things that are asked of each database."""
_CALLER = Caller("bench")
_TABLES, _ASKED, _CLIENTS = 1_000, 200, 50
_KEY = "sk-bench-0000000000000000"


def tables(bench: Bench) -> Iterator[Table]:
    """Scope, and times."""
    if "times" not in bench.arguments:
        sets = {one.name: one for one in question_sets(bench.data)}
        others = [str(each["question"]) for each in read_lines(bench.data / "out_of_scope" / "questions.jsonl")]
        rows = [row for name in SETS for row in _scope(sets[name], others, bench)]
        yield Table("laws of profile catalog: shares of questions", rows)
    if "scope" not in bench.arguments:
        yield Table(f"times over HTTP, {_TABLES:,} tables", [_offline(bench)])
        yield Table("time from a model's last piece of a sentence until it is passed on", [_sentences(bench)])
        yield Table(f"{_CLIENTS} clients that disconnect while a model writes", [_cut_off(bench)])


def _scope(one: QuestionSet, others: list[str], bench: Bench) -> Iterator[Row]:
    with opened(one.project(bench)) as app:
        asked = [(each.text, each.schema, True) for each in one.questions]
        for number, schema in enumerate(sorted({each.schema for each in one.questions})):
            asked += [(text, schema, False) for text in others[number * _OTHERS :][:_OTHERS]]
        scopes = {schema: Scope(schemas=frozenset({(one.database, schema)})) for _, schema, _ in asked}
        callers = {schema: replace(_CALLER, scope=scope) for schema, scope in scopes.items()}
        verdicts = {
            threshold: [_law(app, callers[schema], text, threshold) for text, schema, _ in asked]
            for threshold in THRESHOLDS
        }
    for threshold, laws in verdicts.items():
        own = [law for law, (*_, is_own) in zip(laws, asked, strict=True) if is_own]
        other = [law for law, (*_, is_own) in zip(laws, asked, strict=True) if not is_own]
        yield {
            "set": one.name,
            "threshold": threshold,
            "questions": len(own),
            "refused": sum(law is not None for law in own) / len(own),
            "by integrity": sum(law == "integrity" for law in own) / len(own),
            "others accepted": sum(law is None for law in other) / len(other),
        }


def _law(app: Application, caller: Caller, text: str, threshold: float) -> str | None:
    """The law that refuses a question; `None` if none does."""
    entry = CollectionEntry(name="catalog", laws=Laws(scope=ScopeLaw(threshold=threshold)))
    events = Chat(caller, _with(app, entry)).open(_request(text)).events(StopToken())
    verdict = next(each.verdict for each in events if isinstance(each, Governed))
    events.close()
    return verdict.law_violated


def _with(app: Application, entry: CollectionEntry) -> Application:
    from tribal.capabilities.chat.parts import chat_parts

    return app.with_part(replace(chat_parts(app), settings=ChatSettings(collections=[entry])))


def _request(text: str) -> ChatRequest:
    return ChatRequest(messages=[ChatMessage(role="user", content=text)], collection="catalog")


@contextmanager
def _server(project: Path, **environment: str) -> Iterator[tuple[int, int]]:
    """A running server: its process and its port."""
    command = [str(TRIBAL), "serve", "--project", str(project), "--port", "0"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, **environment}
    )
    assert process.stdout is not None
    try:
        line = next(line for line in process.stdout if "http://" in line)
        port = int(line.split("http://")[1].split("/")[0].split()[0].rpartition(":")[2])
        yield process.pid, port
    finally:
        process.terminate()
        process.communicate(timeout=60)


def _offline(bench: Bench) -> Row:
    project = documented_project(bench, _TABLES)
    config = project / "databases.yaml"
    with _server(_unlimited(project, config)) as (_, port):
        asked = questions(_ASKED + 20)
        times = [asyncio.run(_asked(port, text)) for text in asked][20:]
    first, whole = zip(*times, strict=True)
    return {
        "questions": len(times),
        "first event p95 ms": percentile([*first], 0.95),
        "whole answer p50 ms": percentile([*whole], 0.5),
        "whole answer p95 ms": percentile([*whole], 0.95),
    }


def _unlimited(project: Path, config: Path) -> Path:
    text = config.read_text(encoding="utf-8") if config.exists() else "databases: []\n"
    if "questions_per_minute" not in text:
        config.write_text(f"{text}\nchat: {{questions_per_minute: 100000}}\n", encoding="utf-8")
    return project


async def _asked(port: int, text: str) -> tuple[float, float]:
    """Milliseconds until the first event, and until the end."""
    started = time.perf_counter()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    _send(writer, text)
    first = 0.0
    while line := await reader.readline():
        if not first and b"data:" in line:
            first = (time.perf_counter() - started) * 1_000
        if b'"type":"finish"' in line:
            break
    whole = (time.perf_counter() - started) * 1_000
    writer.close()
    return first, whole


def _send(writer: asyncio.StreamWriter, text: str) -> None:
    body = json.dumps({"messages": [{"role": "user", "content": text}]}).encode()
    head = (
        f"POST /api/chat/stream HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    writer.write(head.encode() + body)


@dataclass
class _TimedModel(WritingModel):
    """Notes when it wrote each piece."""

    wrote: float = 0.0

    def stream(self, request: ModelRequest) -> Generator[str, None, ModelOutcome]:
        pieces = super().stream(request)
        while True:
            try:
                piece = next(pieces)
            except StopIteration as end:
                outcome: ModelOutcome = end.value
                return outcome
            self.wrote = time.perf_counter()
            yield piece


def _sentences(bench: Bench) -> Row:
    model, times = _TimedModel("The orders are rows [1]. It has columns [2]. " * 30), list[float]()
    settings = load_settings(project=documented_project(bench, _TABLES), needs_databases=False)
    with closing(local_application(settings)) as app:
        made = made_chat(app, CollectionEntry(name="catalog", models=["large"]), writes={"large": model})
        for text in questions(10):
            for event in made.open(text).events(StopToken()):
                if isinstance(event, TextPiece) and model.wrote:
                    times.append((time.perf_counter() - model.wrote) * 1_000)
    return {
        "sentences": len(times),
        "p50 ms": percentile(times, 0.5),
        "p95 ms": percentile(times, 0.95),
        "slowest ms": max(times),
    }


def _writes(_: Mapping[str, Any]) -> str:
    return "Each of these is a row [1]. " * 400


def _cut_off(bench: Bench) -> Row:
    project = documented_project(bench, _TABLES)
    fake = FakeOpenAI(vendor="openai", mind=_writes, pace_seconds=0.02, keys={_KEY})
    config = project / "databases.yaml"
    before = config.read_text(encoding="utf-8") if config.exists() else "databases: []\n"
    config.write_text(f"{before}{_MODELS.format(address=fake.address)}", encoding="utf-8")
    try:
        with _server(project, BENCH_KEY=_KEY) as (pid, port):
            return _disconnected(fake, pid, port)
    finally:
        config.write_text(before, encoding="utf-8")
        fake.stop()


_MODELS = """
models:
  slow:
    provider: openai
    name: gpt-6-luna
    api_key_secret: BENCH_KEY
    base_url: {address}
    price: {{input_usd: 0.01, output_usd: 0.01}}
    calls_at_once: 60
collections: [{{name: catalog, models: [slow]}}]
"""


def _disconnected(fake: FakeOpenAI, pid: int, port: int) -> Row:
    process = psutil.Process(pid)
    asyncio.run(_asked(port, questions(1)[0]))
    threads, memory = process.num_threads(), memory_mb(pid)
    gone = asked = 0
    slowest = 0.0
    for text in questions(2 * _CLIENTS):
        calls = len(fake.departures)
        # Some questions are refused, so that no model is called.
        if asked == _CLIENTS or not asyncio.run(_leave(port, text)):
            continue
        asked += 1
        started = time.perf_counter()
        while len(fake.departures) == calls and time.perf_counter() - started < 5:
            time.sleep(0.01)
        gone += len(fake.departures) > calls
        slowest = max(slowest, time.perf_counter() - started)
    time.sleep(1.0)
    return {
        "clients": asked,
        "cancelled": gone,
        "slowest s": slowest,
        "threads before": threads,
        "threads after": process.num_threads(),
        "MB before": memory,
        "MB after": memory_mb(pid),
    }


async def _leave(port: int, text: str) -> bool:
    """Read until the first sentence, then disconnect; returns whether a model wrote it."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    _send(writer, text)
    while line := await reader.readline():
        if b"text-delta" in line:
            break
    writer.close()
    return b"Each of these" in line


if __name__ == "__main__":
    sys.exit(run("chat", tables))
