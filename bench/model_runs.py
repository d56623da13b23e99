"""How much longer than necessary does a run take whose model needs 8 seconds for every answer?

`python -m bench.model_runs`: `tribal run` over a generated database of 1,000 tables, with samples and 50 calls at once.
160 seconds is the least that this can take. The model is a stand-in on this machine.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from bench.generated import load_generated
from bench.harness import TRIBAL, Bench, Table, measure, run
from tests.fakes.claude import KEY, FakeClaude
from tests.fakes.model_servers.minds import asked_numbers

TABLES, CALLS_AT_ONCE, ANSWER_SECONDS = 1_000, 50, 8.0
_SECRET = "BENCH_CLAUDE_KEY"


@dataclass
class _Mind:
    """Describes everything in the same words, and records when."""

    answered: list[tuple[float, bool]] = field(default_factory=list)
    """When each answer was given, and whether it was about a table."""

    def __call__(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        self.answered.append((time.monotonic(), '"domain":' not in body["messages"][-1]["content"]))
        columns = [{"n": number, "text": "Tells how good it is."} for number in asked_numbers(body)]
        return {"title": "Goods on their way", "text": "Holds what was ordered.", "columns": columns}


def tables(bench: Bench) -> Iterator[Table]:
    """Measure one run."""
    count = int(bench.arguments[0]) if bench.arguments else TABLES
    dsn, project = bench.server.dsn(load_generated(bench.server, count)), bench.new_folder("model")
    mind = _Mind()
    model = FakeClaude(mind=mind, latency_seconds=ANSWER_SECONDS)
    bench.stack.callback(model.stop)
    settings = {
        "provider": "anthropic",
        "name": "claude-haiku-5-5",
        "api_key_secret": _SECRET,
        "base_url": model.address,
        "calls_at_once": CALLS_AT_ONCE,
        "accept_unfit": True,
    }
    content = {"databases": [{"name": "generated", "dsn": dsn}], "model": settings}
    (project / "databases.yaml").write_text(json.dumps(content))
    ran = measure([TRIBAL, "run"], folder=project, environment={**os.environ, _SECRET: KEY})
    about_tables = [at for at, of_table in mind.answered if of_table]
    seconds = about_tables[-1] - about_tables[0] + ANSWER_SECONDS
    least = count / CALLS_AT_ONCE * ANSWER_SECONDS
    row = {
        "tables": len(about_tables),
        "calls": len(mind.answered),
        "calls at once": model.busiest,
        "seconds for tables": seconds,
        "of the least": seconds / least,
        "seconds of the run": ran.seconds,
        "CPU seconds": ran.cpu_seconds,
    }
    yield Table(f"tribal run with a model that takes {ANSWER_SECONDS:.0f} s for every answer", [row])


if __name__ == "__main__":
    sys.exit(run("model_runs", tables))
