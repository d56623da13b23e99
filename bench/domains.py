"""Rates how planning groups tables: adjusted Rand index against human domains and against pooled databases."""

from __future__ import annotations

import json
import os
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from pathlib import Path
from statistics import mean

from bench.domain_pools import pools
from bench.measure import CommandFailedError
from servers.postgres import EmbeddedServer
from tribal.catalog.identity import TableIdentity
from tribal_contracts import DocumentationPlan

DATA_VARIABLE = "TRIBAL_BENCH_DATA"


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far the domains of a plan agree with the expected ones; 1 is fully, 0 is chance."""

    schema: str
    tables: int
    domains: int
    human_domains: int
    adjusted_rand_index: float
    kind: str
    """`people`: domains drawn by people; `chosen`: pooled databases used to choose constants; `unseen`: other pools."""


def report(server: EmbeddedServer, scratch: Path, tribal: Path) -> list[Agreement]:
    """Plan every schema with a `domains.json`, and every pool, with the users' command, and compare the domains.

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
    """Print the index of each schema, and the mean of each kind of pool."""
    print(f"{'domains of the plan':<28}{'tables':>8}{'domains':>9}{'gold':>7}{'ARI':>7}  gold is")
    for one in agreements:
        print(
            f"{one.schema:<28}{one.tables:>8}{one.domains:>9}{one.human_domains:>7}{one.adjusted_rand_index:>7.3f}"
            f"  {_GOLD[one.kind]}"
        )
    for kind in ("chosen", "unseen"):
        if found := [one.adjusted_rand_index for one in agreements if one.kind == kind]:
            print(f"{'mean':<28}{'':>8}{'':>9}{'':>7}{mean(found):>7.3f}  {_GOLD[kind]}")


_GOLD = {
    "people": "what people drew",
    "chosen": "the pooled databases (constants were chosen on it)",
    "unseen": "the pooled databases (unseen when constants were chosen)",
}


def _agreements(server: EmbeddedServer, scratch: Path, tribal: Path) -> Iterator[Agreement]:
    data = Path(os.environ[DATA_VARIABLE])
    for gold_file in sorted(data.glob("ddl/*/domains.json")):
        schema = gold_file.parent.name
        server.ensure_database(schema, gold_file.parent / "schema_nocomments.sql")
        gold: dict[str, str] = json.loads(gold_file.read_text(encoding="utf-8"))
        yield _agreement(schema, "people", gold, _plan(server, schema, scratch, tribal))
    for number, pool in enumerate(pools(data)):
        database = f"pool_{number}"
        server.ensure_database(database, pool.sql)
        kind = "chosen" if pool.chosen_on else "unseen"
        yield _agreement(pool.name, kind, pool.gold, _plan(server, database, scratch, tribal))


def _plan(server: EmbeddedServer, database: str, scratch: Path, tribal: Path) -> DocumentationPlan:
    project = scratch / f"domains-{database}"
    project.mkdir()
    command = [str(tribal), "plan", server.dsn(database), "--project", str(project), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CommandFailedError(f"tribal plan of {database} ended with {done.returncode}:\n{done.stderr}")
    return DocumentationPlan.from_json(done.stdout.encode())


def _agreement(name: str, kind: str, gold: Mapping[str, str], plan: DocumentationPlan) -> Agreement:
    ours = _domains(plan)
    shared = sorted(ours.keys() & gold.keys())
    one, other = [ours[table] for table in shared], [gold[table] for table in shared]
    return Agreement(name, len(shared), len(set(one)), len(set(other)), adjusted_rand_index(one, other), kind)


def _domains(plan: DocumentationPlan) -> dict[str, str]:
    named = ((TableIdentity.parse(spec.fully_qualified_name), unit) for unit in plan.work_units for spec in unit.tables)
    return {f"{identity.schema}.{identity.table}": unit.domain for identity, unit in named}
