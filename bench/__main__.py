"""`make bench`: start-up times, and the whole way on the sample company. One table, one JSON file."""

from __future__ import annotations

import json
import platform
import shutil
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from bench.measure import CommandFailedError, Measurement, measure
from demo import COMPANY_SQL
from demo.postgres import EmbeddedServer, EmbeddedServerError

RESULTS = Path(".bench") / "results.json"
TRIBAL = Path(sys.executable).parent / "tribal"


def main() -> int:
    """Measure, print the table, write the file; returns the exit code."""
    try:
        with tempfile.TemporaryDirectory(prefix="tribal-bench-") as scratch:
            measurements = [*start_up(Path(scratch)), *sample_company(Path(scratch))]
    except (CommandFailedError, EmbeddedServerError) as error:
        print(f"make bench: FAILED: {error}", file=sys.stderr)
        return 1
    _print(measurements)
    RESULTS.parent.mkdir(exist_ok=True)
    machine = {"python": platform.python_version(), "system": platform.platform()}
    RESULTS.write_text(json.dumps({"machine": machine, "results": [asdict(m) for m in measurements]}, indent=2) + "\n")
    print(f"make bench: {len(measurements)} measurements, written to {RESULTS}")
    return 0


def start_up(folder: Path) -> list[Measurement]:
    """What every command costs before it does anything."""
    python = sys.executable
    return [
        measure("python -c pass", [python, "-c", "pass"], runs=9, folder=folder),
        measure("import tribal", [python, "-c", "import tribal"], runs=9, folder=folder),
        measure("import tribal_contracts", [python, "-c", "import tribal_contracts"], runs=5, folder=folder),
        measure("tribal --help", [TRIBAL, "--help"], runs=9, folder=folder),
    ]


def sample_company(folder: Path) -> list[Measurement]:
    """Each stage on the sample company, then what users do most: ask, and run again."""
    with EmbeddedServer.start(folder / "postgres") as server:
        server.ensure_database("company", COMPANY_SQL)
        dsn, project = server.dsn("company"), folder / "project"
        project.mkdir()

        def timed(name: str, *arguments: str, runs: int = 1) -> Measurement:
            return measure(f"tribal {name}", [TRIBAL, *arguments, "--project", project], runs=runs, folder=folder)

        results = [
            timed("plan", "plan", dsn),
            timed("document", "document", dsn),
            timed("index", "index", dsn),
            timed("run, nothing changed", "run", dsn, runs=3),
            timed("search", "search", "unpaid invoices", runs=5),
            timed("table", "table", "billing.invoice", runs=5),
            timed("join", "join", "crm.customer", "billing.payment", "--max-hops", "5", runs=5),
        ]
        shutil.rmtree(project)
        project.mkdir()
        results.append(timed("run, from nothing", "run", dsn))
    return results


def _print(measurements: list[Measurement]) -> None:
    print(f"{'':<28}{'runs':>5}{'median s':>10}{'fastest':>9}{'slowest':>9}{'peak MB':>9}")
    for m in measurements:
        print(
            f"{m.name:<28}{m.runs:>5}{m.median_seconds:>10.3f}{m.fastest_seconds:>9.3f}{m.slowest_seconds:>9.3f}"
            f"{m.peak_memory_mb:>9.0f}"
        )


if __name__ == "__main__":
    sys.exit(main())
