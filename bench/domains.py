"""Do the domains of a plan agree with those that people draw? Needs `TRIBAL_BENCH_DATA`.

`python -m bench.domains`: adjusted Rand index (1 is the same grouping, 0 is chance) against the domains of
`ddl/NAME/domains.json`.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import comb

from bench.harness import TRIBAL, Bench, Row, Table, measure, run
from tribal.identity.locations import PLAN_FILE
from tribal.identity.table_names import TableIdentity
from tribal_contracts import DocumentationPlan


def tables(bench: Bench) -> Iterator[Table]:
    """Compare the domains of every schema."""
    rows = []
    for file in sorted(bench.data.glob("ddl/*/domains.json")):
        expected: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
        bench.server.ensure_database(file.parent.name, file.with_name("schema_nocomments.sql"))
        rows.append(_agreement(bench, file.parent.name, expected))
    yield Table("domains as people drew them", rows)


def _agreement(bench: Bench, schema: str, expected: Mapping[str, str]) -> Row:
    project = bench.new_folder(f"domains-{schema}")
    measure([TRIBAL, "plan", bench.server.dsn(schema), "--project", project], folder=bench.folder)
    plan = DocumentationPlan.from_json((project / PLAN_FILE).read_bytes())
    domains = dict(_domains(plan))
    shared = sorted(domains.keys() & expected.keys())
    gold = [expected[table] for table in shared]
    return {
        "schema": schema,
        "tables": len(shared),
        "domains": len({domains[table] for table in shared}),
        "expected": len(set(gold)),
        "ARI": adjusted_rand_index([domains[table] for table in shared], gold),
    }


def _domains(plan: DocumentationPlan) -> Iterator[tuple[str, str]]:
    for unit in plan.work_units:
        for spec in unit.tables:
            identity = TableIdentity.parse(spec.fully_qualified_name)
            yield f"{identity.schema}.{identity.table}", unit.domain


def adjusted_rand_index(ours: Sequence[str], theirs: Sequence[str]) -> float:
    """Agreement of two groupings of the same things, corrected for chance (Hubert and Arabie 1985)."""

    def pairs(groups: Counter[str] | Counter[tuple[str, str]]) -> int:
        return sum(comb(size, 2) for size in groups.values())

    both = pairs(Counter(zip(ours, theirs, strict=True)))
    one, other = pairs(Counter(ours)), pairs(Counter(theirs))
    by_chance = one * other / comb(len(ours), 2)
    most = (one + other) / 2
    return 1.0 if most == by_chance else (both - by_chance) / (most - by_chance)


if __name__ == "__main__":
    sys.exit(run("domains", tables))
