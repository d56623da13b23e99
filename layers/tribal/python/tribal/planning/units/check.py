"""Checks that a plan must pass before it is run."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter

from tribal.errors import PlanError
from tribal_contracts import DocumentationPlan


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
