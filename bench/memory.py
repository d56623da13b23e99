"""Rates memory: whether questions find what was remembered, and how fast among 100,000 memories.

From a shell: `python -m bench.memory [load|sets|opensearch]`; with `TRIBAL_BENCH_DATA=FOLDER` the sets under its
`memory_sets` are asked. Each memory is added by its use case in its session, a second after the one before it; a
conversation is a project. Weights were chosen on every second conversation and database, which are told apart.
"""

from __future__ import annotations

import json
import os
import random
import resource
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.opensearch import cluster
from tribal.adapters.opensearch.client import opensearch_client
from tribal.adapters.opensearch.memories import OpenSearchMemories
from tribal.app.local import local_application
from tribal.capabilities.memory.change import WriteContext, add
from tribal.capabilities.memory.parts import MemoryParts
from tribal.capabilities.memory.records import memory_id
from tribal.capabilities.memory.repository import index_all
from tribal.capabilities.memory.search import Recall, said, search
from tribal.ports import Application, Caller, MemoryIndex
from tribal.ports.remembering.identity import Identity
from tribal.ports.remembering.selection import MemorySelection
from tribal.settings import load_settings
from tribal_contracts import MemorySettings
from tribal_contracts.memory import MemoryAddInput, MemoryRecord, MemorySearchInput

DATA_VARIABLE = "TRIBAL_BENCH_DATA"
SETS = ("locomo", "bird_hints")
_LEFT_OUT = "adversarial"
"""Questions of LoCoMo that have no answer."""
_NONE = MemorySettings(writes_per_minute=0)
_AGE = timedelta(days=_NONE.session_days)
_MOST = 10
MEMORIES, SPACES = 100_000, 1_000
_WRITERS, _WRITES = 8, 500
_SEARCHES, _ADDS = 500, 300
_START = datetime(2026, 1, 1, tzinfo=UTC)
_AT_ONCE = 1_000
_VOCABULARY = 4_000
Line = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Asked:
    """One question: how much of what it asks for was among the first results, with and without the threshold."""

    first: float
    five: float
    ten: float
    kept: float
    elsewhere: bool
    """Whether another conversation answered it."""
    chosen_on: bool
    """Whether weights were chosen with an eye on it."""


@dataclass(frozen=True, slots=True)
class Load:
    """Milliseconds and MiB, of `MEMORIES` in `SPACES`."""

    search_p95: float
    add_p95: float
    memory: float


@dataclass(frozen=True, slots=True)
class Remembered:
    """All that is measured of memory."""

    loads: dict[str, Load]
    """By where the index is."""
    written: int
    """Found of what several processes added at once."""
    asked: dict[str, list[Asked]]
    """By set; none without the data."""


def main(arguments: Sequence[str] = ()) -> int:
    """Measure and print; returns the exit code."""
    with TemporaryDirectory(prefix="tribal-memory-") as scratch, cluster(install="opensearch" in arguments) as address:
        print_remembered(report(Path(scratch), address, arguments))
    return 0


def report(folder: Path, address: str | None, parts: Sequence[str] = ()) -> Remembered:
    """Measure these parts, or all: `load`, `opensearch` if there is a cluster, and `sets` if there is data."""
    folder.mkdir(exist_ok=True)
    wanted = parts or ("load", "opensearch", "sets")
    loads: dict[str, Load] = {}
    written = 0
    if "load" in wanted:
        loads["SQLite"] = load(folder / "load")
        written = write_together(folder / "writers")
    if "opensearch" in wanted and address is not None:
        index = OpenSearchMemories(opensearch_client(address), 256, "bench-memories")
        index.clear()
        loads["one OpenSearch node"] = load(folder / "opensearch", lambda _: index)
        index.clear()
    data = os.environ.get(DATA_VARIABLE)
    names = SETS if data and "sets" in wanted else ()
    return Remembered(
        loads, written, {name: asked(folder / name, Path(str(data)) / "memory_sets" / name) for name in names}
    )


