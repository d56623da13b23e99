"""Hostile files in checks: each check ends in time and in little memory, and the server answers others meanwhile."""

from __future__ import annotations

import statistics
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import httpx2
import psutil

from tests.attack.hostile_files import HostileFile, hostile_files
from tests.attack.invoked import invoke
from tests.attack.outcome import Attack, Outcome
from tests.capabilities.knowledge.syncing.house import write
from tests.edges.http.served import Served

FILES = 100
LEAST_FILES = 7
MOST_SECONDS = 3.0
"""On processors that nothing else uses."""
MOST_BYTES = 300 << 20
MOST_HEALTH_SECONDS = 0.2
_PAUSE_SECONDS = 0.01
_CHECK = "/v1/tools/knowledge_check"
_BLOCKED = 1
_ATTEMPTS = 3
_SPIN_SECONDS = 0.2
_BATCHES = 7
_FILES_IN_A_CALL = 100
_SMALL = 10_000
"""Bytes of each of so many files."""

SETTINGS = "identity: {org: acme, project: shop}\nknowledge: {repository: decisions}\ndatabases: []\n"
POLICY = """---
id: all
title: Everything is read
severity: block
constraints:
  - {operator: must_not_use, target: import, pattern: 'evil(/.*)?'}
  - {operator: must_not_use, target: dependency, pattern: 'evil'}
  - {operator: must_match, target: dependency, pattern: '[q].*'}
  - {operator: must_match, target: import, pattern: '[q].*'}
  - {operator: must_match, target: column, pattern: '[q].*'}
  - {operator: must_not_use, target: table, pattern: 'evil'}
  - {operator: must_not_use, target: column, pattern: '(.*\\.)?evil'}
  - {operator: must_not_use, target: code, pattern: 'eval\\s*\\('}
  - {operator: must_not_match, target: config, pattern: 'evil\\s*[:=]\\s*[^\\s$]'}
  - {operator: must_not_exist, target: file, pattern: '**/a/**/a/**/a/**/*b*c*d'}
---
So.
"""


def attack(attack: Attack) -> Iterator[Outcome]:
    """The same files over HTTP and to `tribal comply`."""
    project = attack.scratch / "project"
    write(project, {"databases.yaml": SETTINGS, "decisions/projects/shop/policies/all.md": POLICY})
    assert invoke(["sync"], cwd=project).exit_code == 0
    files = hostile_files(attack.random("files to check"), attack.times(FILES, least=LEAST_FILES))
    yield from _over_http(project, files)
    yield _by_comply(project, files)


def _over_http(project: Path, files: list[HostileFile]) -> Iterator[Outcome]:
    batches = [files[start::_BATCHES] for start in range(min(_BATCHES, len(files)))]
    with Served(project) as server, _Watched(server.process.pid, server.address) as watched:
        failed = [_best(partial(_checked, server.client, [file], watched)) for file in files]
        in_batches = [_best(partial(_checked, server.client, _small(batch), watched)) for batch in batches]
    times = watched.health_seconds
    slow = statistics.quantiles(times, n=20)[-1]
    yield _outcome("files that freeze or exhaust knowledge_check", len(files), failed)
    yield _outcome("many such files in one call", len(batches), in_batches)
    is_slow = slow > MOST_HEALTH_SECONDS and slow > MOST_HEALTH_SECONDS * _crowding()
    broken = [f"95 % within {slow * 1000:.0f} ms"] if is_slow else []
    yield _outcome("/health that waits for such checks", len(times), broken)


def _small(files: list[HostileFile]) -> list[HostileFile]:
    """A hundred files out of these, which together are as large as a call may be."""
    several = [files[number % len(files)] for number in range(_FILES_IN_A_CALL)]
    return [
        replace(each, path=f"{number}/{each.path[-40:]}", text=each.text.encode()[:_SMALL].decode("utf-8", "ignore"))
        for number, each in enumerate(several)
    ]


def _checked(client: httpx2.Client, files: list[HostileFile], watched: _Watched) -> str:
    watched.most_bytes = 0
    began = time.monotonic()
    answer = client.post(_CHECK, json={"files": [{"path": each.path, "content": each.text} for each in files]})
    took = time.monotonic() - began
    wrong = "" if answer.status_code == 200 else f"status {answer.status_code}: {answer.text[:200]}"
    return _problem(files[0], took, watched.most_bytes, wrong)


def _by_comply(project: Path, files: list[HostileFile]) -> Outcome:
    with _Watched(psutil.Process().pid) as watched:
        failed = [
            _best(partial(_complied, project, f"code-{number}", file, watched)) for number, file in enumerate(files)
        ]
    return _outcome("files that freeze or exhaust tribal comply", len(files), failed)


def _complied(project: Path, folder: str, file: HostileFile, watched: _Watched) -> str:
    write(project / folder, {file.path.rpartition("/")[2]: file.text})
    watched.most_bytes = 0
    began = time.monotonic()
    ended = invoke(["comply", folder], cwd=project)
    took = time.monotonic() - began
    wrong = "" if ended.exit_code in (0, _BLOCKED) else ended.traceback or ended.output[:200]
    return _problem(file, took, watched.most_bytes, wrong)


def _best(attempt: Callable[[], str]) -> str:
    """The problem that a file is at every attempt: other work on this machine may slow down any single one."""
    problem = ""
    for _ in range(_ATTEMPTS):
        problem = attempt()
        if not problem:
            break
    return problem


def _crowding() -> float:
    """How many times longer than alone work takes on this machine now, since others use its processors too."""
    began, cpu = time.monotonic(), time.thread_time()
    while time.thread_time() - cpu < _SPIN_SECONDS:
        pass
    return max(1.0, (time.monotonic() - began) / _SPIN_SECONDS)


def _problem(file: HostileFile, took: float, most_bytes: int, wrong: str) -> str:
    if took > MOST_SECONDS and took > MOST_SECONDS * _crowding():
        wrong = f"took {took:.1f} s"
    elif most_bytes > MOST_BYTES:
        wrong = f"took {most_bytes >> 20} MB"
    return f"{file.kind}, {file.path[-30:]}, {len(file.text):,} of {file.text[:60]!r}: {wrong}" if wrong else ""


def _outcome(name: str, tried: int, problems: list[str]) -> Outcome:
    failed = [each for each in problems if each]
    return Outcome(name, tried, len(failed), example=failed[0] if failed else "")


class _Watched:
    """Watches the memory of the processes that read for a process, and how long its `/health` takes, if it serves."""

    def __init__(self, process: int, address: str | None = None) -> None:
        self._process = psutil.Process(process)
        self._address = address
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self.most_bytes = 0
        self.health_seconds: list[float] = []

    def __enter__(self) -> _Watched:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.join()

    def _watch(self) -> None:
        with httpx2.Client(timeout=30) as client:
            while not self._stopped.wait(_PAUSE_SECONDS):
                self.most_bytes = max([self.most_bytes, *map(_memory, self._process.children())])
                if self._address is not None:
                    began = time.monotonic()
                    client.get(f"{self._address}/health").raise_for_status()
                    self.health_seconds.append(time.monotonic() - began)


def _memory(process: psutil.Process) -> int:
    try:
        # Another child shows the memory of this process until it has become a program of its own.
        is_reader = any("reading_worker" in part for part in process.cmdline())
        return int(process.memory_info().rss) if is_reader else 0
    except psutil.Error:
        return 0
