"""Do questions find what was remembered, and how fast among 100,000 memories?

`python -m bench.memory [load] [opensearch] [sets]`, by default `load` and, with `TRIBAL_BENCH_DATA`, `sets`. Each
memory of a set is added by its use case in its session, a second after the one before it; a conversation is a project.
Weights were chosen on every second conversation and database; "held out" rates the others.
"""

from __future__ import annotations

import os
import random
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from bench.harness import DATA_VARIABLE, Bench, Row, Table, memory_mb, percentile, run
from bench.question_sets import read_lines
from tribal.adapters.opensearch.client import opensearch_client
from tribal.adapters.opensearch.memories import OpenSearchMemories
from tribal.app.local import local_application
from tribal.capabilities.memory.change import WriteContext, add
from tribal.capabilities.memory.parts import MemoryParts
from tribal.capabilities.memory.records import memory_id
from tribal.capabilities.memory.repository import index_all
from tribal.capabilities.memory.search import Recall, normalized_words, search
from tribal.ports import Application, Caller, MemoryIndex
from tribal.ports.remembering.identity import Identity
from tribal.settings import load_settings
from tribal_contracts import MemorySettings
from tribal_contracts.memory import MemoryAddInput, MemoryRecord, MemorySearchInput

SETS = ("locomo", "bird_hints")
MEMORIES, SPACES = 100_000, 1_000
_UNANSWERABLE = "adversarial"
"""The kind of questions of LoCoMo that have no answer."""
_SETTINGS = MemorySettings(writes_per_minute=0)
_AGE = timedelta(days=_SETTINGS.session_days)
_MOST, _THRESHOLD = 10, 0.7
_SEARCHES, _ADDS = 500, 300
_START = datetime(2026, 1, 1, tzinfo=UTC)
_BATCH, _VOCABULARY, _SEED = 1_000, 4_000, 18
Line = Mapping[str, Any]


def tables(bench: Bench) -> Iterator[Table]:
    """Measure the parts that are asked for."""
    parts = bench.arguments or ("load", "sets" if os.environ.get(DATA_VARIABLE) else "")
    title = f"{MEMORIES:,} memories in {SPACES:,} spaces"
    if "load" in parts:
        yield Table(f"{title}, SQLite", [_load(bench.folder / "load", _index)])
    if "opensearch" in parts:
        client = opensearch_client(bench.cluster)
        index = OpenSearchMemories(client, 256, "bench-memories")
        client.indices.delete(index="bench-memories-*")
        yield Table(f"{title}, OpenSearch", [_load(bench.folder / "opensearch", lambda _: index)])
        client.indices.delete(index="bench-memories-*")
    if "sets" in parts:
        rows = [row for name in SETS for row in _set_rows(name, bench.folder / name, bench.data / "memory_sets" / name)]
        yield Table("questions that find what was remembered", rows)


def _load(folder: Path, index_of: Callable[[Application], MemoryIndex]) -> Row:
    """Fill spaces, then search and add one by one."""
    chance = random.Random(_SEED)
    words = _vocabulary(chance)
    with _application(folder) as app:
        index = index_of(app)
        callers = [Caller(f"user{n}", identity=Identity(f"user{n}", session="s")) for n in range(SPACES)]
        for start in range(0, MEMORIES, _BATCH):
            numbers = range(start, start + _BATCH)
            index_all([_record(_sentence(chance, words), callers[n % SPACES], n) for n in numbers], index, app.embedder)
        searches, adds = [], []
        for number in range(_SEARCHES):
            caller = chance.choice(callers)
            request = MemorySearchInput(query=_sentence(chance, words))
            recall = Recall(index, app.embedder, caller.identity, app.bounds(caller.scope), _START, _AGE)
            searches.append(_milliseconds(partial(search, request, recall)))
            if number < _ADDS:
                keeping = WriteContext(app.store(), index, app.embedder, _SETTINGS, caller, _at(MEMORIES + number))
                memory = MemoryAddInput(content=_sentence(chance, words))
                adds.append(_milliseconds(partial(add, memory, keeping)))
    return {
        "search p95 ms": percentile(searches, 0.95),
        "add p95 ms": percentile(adds, 0.95),
        "resident MB": memory_mb(os.getpid()),
    }


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


def _milliseconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return (time.perf_counter() - start) * 1_000


def _set_rows(name: str, folder: Path, data: Path) -> Iterator[Row]:
    """Add what is to be remembered, and ask every question."""
    memories = read_lines(data / "memories.jsonl")
    questions = [each for each in read_lines(data / "questions.jsonl") if each["kind"] != _UNANSWERABLE]
    scopes = sorted({each["scope"] for each in memories})
    group_by = "scope" if len(scopes) > 1 else "kind"
    groups = sorted({each[group_by] for each in questions})
    # Copies are found for each other: an answer has only one of them.
    texts = {each["id"]: normalized_words(each["content"]) for each in memories}
    with _application(folder) as app:
        _remember(app, memories)
        rates: list[Mapping[str, float]] = []
        for each in questions:
            gold = {texts[one] for one in each["gold"]}
            found, likely = (_search(app, each["scope"], each["question"], least) for least in (0.0, _THRESHOLD))
            other = scopes[(scopes.index(each["scope"]) + 1) % len(scopes)]
            elsewhere = len(scopes) > 1 and bool(_search(app, other, each["question"], _THRESHOLD))
            recall = {f"R@{most}": len(gold.intersection(found[:most])) / len(gold) for most in (1, 5, _MOST)}
            kept = {f"R@{_MOST} above {_THRESHOLD}": len(gold.intersection(likely)) / len(gold)}
            rates.append(recall | kept | {"another answers": float(elsewhere)})
    held_out = [groups.index(each[group_by]) % 2 == 1 for each in questions]
    for label, some in {
        "all": rates,
        "held out": [one for one, out in zip(rates, held_out, strict=True) if out],
    }.items():
        means = {part: statistics.fmean(one[part] for one in some) for part in some[0]}
        yield {"set": f"{name}, {label}", "questions": len(some), **means}


def _remember(app: Application, memories: Sequence[Line]) -> None:
    seconds: defaultdict[str, int] = defaultdict(int)
    for each in memories:
        seconds[each["session"]] += 1
        moment = datetime.fromisoformat(each["at"]) + timedelta(seconds=seconds[each["session"]])
        caller = _project(each["scope"], each["session"])
        keeping = WriteContext(
            app.store(), _index(app), app.embedder, _SETTINGS, caller, f"{moment:%Y-%m-%dT%H:%M:%SZ}"
        )
        add(MemoryAddInput(content=each["content"], layer="project"), keeping)


def _search(app: Application, scope: str, question: str, threshold: float) -> list[tuple[str, ...]]:
    caller = _project(scope)
    recall = Recall(_index(app), app.embedder, caller.identity, app.bounds(caller.scope), datetime.now(UTC), _AGE)
    request = MemorySearchInput(query=question, limit=_MOST, threshold=threshold)
    return [normalized_words(each.content) for each in search(request, recall).results]


def _project(name: str, session: str | None = None) -> Caller:
    return Caller("bench", identity=replace(Identity("bench", projects=(name,)), session=session))


def _index(app: Application) -> MemoryIndex:
    parts = app.part(MemoryParts)
    assert parts is not None
    return parts.index()


@contextmanager
def _application(folder: Path) -> Iterator[Application]:
    folder.mkdir(parents=True, exist_ok=True)
    settings = load_settings(project=folder, environment={}, needs_databases=False)
    with closing(local_application(settings)) as app:
        yield app


if __name__ == "__main__":
    sys.exit(run("memory", tables))