def print_remembered(found: Remembered) -> None:
    """A few lines."""
    for where, measured in found.loads.items():
        print_load(where, measured)
    if found.written:
        print(f"memory: {_WRITERS} processes adding {_WRITES} each: {found.written:,} found")
    for name, some in found.asked.items():
        print_asked(name, some)


def asked(folder: Path, data: Path) -> list[Asked]:
    """Add what is remembered, and ask every question."""
    memories, questions = _lines(data / "memories.jsonl"), _lines(data / "questions.jsonl")
    questions = [each for each in questions if each["kind"] != _LEFT_OUT]
    with _application(folder) as app:
        _remember(app, memories)
        # Copies are found for each other: an answer has only one of them.
        sayings = {each["id"]: said(each["content"]) for each in memories}
        scopes = sorted({each["scope"] for each in memories})
        groups = sorted({each["scope"] if len(scopes) > 1 else each["kind"] for each in questions})
        found = []
        for each in questions:
            gold = {sayings[one] for one in each["gold"]}
            ranked = _recall(app, each["scope"], each["question"], 0.0)
            kept = _recall(app, each["scope"], each["question"], 0.7)
            other = scopes[(scopes.index(each["scope"]) + 1) % len(scopes)]
            elsewhere = len(scopes) > 1 and bool(_recall(app, other, each["question"], 0.7))
            group = groups.index(each["scope"] if len(scopes) > 1 else each["kind"])
            first, five, ten = (len(gold.intersection(ranked[:most])) / len(gold) for most in (1, 5, _MOST))
            share = len(gold.intersection(kept)) / len(gold)
            found.append(Asked(first, five, ten, share, elsewhere, chosen_on=group % 2 == 0))
        return found


def load(folder: Path, index_of: Callable[[Application], MemoryIndex] | None = None) -> Load:
    """Fill spaces, then search and add one by one."""
    chance = random.Random(18)
    words = _vocabulary(chance)
    with _application(folder) as app:
        index = _index(app) if index_of is None else index_of(app)
        callers = [Caller(f"user{n}", identity=Identity(f"user{n}", session="s")) for n in range(SPACES)]
        for start in range(0, MEMORIES, _AT_ONCE):
            numbers = range(start, start + _AT_ONCE)
            index_all([_record(_sentence(chance, words), callers[n % SPACES], n) for n in numbers], index, app.embedder)
        searches, adds = [], []
        for number in range(_SEARCHES):
            caller = chance.choice(callers)
            request = MemorySearchInput(query=_sentence(chance, words))
            recall = Recall(index, app.embedder, caller.identity, app.bounds(caller.scope), _START, _AGE)
            searches.append(_timed(partial(search, request, recall)))
            if number < _ADDS:
                context = WriteContext(app.store(), index, app.embedder, _NONE, caller, _at(MEMORIES + number))
                told = MemoryAddInput(content=_sentence(chance, words))
                adds.append(_timed(partial(add, told, context)))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Load(_p95(searches), _p95(adds), peak)


def print_asked(name: str, found: Sequence[Asked]) -> None:
    """One line for all questions, and one for those that nothing was chosen on."""
    for label, some in (("all", found), ("left out", [each for each in found if not each.chosen_on])):
        mean = {part: statistics.fmean(getattr(each, part) for each in some) for part in ("first", "five", "ten")}
        kept = statistics.fmean(each.kept for each in some) / mean["ten"]
        elsewhere = statistics.fmean(each.elsewhere for each in some)
        print(
            f"memory: {name}, {label} {len(some)}: R@1 {mean['first']:.3f}, R@5 {mean['five']:.3f},"
            f" R@10 {mean['ten']:.3f}; from .7 {kept:.1%} of it; another conversation answers {elsewhere:.1%}"
        )


