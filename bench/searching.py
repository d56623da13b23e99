"""Measures questions over a generated database: the first in a process, later ones, and from the shell.

The module is also the measured program: `python -m bench.searching PLACE` queries the SQLite index at a path, or the
OpenSearch index at an address, and prints its figures as JSON.
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import time
from dataclasses import replace
from itertools import islice
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from bench.measure import CommandFailedError, Measurement, measure

if TYPE_CHECKING:
    from tribal.ports import Application, IndexReader

QUESTIONS = 300
LONG_QUESTIONS = 30
_LONG_CHARS = 300
INDEX = "tribal-bench"
"""Name of the benchmark's index in a cluster."""
_SEED = 20_251_121
_FORMS = (
    "which {subject} has the highest {measure} by {other}",
    "{subject} {other} {measure}",
    "how many {subject}s were there for each {other} last month",
    "list the {measure} and the {second} of every {subject} {other}",
    "{measure} of {subject}s whose {second} is not paid",
)
THINGS = """
customer order quote basket invoice payment refund subscription shipment carrier parcel machine batch recipe supplier
contract employee team shift vacancy ticket agent incident campaign audience product brand category stock picking user
role session account budget loan journal
""".split()
OTHERS = "line item note status history event document address contact target schedule review assignment claim".split()
_MEASURES = (
    *("status", "amount", "currency", "email address", "quantity", "weight", "due date", "priority", "discount"),
    *("country", "phone number", "creation date", "temperature", "first name", "remarks"),
)
_KILOBYTES = 1024 if sys.platform == "darwin" else 1


def questions(count: int) -> list[str]:
    """Distinct questions in plain words; deterministic."""
    random, found = Random(_SEED), dict[str, None]()
    while len(found) < count:
        words = {name: random.choice(_MEASURES) for name in ("measure", "second")}
        question = random.choice(_FORMS).format(subject=random.choice(THINGS), other=random.choice(OTHERS), **words)
        found[question] = None
    return list(islice(found, count))


def long_questions(count: int) -> list[str]:
    """The same, each of several sentences and at least 300 characters."""
    sentences, found = iter(questions(20 * count)), list[str]()
    while len(found) < count:
        question = next(sentences)
        while len(question) < _LONG_CHARS:
            question += f"; {next(sentences)}"
        found.append(question)
    return found


def searching(project: Path, tables: int, tribal: Path, folder: Path) -> list[Measurement]:
    """Measure questions to the index of a project.

    Raises:
        CommandFailedError: A question was not answered.
    """
    index = project / "data" / "tribal-knowledge.db"
    return [
        *asked(str(index.resolve()), f"search_tables, {tables:,} tables"),
        measure(
            f"tribal search, {tables:,} tables",
            [tribal, "search", "unpaid invoices by customer", "--project", project],
            runs=5,
            folder=folder,
        ),
    ]


def asked(place: str, name: str) -> list[Measurement]:
    """Measure questions to the index at a place, given as to `opened`.

    Raises:
        CommandFailedError: A question was not answered.
    """
    # A separate process, so that its memory is that of searching alone.
    done = subprocess.run([sys.executable, "-m", "bench.searching", place], capture_output=True, text=True, check=False)
    if done.returncode:
        raise CommandFailedError(f"{name} ended with {done.returncode}:\n{done.stderr}")
    figures: dict[str, Any] = json.loads(done.stdout)
    seconds: list[float] = sorted(figures["seconds"])
    cold, memory, processor = figures["cold_seconds"], figures["peak_memory_mb"], figures["median_processor_seconds"]
    slow = seconds[int(len(seconds) * 0.95)]
    return [
        Measurement(f"{name}, the first", 1, cold, cold, cold, memory, cold),
        Measurement(name, len(seconds), statistics.median(seconds), seconds[0], seconds[-1], memory, processor, slow),
    ]


def opened(place: str) -> IndexReader:
    """Open the SQLite index at a path, or the benchmark's index in the cluster at an address."""
    if place.startswith("http"):
        from tribal.adapters.opensearch.client import opensearch_client
        from tribal.adapters.opensearch.index import OpenSearchIndex

        return OpenSearchIndex(opensearch_client(place), INDEX)
    from tribal.adapters.sqlite.index import SqliteIndex

    return SqliteIndex(Path(place))


def application_at(place: str) -> Application:
    """The local application over the index at a place."""
    from tribal.app.local import local_application
    from tribal.ports import Provider
    from tribal.settings import load_settings

    app = local_application(load_settings(project=Path(), environment={}))
    return replace(app, index=Provider(lambda: opened(place)))


def main(place: str) -> None:
    """Query the index at a place and print the measured times."""
    from tribal.ports import Caller
    from tribal.tools.call import call_tool

    app, caller = application_at(place), Caller("bench")

    def ask(question: str) -> tuple[float, float]:
        began, processor = time.perf_counter(), time.process_time()
        answer: Any = call_tool("search_tables", {"query": question}, caller, app)
        took = time.perf_counter() - began, time.process_time() - processor
        if not answer.success or not answer.tables:
            raise SystemExit(f"{question!r} was not answered: {answer.error}")
        return took

    first, *others = questions(QUESTIONS + 1)
    cold_seconds, _ = ask(first)
    took = [ask(question) for question in others]
    long = [ask(question) for question in long_questions(LONG_QUESTIONS)]
    figures = {
        "cold_seconds": cold_seconds,
        "long_seconds": [seconds for seconds, _ in long],
        "long_median_processor_seconds": statistics.median(processor for _, processor in long),
        "seconds": [seconds for seconds, _ in took],
        "median_processor_seconds": statistics.median(processor for _, processor in took),
        "peak_memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 / _KILOBYTES,
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main(sys.argv[1])
