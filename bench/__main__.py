"""`make bench`: start-up, the sample company, generated databases, descriptions. One table, one JSON file.

`TRIBAL_BENCH_QUICK=1` skips 5,000 tables; `TRIBAL_BENCH_DATA` names a folder of real schemas, for rating derived
descriptions, the grounding of prose, domains and inferred keys, and of questions, for rating retrieval.
"""

from __future__ import annotations

import compileall
import json
import os
import platform
import shutil
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from bench import (
    copies,
    descriptions,
    domains,
    exact_names,
    explaining,
    grounding,
    joins,
    keys,
    memory,
    prose,
    real_joins,
    real_questions,
    retrieval,
    snowflake,
)
from bench.first_request import first_requests
from bench.generated import generated_database
from bench.masking import masking_rates
from bench.measure import CommandFailedError, Measurement, measure, print_measurements
from bench.opensearch import OverOpenSearch, cluster, print_rebuild
from bench.results import recorded
from demo import COMPANY_SQL
from servers.opensearch import NodeError
from servers.postgres import EmbeddedServer, EmbeddedServerError

RESULTS = Path(".bench") / "results.json"
TRIBAL = Path(sys.executable).parent / "tribal"
SIZES = (100, 1_000)
LARGE_SIZES = (5_000,)


def main() -> int:
    """Measure, print the table, write the file; returns the exit code."""
    try:
        with tempfile.TemporaryDirectory(prefix="tribal-bench-") as scratch:
            folder = Path(scratch)
            _compile()
            measurements = [*start_up(folder), *sample_company(folder)]
            with EmbeddedServer.start(folder / "generated") as server, cluster() as address:
                opensearch = OverOpenSearch(address, folder)
                sizes = SIZES if os.environ.get("TRIBAL_BENCH_QUICK") else (*SIZES, *LARGE_SIZES)
                for tables in sizes:
                    measurements += generated_database(server, tables, TRIBAL, folder, opensearch)
                measurements += first_requests(server, TRIBAL, folder)
                waited = prose.here(server, TRIBAL, folder)
                planned = snowflake.plan_large(TRIBAL, folder)
                said = descriptions.report(server, folder) if os.environ.get(descriptions.DATA_VARIABLE) else []
                agreements = domains.report(server, folder, TRIBAL) if os.environ.get(domains.DATA_VARIABLE) else []
                grounded = (
                    grounding.report(server, folder, TRIBAL) if os.environ.get(descriptions.DATA_VARIABLE) else None
                )
                key_rates = keys.report(server, folder) if os.environ.get(descriptions.DATA_VARIABLE) else None
                data = os.environ.get(retrieval.DATA_VARIABLE)
                scores = retrieval.report(TRIBAL, address) if data else []
                explained = explaining.explain_joins(Path(data), TRIBAL) if data else []
                real = real_joins.real_joins(Path(data), TRIBAL) if data else {}
                names = exact_names.report(Path(data), TRIBAL) if data else []
                asked = real_questions.report(Path(data), TRIBAL) if data else None
                repeated = copies.report(TRIBAL)
                remembered = memory.report(folder / "memory", address)
    except (CommandFailedError, EmbeddedServerError, NodeError) as error:
        print(f"make bench: FAILED: {error}", file=sys.stderr)
        return 1
    print_measurements(measurements)
    prose.print_asked(waited)
    snowflake.print_planned(planned)
    for rebuild in opensearch.rebuilds:
        print_rebuild(rebuild)
    rates = masking_rates()
    for rate in rates:
        print(f"masking: {rate.name}: {rate.hits} of {rate.total} ({rate.better} is better)")
    if said:
        descriptions.print_said(said)
    if grounded is not None:
        grounding.print_grounding(grounded)
    if agreements:
        domains.print_agreements(agreements)
    if key_rates is not None:
        keys.print_rates(key_rates)
    if scores:
        retrieval.print_scores(scores)
        joins.print_joins({**{score.name: score.joins for score in scores}, **real})
        explaining.print_explained(explained)
        exact_names.print_names(names)
    if asked is not None:
        real_questions.print_asked(asked)
    copies.print_copies(repeated)
    memory.print_remembered(remembered)
    RESULTS.parent.mkdir(exist_ok=True)
    machine: dict[str, object] = {"python": platform.python_version(), "system": platform.platform()}
    machine["cores"] = os.cpu_count()
    results = {
        "machine": machine,
        "results": [asdict(m) for m in measurements],
        "rebuilds": [asdict(rebuild) for rebuild in opensearch.rebuilds],
        "prose": asdict(waited),
        "snowflake": asdict(planned),
        "masking": [asdict(rate) for rate in rates],
        "descriptions": [recorded(one) for one in said],
        "grounding": asdict(grounded) if grounded is not None else None,
        "domains": [asdict(agreement) for agreement in agreements],
        "keys": asdict(key_rates) if key_rates is not None else None,
        "retrieval": [asdict(score) for score in scores],
        "joins": [asdict(one) for one in explained],
        "real_joins": [{"name": name, **asdict(score)} for name, score in real.items()],
        "exact_names": [exact_names.recorded(score) for score in names],
        "real_questions": asdict(asked) if asked is not None else None,
        "copies": asdict(repeated),
        "memory": asdict(remembered),
    }
    RESULTS.write_text(json.dumps(results, indent=2) + "\n")
    print(f"make bench: {len(measurements)} measurements, written to {RESULTS}")
    return 0


def _compile() -> None:
    """Compile the packages, so that starts are measured without compilation."""
    for folder in ("layers", "contracts"):
        compileall.compile_dir(folder, quiet=1)


def start_up(folder: Path) -> list[Measurement]:
    """Measure the start-up time of every command."""
    python = sys.executable
    return [
        measure("python -c pass", [python, "-c", "pass"], runs=9, folder=folder),
        measure("import tribal", [python, "-c", "import tribal"], runs=9, folder=folder),
        measure("import tribal_contracts", [python, "-c", "import tribal_contracts"], runs=5, folder=folder),
        measure("tribal --help", [TRIBAL, "--help"], runs=9, folder=folder),
    ]


def sample_company(folder: Path) -> list[Measurement]:
    """Measure each stage on the sample company, then what users do most: ask, and run again."""
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


if __name__ == "__main__":
    sys.exit(main())