def print_load(where: str, measured: Load) -> None:
    """One line."""
    print(
        f"memory: {where}, {MEMORIES:,} memories in {SPACES:,} spaces: search p95 {measured.search_p95:.1f} ms,"
        f" add p95 {measured.add_p95:.1f} ms, process {measured.memory:.0f} MiB"
    )


def write_together(folder: Path) -> int:
    """Several processes add at once to one space; returns how many memories are found then."""
    folder.mkdir(parents=True)
    with ProcessPoolExecutor(_WRITERS, mp_context=get_context("spawn")) as pool:
        list(pool.map(_write, [folder] * _WRITERS, range(_WRITERS)))
    with _application(folder) as app:
        caller = _project("shared")
        return _index(app).count(MemorySelection(caller.identity.spaces("project")))


def _write(folder: Path, writer: int) -> None:
    with _application(folder) as app:
        for number in range(_WRITES):
            context = WriteContext(app.store(), _index(app), app.embedder, _NONE, _project("shared"), _at(number))
            add(MemoryAddInput(content=f"Writer {writer} says {number}", layer="project"), context)


def _vocabulary(chance: random.Random) -> list[str]:
    """Made-up words, some of them much more frequent than others."""
    syllables = [one + two for one in "bdfgklmnprstvz" for two in "aeiou"]
    words = ["".join(chance.choices(syllables, k=chance.randint(2, 4))) for _ in range(_VOCABULARY)]
    return [word for place, word in enumerate(words) for _ in range(1 + 400 // (place + 10))]


def _sentence(chance: random.Random, words: Sequence[str]) -> str:
    return " ".join(chance.choices(words, k=chance.randint(6, 20))) + "."


def _record(content: str, caller: Caller, number: int) -> MemoryRecord:
    (space,) = caller.identity.spaces("user")
    return MemoryRecord(
        schema_version="1.0",
        memory_id=memory_id(space, content),
        layer="user",
        identifiers=dict(space.identifiers),
        content=content,
        tags=[],
        metadata={},
        created_at=_at(number),
        author=caller.subject,
        session="s",
        used_at=_at(number),
    )


def _at(number: int) -> str:
    return f"{_START + timedelta(seconds=number):%Y-%m-%dT%H:%M:%SZ}"


def _timed(ask: Callable[[], object]) -> float:
    """Milliseconds."""
    before = time.perf_counter()
    ask()
    return (time.perf_counter() - before) * 1_000


def _p95(times: Sequence[float]) -> float:
    return statistics.quantiles(times, n=20)[-1]


def _index(app: Application) -> MemoryIndex:
    parts = app.part(MemoryParts)
    assert parts is not None
    return parts.index()


def _lines(path: Path) -> list[Line]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def _remember(app: Application, memories: Sequence[Line]) -> None:
    seconds: defaultdict[str, int] = defaultdict(int)
    for each in memories:
        seconds[each["session"]] += 1
        moment = datetime.fromisoformat(each["at"]) + timedelta(seconds=seconds[each["session"]])
        caller = _project(each["scope"], each["session"])
        context = WriteContext(app.store(), _index(app), app.embedder, _NONE, caller, f"{moment:%Y-%m-%dT%H:%M:%SZ}")
        add(MemoryAddInput(content=each["content"], layer="project"), context)


def _recall(app: Application, scope: str, question: str, threshold: float) -> list[tuple[str, ...]]:
    caller = _project(scope)
    recall = Recall(_index(app), app.embedder, caller.identity, app.bounds(caller.scope), datetime.now(UTC), _AGE)
    request = MemorySearchInput(query=question, limit=_MOST, threshold=threshold)
    return [said(each.content) for each in search(request, recall).results]


def _project(name: str, session: str | None = None) -> Caller:
    return Caller("bench", identity=replace(Identity("bench", projects=(name,)), session=session))


@contextmanager
def _application(folder: Path) -> Iterator[Application]:
    folder.mkdir(parents=True, exist_ok=True)
    settings = load_settings(project=folder, environment={}, needs_databases=False)
    with closing(local_application(settings)) as app:
        yield app


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
