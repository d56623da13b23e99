"""The domains that tables had in the last plan and the manifest, and which of them are kept."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from tribal.errors import PlanError
from tribal.identity.table_names import TableIdentity
from tribal.planning.catalog.read_catalog import documented_tables
from tribal.planning.domains.domain_names import OtherDomains
from tribal.planning.domains.grouping import DOMAIN_RULES, Key
from tribal.planning.units.edits import moved_by_hand, named_by_hand
from tribal.ports import ObjectStore, PlanOptions
from tribal_contracts import DatabaseAnalysis, DocumentationPlan


@dataclass(frozen=True, slots=True)
class EarlierDomains:
    """The domain that each table of a database had, and which are kept."""

    database: str
    all: Mapping[Key, str]
    kept: Mapping[Key, str]
    """Domains that are kept, whatever would be inferred today."""
    by_hand: Mapping[Key, str]
    """Domains kept because a person moved the tables, while others are regrouped."""
    rules: int | None
    """The version of the rules that chose them; `None` if not recorded."""
    is_regrouped: bool
    numbers: Mapping[str, int]
    """The chunk that each table was in."""
    named: frozenset[str] = frozenset()
    """Domains that a person named."""

    @classmethod
    def of(
        cls,
        database: str,
        previous: DocumentationPlan | None,
        store: ObjectStore,
        options: PlanOptions,
        is_reviewed: bool,
    ) -> EarlierDomains:
        analysis = next((a for a in previous.databases if a.name == database), None) if previous else None
        earlier = _earlier_domains(database, analysis, store)
        numbers = _earlier_numbers(database, previous)
        rules = analysis.domain_rules if analysis else DOMAIN_RULES
        if options.replan:
            return cls(database, earlier, {}, {}, rules, False, numbers)
        named = named_by_hand(previous, database) if previous else frozenset()
        if previous is None or is_reviewed or rules == DOMAIN_RULES:
            return cls(database, earlier, earlier, {}, rules, False, numbers, named)
        moved = moved_by_hand(previous)
        by_hand = {key: domain for key, domain in earlier.items() if str(TableIdentity(database, *key)) in moved}
        return cls(database, earlier, {}, by_hand, rules, True, numbers, named)


def tables_by_domain(domains: Mapping[Key, str]) -> dict[str, set[str]]:
    """The names of the tables of each domain."""
    found: dict[str, set[str]] = defaultdict(set)
    for (_, table), domain in domains.items():
        found[domain].add(table.lower())
    return found


def domains_of_other_databases(
    domains_by_database: Mapping[str, Mapping[str, set[str]]], database: str
) -> OtherDomains:
    tables: dict[str, set[str]] = defaultdict(set)
    for other, domains in domains_by_database.items():
        for domain, names in domains.items() if other != database else ():
            tables[domain] |= names
    return OtherDomains(tables)


def _earlier_domains(database: str, analysis: DatabaseAnalysis | None, store: ObjectStore) -> dict[Key, str]:
    """Each table's domain in the last plan, or in the manifest if the plan lacks the database."""
    if analysis is None or not analysis.domains:
        return documented_tables(database, store)
    earlier: dict[Key, str] = {}
    for domain, names in analysis.domains.items():
        for name in names:
            identity = _identity(name)
            earlier[identity.schema, identity.table] = domain
    return earlier


def _identity(name: str) -> TableIdentity:
    try:
        return TableIdentity.parse(name)
    except ValueError as error:
        raise PlanError(f"the plan's domains name {name!r}, which is not a table: {error}") from error


def _earlier_numbers(database: str, previous: DocumentationPlan | None) -> dict[str, int]:
    """The chunk number of each table in the last plan, from the end of its unit's folder."""
    numbers: dict[str, int] = {}
    for unit in previous.work_units if previous else ():
        last = unit.output_directory.rpartition("/")[2]
        if unit.database == database and last.isdecimal() and last != unit.domain:
            numbers |= {spec.fully_qualified_name: int(last) for spec in unit.tables}
    return numbers
