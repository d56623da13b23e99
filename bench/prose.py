"""How long it takes to have a model describe 1,000 tables, whose every answer takes 8 seconds, 50 of them at once.

160 seconds is the least that this can take. The model is a stand-in on this machine. `make bench` measures `tribal run`
over a generated database; `python -m bench.prose` it alone, and with `map` two runs deployed on simulated AWS. The
second has everything written anew, by functions that have started: what the first takes longer is their start, for
which each has a processor of its own in AWS, and here all share this machine's.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from bench.generated import load_generated
from bench.measure import CommandFailedError, measure
from servers.postgres import EmbeddedServer, EmbeddedServerError
from tests.fakes.claude import KEY, FakeClaude
from tests.fakes.claude.minds import asked_numbers
from tribal_contracts import RunRequest

TABLES, CALLS_AT_ONCE, ANSWER_SECONDS = 1_000, 50, 8.0
LEAST_SECONDS = TABLES / CALLS_AT_ONCE * ANSWER_SECONDS
MOST = 1.1
"""The bar: as a multiple of the least."""
_SECRET = "BENCH_CLAUDE_KEY"
_SECRET_IN_AWS = "tribal/dev/claude"
RESULTS = Path(".bench") / "prose.json"


@dataclass(frozen=True, slots=True)
class Asked:
    """How long the questions about tables took, and the whole run."""

    where: str
    tables: int
    calls: int
    """With those about domains, which come after all tables."""
    busiest: int
    tables_seconds: float
    """From the first question about a table to the last answer."""
    run_seconds: float
    processor_seconds: float | None = None

    @property
    def within(self) -> bool:
        """Whether it kept to the bar."""
        return self.tables == TABLES and self.busiest <= CALLS_AT_ONCE and self.tables_seconds <= MOST * LEAST_SECONDS


@dataclass
class _Mind:
    """Says the same of everything, and remembers when."""

    answered: list[tuple[float, bool]] = field(default_factory=list)
    """When each answer was given, and whether it was about a table."""

    def __call__(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        self.answered.append((time.monotonic(), '"domain":' not in body["messages"][-1]["content"]))
        columns = [{"n": number, "text": "Tells how good it is."} for number in asked_numbers(body)]
        return {"title": "Goods on their way", "text": "Holds what was ordered.", "columns": columns}


@dataclass
class _Claude:
    """A stand-in in a process of its own, so that nothing else delays it; once it has ended it tells of its answers."""

    address: str
    answered: list[tuple[float, bool]] = field(default_factory=list)
    busiest: int = 0

    def asked(self, where: str, began: float, seconds: float, processor: float | None = None) -> Asked:
        """What a run asked that began then and took so long."""
        within = [(at, of_table) for at, of_table in self.answered if began <= at <= began + seconds]
        tables = [at for at, of_table in within if of_table]
        took = round(tables[-1] - tables[0] + ANSWER_SECONDS, 1) if tables else 0.0
        return Asked(where, len(tables), len(within), self.busiest, took, round(seconds, 1), processor)


@contextmanager
def _claude() -> Iterator[_Claude]:
    command = [sys.executable, "-m", "bench.prose", "answer"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        claude = _Claude(process.stdout.readline().strip())
        try:
            yield claude
        finally:
            told, _ = process.communicate()
        content = json.loads(told)
        claude.answered, claude.busiest = content["answered"], content["busiest"]


def answer() -> int:
    """Be the stand-in until nobody holds the other end of standard input; returns the exit code."""
    mind = _Mind()
    claude = FakeClaude(mind=mind, latency_seconds=ANSWER_SECONDS)
    print(claude.address, flush=True)
    sys.stdin.read()
    claude.stop()
    print(json.dumps({"answered": mind.answered, "busiest": claude.busiest}))
    return 0


def here(server: EmbeddedServer, tribal: Path, folder: Path) -> Asked:
    """Measure `tribal run`, with samples.

    Raises:
        CommandFailedError: when it fails.
        EmbeddedServerError: when the database cannot be created.
    """
    dsn, project = server.dsn(load_generated(server, TABLES)), folder / "prose"
    project.mkdir()
    with _claude() as claude:
        content = {"databases": [{"name": "generated", "dsn": dsn}], "model": _model(claude, _SECRET)}
        (project / "databases.yaml").write_text(json.dumps(content))
        began = time.monotonic()
        ran = measure(
            "tribal run", [tribal, "run"], runs=1, folder=folder, environment={**os.environ, _SECRET: KEY}, cwd=project
        )
    return claude.asked("tribal run", began, time.monotonic() - began, round(ran.median_processor_seconds, 1))


def through_the_map(folder: Path) -> list[Asked]:
    """Measure two deployed runs, without samples: as functions start, and once they have.

    Raises:
        CommandFailedError: when the CDK, which deploys it, is not installed.
    """
    # They stand in for AWS, and import most of it.
    from bench.deployed import Deployment, run
    from infra.model import Model
    from tests.e2e.account import CDK
    from tests.e2e.deployed_system import DEV

    if not CDK.exists():
        raise CommandFailedError("the CDK is not installed: `make infra/node_modules/.bin/cdk` first, with Node.js")
    with _claude() as claude:
        environment = DEV.model_copy(update={"model": Model.model_validate(_model(claude, _SECRET_IN_AWS))})
        requests = [RunRequest(), RunRequest(new_prose=True)]
        ran = run(TABLES, folder, Deployment(environment, secrets={_SECRET_IN_AWS: KEY}, requests=requests))
    wheres = "deployed, through the Map, functions starting", "deployed, through the Map, functions started"
    return [claude.asked(where, each["began"], each["seconds"]) for where, each in zip(wheres, ran, strict=True)]


def _model(claude: _Claude, secret: str) -> dict[str, Any]:
    return {
        "provider": "anthropic",
        "name": "claude-haiku-5-5",
        "api_key_secret": secret,
        "base_url": claude.address,
        "calls_at_once": CALLS_AT_ONCE,
    }


def print_asked(asked: Asked) -> None:
    """Print one line."""
    print(
        f"prose: {asked.where}: {asked.tables:,} tables, {asked.calls:,} calls, {asked.busiest} at once, in "
        f"{asked.tables_seconds:.1f} s ({asked.tables_seconds / LEAST_SECONDS:.3f} of the least, bar {MOST}), "
        f"the whole run {asked.run_seconds:.1f} s"
    )


def main() -> int:
    """Measure, print and write; returns 0 if every run kept to the bar."""
    if "answer" in sys.argv[1:]:
        return answer()
    tribal = Path(sys.executable).parent / "tribal"
    with tempfile.TemporaryDirectory(prefix="tribal-bench-") as scratch:
        folder = Path(scratch)
        try:
            if "map" in sys.argv[1:]:
                asked = through_the_map(folder)
            else:
                with EmbeddedServer.start(folder / "server") as server:
                    asked = [here(server, tribal, folder)]
        except (CommandFailedError, EmbeddedServerError) as error:
            print(f"bench.prose: FAILED: {error}", file=sys.stderr)
            return 1
    for each in asked:
        print_asked(each)
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps([asdict(each) for each in asked], indent=2) + "\n")
    return 0 if all(each.within for each in asked) else 1


if __name__ == "__main__":
    sys.exit(main())
