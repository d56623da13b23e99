"""How well planning groups tables: adjusted Rand index against the domains that people drew, opened after the run."""

from __future__ import annotations

import json
import os
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import comb
from pathlib import Path

from bench.measure import CommandFailedError
from demo.postgres import EmbeddedServer
from tribal.catalog.identity import TableIdentity
from tribal_contracts import DocumentationPlan

DATA_VARIABLE = "TRIBAL_BENCH_DATA"


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far the domains of a plan agree with those of people; 1 is fully, 0 as by chance."""

    schema: str
    tables: int
    domains: int
    human_domains: int
    adjusted_rand_index: float


def report(server: EmbeddedServer, scratch: Path, tribal: Path) -> list[Agreement]:
    """Plan every schema that has a `domains.json`, with the command that users give, and compare.

    Raises:
        CommandFailedError: when `tribal plan` fails.
    """
    return list(_agreements(server, scratch, tribal))


def adjusted_rand_index(ours: Sequence[str], theirs: Sequence[str]) -> float:
    """Agreement of two groupings of the same things, corrected for chance (Hubert and Arabie 1985)."""

    def pairs(groups: Counter[str] | Counter[tuple[str, str]]) -> int:
        return sum(comb(size, 2) for size in groups.values())

    both = pairs(Counter(zip(ours, theirs, strict=True)))
    one, other = pairs(Counter(ours)), pairs(Counter(theirs))
    by_chance = one * other / comb(len(ours), 2)
    most = (one + other) / 2
    return 1.0 if most == by_chance else (both - by_chance) / (most - by_chance)


def print_agreements(agreements: Sequence[Agreement]) -> None:
    """Print the index of each schema."""
    print(f"{'domains of the plan':<28}{'tables':>8}{'domains':>9}{'human':>7}{'ARI':>7}")
    for one in agreements:
        print(f"{one.schema:<28}{one.tables:>8}{one.domains:>9}{one.human_domains:>7}{one.adjusted_rand_index:>7.3f}")


def _agreements(server: EmbeddedServer, scratch: Path, tribal: Path) -> Iterator[Agreement]:
    for gold_file in sorted(Path(os.environ[DATA_VARIABLE]).glob("ddl/*/domains.json")):
        schema = gold_file.parent.name
        server.ensure_database(schema, gold_file.parent / "schema_nocomments.sql")
        project = scratch / f"domains-{schema}"
        project.mkdir()
        command = [str(tribal), "plan", server.dsn(schema), "--project", str(project), "--json"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise CommandFailedError(f"tribal plan of {schema} ended with {done.returncode}:\n{done.stderr}")
        ours = _domains(DocumentationPlan.from_json(done.stdout.encode()))
        gold: dict[str, str] = json.loads(gold_file.read_text(encoding="utf-8"))
        shared = sorted(ours.keys() & gold.keys())
        index = adjusted_rand_index([ours[name] for name in shared], [gold[name] for name in shared])
        yield Agreement(
            schema, len(shared), len({ours[name] for name in shared}), len({gold[name] for name in shared}), index
        )


def _domains(plan: DocumentationPlan) -> dict[str, str]:
    named = ((TableIdentity.parse(spec.fully_qualified_name), unit) for unit in plan.work_units for spec in unit.tables)
    return {f"{identity.schema}.{identity.table}": unit.domain for identity, unit in named}
