"""Check a plan before it is run, and detect edits to it and edits that could not be kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter

from tribal.errors import ObjectDamaged, ObjectNotFound, PlanError
from tribal.identity import locations
from tribal.ports import ObjectStore
from tribal_contracts import AgentError, DocumentationPlan, agent_error

_CONTROL_CHARACTERS = bytes({*range(32)} - set(b"\t\n\v\f\r"))


def plan_was_edited(plan: DocumentationPlan) -> bool:
    """Whether the plan's domains differ from those of its units; if so, `recompose_plan` it before documenting."""
    return _domains(plan) != _unit_domains(plan)


def moved_by_hand(plan: DocumentationPlan) -> frozenset[str]:
    """The tables that a person moved to another domain."""
    before = _unit_domains(plan)
    return frozenset(name for name, domain in _domains(plan).items() if before.get(name) != domain)


def named_by_hand(plan: DocumentationPlan, database: str) -> frozenset[str]:
    """The domains of a database that a person named, in this plan or an earlier one."""
    generated = {unit.domain for unit in plan.work_units if unit.database == database}
    return frozenset(
        domain
        for analysis in plan.databases
        if analysis.name == database
        for domain in (*(analysis.domains_named_by_hand or ()), *(analysis.domains.keys() - generated))
    )


def undone_edits(
    plan: DocumentationPlan, composed: Mapping[str, Mapping[str, str]], timestamp: str
) -> list[AgentError]:
    """Warnings for edits of domains that the next plan did not keep.

    Args:
        plan: the plan as the person left it.
        composed: the domain of each table in the next plan, by database; only databases that were read.
        timestamp: the time of the warnings.
    """
    wanted, before = _domains(plan), _unit_domains(plan)
    edited = {name for name in wanted.keys() | before.keys() if wanted.get(name) != before.get(name)}
    messages = (
        (name, _why_undone(name, database, wanted.get(name), composed[database].get(name)))
        for database, name in _tables(plan)
        if name in edited and database in composed
    )
    return [
        agent_error("PLAN_EDIT_UNDONE", message, timestamp=timestamp, context={"table": name})
        for name, message in messages
        if message
    ]


def _why_undone(name: str, database: str, wanted: str | None, domain: str | None) -> str | None:
    if wanted == domain:
        return None
    if domain is None:
        return (
            f"the plan was edited to have {name} in the domain {wanted!r}, but {database!r} has no such table: it was "
            "dropped, is excluded by databases.yaml, or is misspelt"
        )
    if wanted is None:
        return (
            f"the plan was edited to have {name} in no domain, but the table still exists and was put in {domain!r}; "
            "use exclude in databases.yaml to leave it out"
        )
    return (
        f"the plan was edited to have {name} in the domain {wanted!r}, but domains in databases.yaml pins it to "
        f"{domain!r}; change the pin"
    )


def _domains(plan: DocumentationPlan) -> dict[str, str]:
    return {name: domain for a in plan.databases for domain, names in a.domains.items() for name in names}


def _unit_domains(plan: DocumentationPlan) -> dict[str, str]:
    return {spec.fully_qualified_name: unit.domain for unit in plan.work_units for spec in unit.tables}


def _tables(plan: DocumentationPlan) -> Iterator[tuple[str, str]]:
    """Database and name of every table in the domains or units of a plan, without duplicates."""
    named = {name: a.name for a in plan.databases for names in a.domains.values() for name in names}
    named |= {spec.fully_qualified_name: unit.database for unit in plan.work_units for spec in unit.tables}
    return ((database, name) for name, database in sorted(named.items()))


def may_be_edited(store: ObjectStore, generated: bytes | None) -> bool:
    """Whether the plan may be the result of editing, given the plan as generated.

    Disk damage changes bytes in place, truncates a file or appends to it; an edit, such as moving a table, does more
    than one of these.
    """
    try:
        data = store.get(locations.PLAN_FILE).data
    except (ObjectDamaged, ObjectNotFound):
        return False
    if not data.strip() or not _is_text(data):
        return False
    if generated is None:
        return True
    return not (len(data) == len(generated) or generated.startswith(data) or data.startswith(generated))


def _is_text(data: bytes) -> bool:
    if data.translate(None, _CONTROL_CHARACTERS) != data:
        return False
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def check_plan(plan: DocumentationPlan) -> None:
    """Check that a plan can be run.

    Raises:
        PlanError: when a unit is empty or writes outside `docs/`, two units share an id or a folder, or dependencies
            are unknown or circular.
    """
    ids = [unit.id for unit in plan.work_units]
    folders = [unit.output_directory for unit in plan.work_units]
    for unit in plan.work_units:
        if not unit.tables:
            raise PlanError(
                f"work unit {unit.id!r} has no tables; edit only the plan's domains, not its work units, or rebuild "
                "it with `tribal plan`",
                code="WORK_UNIT_EMPTY",
            )
        if not _is_below(unit.output_directory):
            raise PlanError(
                f"work unit {unit.id!r} has the output directory {unit.output_directory!r}, which is not below docs/; "
                "use a relative path such as shop/sales, or rebuild the plan with `tribal plan`",
                code="WORK_UNIT_INVALID",
            )
        unknown = [other for other in unit.depends_on if other not in ids]
        if unknown:
            raise PlanError(f"work unit {unit.id!r} depends on unknown {unknown[0]!r}", code="WORK_UNIT_INVALID")
    for what, values in (("id", ids), ("output directory", folders)):
        twice = next((value for value in values if values.count(value) > 1), None)
        if twice is not None:
            raise PlanError(f"two work units have the {what} {twice!r}", code="WORK_UNIT_INVALID")
    try:
        TopologicalSorter({unit.id: unit.depends_on for unit in plan.work_units}).prepare()
    except CycleError as error:
        circle = " -> ".join(error.args[1])
        raise PlanError(f"work units have circular dependencies: {circle}", code="WORK_UNIT_INVALID") from error


def _is_below(directory: str) -> bool:
    """Whether a directory relative to `docs/` stays below it, on any system."""
    parts = directory.split("/")
    return all(part.isprintable() and part not in ("", ".", "..") and not set(part) & set("\\:") for part in parts)
