"""How long do commands take to start, and how long do they take on a small database?

`python -m bench.startup`
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from bench.harness import TRIBAL, Bench, Command, Table, measure, run
from tribal_demo import COMPANY_SQL

RUNS = 9


def tables(bench: Bench) -> Iterator[Table]:
    """Measure commands that need no database, then those of a user of the sample company."""
    starts: dict[str, Command] = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "import tribal": [sys.executable, "-c", "import tribal"],
        "import tribal_contracts": [sys.executable, "-c", "import tribal_contracts"],
        "tribal --version": [TRIBAL, "--version"],
        "tribal --help": [TRIBAL, "--help"],
    }
    yield Table(
        f"start-up, median of {RUNS}",
        [measure(command, runs=RUNS, folder=bench.folder).row(name) for name, command in starts.items()],
    )
    bench.server.ensure_database("company", COMPANY_SQL)
    project = bench.new_folder("company")
    commands: dict[str, tuple[int, Command]] = {
        "run, from nothing": (1, ["run", bench.server.dsn("company")]),
        "run, nothing changed": (3, ["run", bench.server.dsn("company")]),
        "search": (RUNS, ["search", "unpaid invoices"]),
        "table": (RUNS, ["table", "billing.invoice"]),
        "join": (RUNS, ["join", "crm.customer", "billing.payment", "--max-hops", "5"]),
    }
    yield Table(
        "the sample company",
        [
            measure([TRIBAL, *words, "--project", project], runs=runs, folder=bench.folder).row(f"tribal {name}")
            for name, (runs, words) in commands.items()
        ],
    )


if __name__ == "__main__":
    sys.exit(run("startup", tables))
