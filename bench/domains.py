"""Rates how planning groups tables: adjusted Rand index against human domains and against pooled databases.

Each schema is grouped again without every word of ours that occurs in its names (the lists for kinds of table and for
names that say little), so that a word which was chosen by looking at a schema cannot help it. Two plain rules are
rated beside: the first word of the name, and communities of foreign keys.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from math import comb
from pathlib import Path
from statistics import mean

from bench.domain_pools import pools
from bench.measure import CommandFailedError
from servers.postgres import EmbeddedServer
from tribal.adapters.postgres.catalog import PostgresCatalog
from tribal.identity.table_names import TableIdentity
from tribal.naming import split_identifier
from tribal.planning.domains.communities import find_communities
from tribal.planning.domains.domain_names import SAY_LITTLE
from tribal.planning.domains.grouping import Evidence, group_tables
from tribal.planning.domains.table_graph import find_links, key_graph
from tribal.planning.domains.table_names import KIND_WORDS
from tribal.settings.dsn import parse_dsn
from tribal_contracts import CatalogTable, DocumentationPlan

DATA_VARIABLE = "TRIBAL_BENCH_DATA"


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far the domains of a plan agree with the expected ones; 1 is fully, 0 is chance."""

    schema: str
    tables: int
    domains: int
    human_domains: int
    adjusted_rand_index: float
    without_words: float
    """The same when our words that occur in the schema's names are taken out."""
    first_word: float
    """That of the plain rule that the first word of its name is a table's domain."""
    key_communities: float
    """That of the plain rule that communities of foreign keys are domains."""
    kind: str
    """`people`: domains drawn by people; `pool`: unrelated databases in one schema."""


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
    """Print the index of each schema, and the mean of the small pools."""
    print(
        f"{'domains of the plan':<28}{'tables':>8}{'domains':>9}{'gold':>7}{'ARI':>7}{'our words out':>15}"
        f"{'first word':>12}{'keys':>7}  gold is"
    )
    for one in agreements:
        print(
            f"{one.schema:<28}{one.tables:>8}{one.domains:>9}{one.human_domains:>7}{one.adjusted_rand_index:>7.3f}"
            f"{one.without_words:>15.3f}{one.first_word:>12.3f}{one.key_communities:>7.3f}  {_GOLD[one.kind]}"
        )
    if pooled := [one for one in agreements if one.kind == "pool"]:
        index = mean(one.adjusted_rand_index for one in pooled)
        without = mean(one.without_words for one in pooled)
        print(f"{'mean of the pools':<28}{'':>8}{'':>9}{'':>7}{index:>7.3f}{without:>15.3f}")


_GOLD = {"people": "what people drew", "pool": "the pooled databases"}


def _agreements(server: EmbeddedServer, scratch: Path, tribal: Path) -> Iterator[Agreement]:
    data = Path(os.environ[DATA_VARIABLE])
    for gold_file in sorted(data.glob("ddl/*/domains.json")):
        schema = gold_file.parent.name
        server.ensure_database(schema, gold_file.parent / "schema_nocomments.sql")
        gold: dict[str, str] = json.loads(gold_file.read_text(encoding="utf-8"))
        yield _agreement(schema, "people", gold, _plan(server, schema, scratch, tribal), _read(server, schema))
    for number, pool in enumerate(pools(data)):
        database = f"pool_{number}"
        server.ensure_database(database, pool.sql)
        plan = _plan(server, database, scratch, tribal)
        yield _agreement(pool.name, "pool", pool.gold, plan, _read(server, database))


def _read(server: EmbeddedServer, database: str) -> list[CatalogTable]:
    with closing(PostgresCatalog(parse_dsn(server.dsn(database), {}))) as catalog:
        return sorted(catalog.read().tables, key=lambda table: (table.schema_name, table.table_name))


def _plan(server: EmbeddedServer, database: str, scratch: Path, tribal: Path) -> DocumentationPlan:
    project = scratch / f"domains-{database}"
    project.mkdir()
    command = [str(tribal), "plan", server.dsn(database), "--project", str(project), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CommandFailedError(f"tribal plan of {database} ended with {done.returncode}:\n{done.stderr}")
    return DocumentationPlan.from_json(done.stdout.encode())


def _agreement(
    name: str, kind: str, gold: Mapping[str, str], plan: DocumentationPlan, tables: Sequence[CatalogTable]
) -> Agreement:
    ours = _domains(plan)
    shared = sorted(ours.keys() & gold.keys())

    def index(domains: Mapping[str, str]) -> float:
        return adjusted_rand_index([domains[table] for table in shared], [gold[table] for table in shared])

    links = find_links(tables)
    communities = map(str, find_communities(key_graph(len(tables), links)))
    names = [f"{table.schema_name}.{table.table_name}" for table in tables]
    return Agreement(
        schema=name,
        tables=len(shared),
        domains=len({ours[table] for table in shared}),
        human_domains=len({gold[table] for table in shared}),
        adjusted_rand_index=index(ours),
        without_words=index(domains_without_words(tables, plan.databases[0].name)),
        first_word=index({at: _first_word(table) for at, table in zip(names, tables, strict=True)}),
        key_communities=index(dict(zip(names, communities, strict=True))),
        kind=kind,
    )


def _first_word(table: CatalogTable) -> str:
    return next(iter(split_identifier(table.table_name)), "")


def domains_without_words(tables: Sequence[CatalogTable], database: str) -> dict[str, str]:
    """The domains that the same schema would get if none of our words occurred in its names."""
    its_own = {
        word
        for table in tables
        for name in (table.schema_name, table.table_name, *(column.name for column in table.columns))
        for word in split_identifier(name)
    }
    evidence = Evidence(kind_words=KIND_WORDS - its_own, little_words=SAY_LITTLE - its_own)
    found = group_tables(tables, database=database, pins={}, previous={}, evidence=evidence)
    return {f"{schema}.{table}": domain for (schema, table), domain in found.domains.items()}


def _domains(plan: DocumentationPlan) -> dict[str, str]:
    named = ((TableIdentity.parse(spec.fully_qualified_name), unit) for unit in plan.work_units for spec in unit.tables)
    return {f"{identity.schema}.{identity.table}": unit.domain for identity, unit in named}
