"""How fast are searches, over SQLite and over OpenSearch?

`python -m bench.search [TABLES...]`, by default 100, 1,000 and 5,000 tables; `opensearch` among the arguments asks the
same of OpenSearch. 300 different questions, one after the other in one process, then 30 of at least 300 characters.

The process that asks is this module too: `python -m bench.search ask PROJECT [ADDRESS]`. It imports only what two
checkouts have in common, so that `bench.compare` can run it with another version.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from bench.generated import documented_project
from bench.harness import Bench, BenchmarkFailed, Row, Table, memory_mb, percentile, run
from bench.indexing import INDEX, build_in_cluster

if TYPE_CHECKING:
    from tribal.ports import Application

SIZES = (100, 1_000, 5_000)
QUESTIONS, LONG_QUESTIONS = 300, 30
_LONG_CHARACTERS = 300
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


def tables(bench: Bench) -> Iterator[Table]:
    """Measure each size."""
    sizes = [int(word) for word in bench.arguments if word != "opensearch"] or SIZES
    for size in sizes:
        project = documented_project(bench, size)
        rows = [_row("SQLite", ask(project))]
        if "opensearch" in bench.arguments:
            build_in_cluster(project, bench.cluster)
            # A node that has just started compiles its code during the first hundreds of questions.
            rows.append(_row("OpenSearch, just started", ask(project, bench.cluster)))
            rows.append(_row("OpenSearch", ask(project, bench.cluster)))
        yield Table(f"search_tables, {size:,} tables", rows)


def _row(name: str, measured: dict[str, Any]) -> Row:
    """The measurements of the process that searched, as a row of a table."""
    milliseconds = [1_000 * seconds for seconds in measured["seconds"]]
    return {
        "index": name,
        "questions": len(milliseconds),
        "first s": measured["first_seconds"],
        "p50 ms": statistics.median(milliseconds),
        "p95 ms": percentile(milliseconds, 0.95),
        "long p50 ms": 1_000 * statistics.median(measured["long_seconds"]),
        "CPU ms": 1_000 * measured["cpu_seconds"],
        "resident MB": measured["resident_mb"],
    }


def ask(
    project: Path, address: str | None = None, python: str | Path = sys.executable, checkout: Path | None = None
) -> dict[str, Any]:
    """Ask all questions in a process of its own, by this checkout or another one with its Python.

    Raises:
        BenchmarkFailed: A question was not answered.
    """
    program = f"import sys; sys.path.insert(0, {str(Path.cwd())!r}); from bench.search import main; main()"
    words = [str(python), "-c", program, "ask", str(project.resolve()), *([address] if address else [])]
    done = subprocess.run(words, cwd=checkout, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BenchmarkFailed(f"searching {project} ended with {done.returncode}:\n{done.stderr}")
    measured: dict[str, Any] = json.loads(done.stdout)
    return measured


def questions(count: int) -> list[str]:
    """Distinct questions in plain words; deterministic."""
    random, found = Random(_SEED), dict[str, None]()
    while len(found) < count:
        words = {name: random.choice(_MEASURES) for name in ("measure", "second")}
        question = random.choice(_FORMS).format(subject=random.choice(THINGS), other=random.choice(OTHERS), **words)
        found[question] = None
    return list(islice(found, count))


def long_questions(count: int) -> list[str]:
    """Questions of several sentences and at least 300 characters."""
    sentences, found = iter(questions(20 * count)), list[str]()
    while len(found) < count:
        question = next(sentences)
        while len(question) < _LONG_CHARACTERS:
            question += f"; {next(sentences)}"
        found.append(question)
    return found


def application(project: Path, address: str | None = None) -> Application:
    """The local application of a project, which reads its SQLite index or the one in the cluster at an address."""
    from tribal.app.local import local_application
    from tribal.settings import load_settings

    app = local_application(load_settings(project=project, environment={}, needs_databases=False))
    if address is None:
        return app
    from tribal.adapters.opensearch.client import opensearch_client
    from tribal.adapters.opensearch.index import OpenSearchIndex
    from tribal.ports import Provider

    return replace(app, index=Provider(lambda: OpenSearchIndex(opensearch_client(address), INDEX)))


def _ask_all(app: Application) -> dict[str, Any]:
    from tribal.ports import Caller
    from tribal.tools.call import call_tool

    def timed(question: str) -> tuple[float, float]:
        start, cpu = time.perf_counter(), time.process_time()
        answer: Any = call_tool("search_tables", {"query": question}, Caller("bench"), app)
        took = time.perf_counter() - start, time.process_time() - cpu
        if not answer.success or not answer.tables:
            raise SystemExit(f"{question!r} was not answered: {answer.error}")
        return took

    first, *others = map(timed, questions(QUESTIONS + 1))
    long = [timed(question) for question in long_questions(LONG_QUESTIONS)]
    return {
        "first_seconds": first[0],
        "seconds": [seconds for seconds, _ in others],
        "cpu_seconds": statistics.median(cpu for _, cpu in others),
        "long_seconds": [seconds for seconds, _ in long],
        "long_cpu_seconds": statistics.median(cpu for _, cpu in long),
        "resident_mb": memory_mb(os.getpid()),
    }


def main() -> int:
    """Measure, or be the process that asks; returns the exit code."""
    if sys.argv[1:2] != ["ask"]:
        return run("search", tables)
    project, *address = sys.argv[2:]
    print(json.dumps(_ask_all(application(Path(project), *address))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
