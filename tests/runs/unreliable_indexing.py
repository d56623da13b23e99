"""An experiment: workers that are delayed, stalled and lost take messages from a queue, in any order and repeatedly.

Everything changes twice: first every table, then, at some moment while that is being indexed, some of them again.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from random import Random
from typing import Any

from opensearchpy import OpenSearch

from tests.fakes import MemoryStore, RecordingSink
from tests.indexing.index_dump import cluster_dump
from tests.sample_shop.indexed import table_document, write_documentation
from tests.sample_shop.indexing_runs import LetterEmbedder
from tribal.adapters.opensearch.writer import OpenSearchIndexWriter
from tribal.errors import TribalError
from tribal.indexing import IndexingContext, IndexingRequest, IndexTask, TaskResult, index_documents
from tribal.jobs.clock import SystemClock
from tribal.ports import StopToken
from tribal.runs.indexing import run_task_exclusively
from tribal_contracts import TableDocument

MANIFEST = IndexTask(kind="manifest")
_STALL_TERMS = 1.6
"""How long a worker stalls, in terms of the lease."""
_LONGEST_ABSENCE_TERMS = 2.5
"""How long the message of a lost worker stays away."""
_LONGEST_DELAY_TERMS = 0.02
_POLL_SECONDS = 0.02
_LEAST_TERM_OF_WORK = 0.5
"""Length of the lease, in times that indexing everything undisturbed takes."""


class Fate:
    """Delays before the requests of one worker, and perhaps a long stall or its end."""

    def __init__(self, random: Random, requests: int, term_seconds: float) -> None:
        self._random = random
        self._term_seconds = term_seconds
        self._ends_at = random.randrange(requests)
        self.kind = random.choice(["spared", "lost", "stalled"])
        self._requests = 0
        self._stalled_until: float | None = None
        self._lock = threading.Lock()

    def before_request(self) -> None:
        """Wait; end the thread when the worker is lost, none of whose requests takes effect from then on."""
        with self._lock:
            self._requests += 1
            struck = self._requests > self._ends_at
            delay = self._random.uniform(0, _LONGEST_DELAY_TERMS) * self._term_seconds
            if struck and self.kind == "stalled":
                stall_seconds = _STALL_TERMS * self._term_seconds
                self._stalled_until = self._stalled_until or time.monotonic() + stall_seconds
                delay = max(delay, self._stalled_until - time.monotonic())
        if struck and self.kind == "lost":
            raise SystemExit(self.kind)
        time.sleep(delay)


class Through:
    """A client or a store whose every request meets the fate of its worker."""

    def __init__(self, target: Any, fate: Fate) -> None:
        self._target = target
        self._fate = fate

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._target, name)
        if name == "indices":
            return Through(found, self._fate)
        if not callable(found):
            return found

        def request(*arguments: Any, **options: Any) -> Any:
            self._fate.before_request()
            return found(*arguments, **options)

        return request


@dataclass
class Queue:
    """Delivers every message at least once, in any order."""

    random: Random
    _waiting: list[tuple[float, IndexTask]] = field(default_factory=list)
    _in_progress: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def send(self, task: IndexTask, delay_seconds: float = 0, times: int = 1) -> None:
        """Queue a message, delivered so many times."""
        with self._lock:
            self._waiting += [(time.monotonic() + delay_seconds, task)] * times

    def receive(self) -> IndexTask | None:
        """Any of the messages that are due."""
        with self._lock:
            due = [message for message in self._waiting if message[0] <= time.monotonic()]
            if not due:
                return None
            message = self.random.choice(due)
            self._waiting.remove(message)
            self._in_progress += 1
            return message[1]

    def expect(self) -> None:
        """A message will be sent later."""
        with self._lock:
            self._in_progress += 1

    def done(self) -> None:
        """A message that was received is dealt with, or was sent again."""
        with self._lock:
            self._in_progress -= 1

    @property
    def is_empty(self) -> bool:
        """Whether nothing is left to come."""
        with self._lock:
            return not self._waiting and not self._in_progress


@dataclass
class Experiment:
    """One run over some changed tables."""

    client: OpenSearch
    name: str
    tables: int
    units: int = 16
    workers: int = 4
    term_seconds: float = 0.6
    endings: Counter[str] = field(default_factory=Counter)
    """How calls ended, and how often."""

    def agrees(self, seed: int) -> bool:
        """Whether the index ends as one that is built from the last manifest at once."""
        self.endings.clear()
        random, store = Random(seed), MemoryStore()
        write_documentation(store, self._documents("one"))
        began = time.monotonic()
        self._index(store, self.name)
        # Where a machine is so busy that no one ends within his term, no one ever ends.
        self.term_seconds = max(self.term_seconds, _LEAST_TERM_OF_WORK * (time.monotonic() - began))
        write_documentation(store, self._documents("two"))
        queue = Queue(Random(seed + 1))
        queue.send(MANIFEST, times=random.randint(1, 4))
        if random.random() < 0.3:
            queue.send(IndexTask(kind="rebuild"), random.uniform(0, 3) * self.term_seconds)
        changed_after = random.uniform(0, 5) * self.term_seconds

        def change_again() -> None:
            time.sleep(changed_after)
            write_documentation(store, self._documents("two", "three"))
            queue.send(MANIFEST, times=random.randint(1, 4))
            queue.done()

        queue.expect()
        with ThreadPoolExecutor(self.workers + 1) as pool:
            threads = [pool.submit(self._work, store, queue, Random(random.random())) for _ in range(self.workers)]
            for thread in [*threads, pool.submit(change_again)]:
                thread.result()
        self._index(store, f"{self.name}-expected", force=True)
        return cluster_dump(self.client, self.name) == cluster_dump(self.client, f"{self.name}-expected")

    def _documents(self, word: str, later: str = "") -> list[TableDocument]:
        """Tables that say a word; a fifth of them says a later one, and a unit is gone then."""
        made = [
            table_document(
                f"shop.s.t{number:04}",
                f"id {later if later and number % 5 == 0 else word} name",
                domain=f"d{number % self.units}",
                comment=f"A {word}.",
            )
            for number in range(self.tables)
        ]
        return [table for table in made if not later or table.domain != "d1"]

    def _index(self, store: MemoryStore, name: str, *, force: bool = False) -> None:
        context = self._context(store, OpenSearchIndexWriter(self.client, name), StopToken())
        assert index_documents(context, IndexingRequest(force=force)).status == "completed"

    def _context(self, store: Any, index: OpenSearchIndexWriter, stop: StopToken) -> IndexingContext:
        return IndexingContext(store, index, LetterEmbedder(), SystemClock(None), RecordingSink(), stop)

    def _work(self, store: MemoryStore, queue: Queue, random: Random) -> None:
        while not queue.is_empty:
            task = queue.receive()
            if task is None:
                time.sleep(_POLL_SECONDS)
                continue
            fate = Fate(random, 2 * self.tables, self.term_seconds)
            try:
                result = self._run_task(task, store, fate, random)
            except (SystemExit, TribalError) as error:
                self.endings["lost" if isinstance(error, SystemExit) else "refused"] += 1
                queue.send(task, random.uniform(0, _LONGEST_ABSENCE_TERMS) * self.term_seconds)
            else:
                self.endings[_ending(result)] += 1
                if result.follow_up is not None:
                    # A whole second is the shortest delay there is; here it replaces the rest of the term.
                    queue.send(result.follow_up.task, result.follow_up.delay_seconds * self.term_seconds)
            finally:
                queue.done()

    def _run_task(self, task: IndexTask, store: MemoryStore, fate: Fate, random: Random) -> TaskResult:
        client: Any = Through(self.client, fate)
        index = OpenSearchIndexWriter(client, self.name)
        context = self._context(Through(store, fate), index, StopToken(_time_for(random.randrange(1, 8))))
        return run_task_exclusively(task, context, f"{random.random()}", term_seconds=self.term_seconds)


def _ending(result: TaskResult) -> str:
    if result.follow_up is None:
        return "indexed"
    return "came later" if result.follow_up.delay_seconds else "carried on"


def _time_for(batches: int) -> Callable[[], float]:
    """A call that is out of time after so many batches of files."""
    left = iter(range(batches))
    return lambda: 3600.0 if next(left, None) is not None else 0.0
