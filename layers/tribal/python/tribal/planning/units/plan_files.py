"""Plans in the store: the latest one, and the immutable copy of each run."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from pydantic import ValidationError

from tribal.catalog import locations
from tribal.catalog.hashing import object_hash
from tribal.errors import ObjectNotFound, PlanError, doing
from tribal.ports import Lease, ObjectStore
from tribal.store import read_record
from tribal_contracts import SCHEMA_VERSION, DocumentationPlan, OutlineUnit, RunOutline, WorkUnit

_VOLATILE: dict[str, Any] = {
    "generated_at": True,
    "errors": True,
    "databases": {"__all__": {"connection_error", "gone_tables", "excluded_tables"}},
    "work_units": {"__all__": {"has_work": True, "tables": {"__all__": {"has_work", "row_count_approx"}}}},
}


def plan_hash(plan: DocumentationPlan) -> str:
    """Hash of the work that a plan asks for; times, row counts, errors, `has_work` and departed tables do not count."""
    return object_hash(plan.model_dump(mode="json", exclude=_VOLATILE))


def load_plan(store: ObjectStore) -> DocumentationPlan:
    """The latest plan.

    Raises:
        PlanError: when there is none (`DOC_PLAN_NOT_FOUND`) or it cannot be read.
    """
    try:
        data = store.get(locations.PLAN_FILE).data
    except ObjectNotFound as error:
        raise PlanError(
            f"there is no plan in {store.location}; make one with `tribal plan`", code="DOC_PLAN_NOT_FOUND"
        ) from error
    try:
        return DocumentationPlan.from_json(data)
    except ValidationError as error:
        raise _unreadable(error) from error


def _unreadable(error: ValidationError) -> PlanError:
    first = error.errors(include_url=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    if where == "schema_version":
        return PlanError(
            f"{locations.PLAN_FILE} is not of version {SCHEMA_VERSION}; make it anew with `tribal plan`",
            code="PLAN_VERSION_MISMATCH",
        )
    code = "PLAN_MISSING_FIELD" if first["type"] == "missing" else "DOC_PLAN_INVALID"
    return PlanError(
        f"{locations.PLAN_FILE} cannot be read at {where or 'its start'}: {first['msg']}; correct it, or make it anew "
        "with `tribal plan`",
        code=code,
    )


@doing("planning")
def publish_plan(plan: DocumentationPlan, *, store: ObjectStore, lease: Lease) -> bool:
    """Make a plan the latest one, unless the two are equivalent; returns whether it was written.

    Raises:
        LeaseLost: when another run has taken the lease over.
    """
    try:
        latest: DocumentationPlan | None = load_plan(store)
    except PlanError:
        latest = None
    if latest is not None and _same(latest, plan):
        return False
    lease.check()
    store.put(locations.PLAN_FILE, plan.to_json())
    return True


def _same(latest: DocumentationPlan, plan: DocumentationPlan) -> bool:
    """Whether the latest plan is equivalent to a new one; it may list more tables as gone."""
    return _without_marks(latest) == _without_marks(plan) and _departed(plan) <= _departed(latest)


def _departed(plan: DocumentationPlan) -> set[str]:
    return {name for a in plan.databases for name in (*(a.gone_tables or ()), *(a.excluded_tables or ()))}


def _without_marks(plan: DocumentationPlan) -> dict[str, Any]:
    marks: dict[str, Any] = {
        "generated_at": True,
        "errors": {"__all__": {"timestamp"}},
        "databases": {"__all__": {"connection_error": {"timestamp"}, "gone_tables": True, "excluded_tables": True}},
        "work_units": {"__all__": {"has_work": True, "tables": {"__all__": {"has_work"}}}},
    }
    return plan.model_dump(mode="json", exclude=marks)


@doing("planning")
def write_run_plan(
    plan: DocumentationPlan, *, store: ObjectStore, run_id: str, unit_ids: Collection[str] | None = None
) -> RunOutline:
    """Store the run's own copy of a plan, one file per unit; `unit_ids` limits the units that the run documents."""
    store.put(locations.run_plan_file(run_id), plan.to_json())
    units = [unit for unit in plan.work_units if unit_ids is None or unit.id in unit_ids]
    for unit in units:
        store.put(locations.run_unit_file(run_id, unit.id), unit.to_json())
    latest = store.head(locations.PLAN_FILE)
    outline = RunOutline(
        schema_version="1.0",
        run_id=run_id,
        plan_hash=plan_hash(plan),
        config_hash=plan.config_hash,
        databases=plan.databases,
        units=[_outline_unit(unit) for unit in sorted(units, key=lambda unit: unit.priority_order)],
        errors=plan.errors,
        plan_file_hash=latest.content_hash if latest else None,
    )
    store.put(locations.run_outline_file(run_id), outline.to_json())
    return outline


def _outline_unit(unit: WorkUnit) -> OutlineUnit:
    return OutlineUnit(
        id=unit.id,
        database=unit.database,
        domain=unit.domain,
        tables=len(unit.tables),
        tables_to_document=sum(spec.has_work is not False for spec in unit.tables),
        depends_on=unit.depends_on,
    )


def latest_outline(store: ObjectStore, run_id: str) -> RunOutline | None:
    """The outline of the latest plan, which saves loading the plan; `None` if the plan was edited since."""
    plan = store.head(locations.PLAN_FILE)
    for key in (locations.run_outline_file(run_id), locations.LATEST_OUTLINE_FILE):
        outline = read_record(store, key, RunOutline)
        if plan is not None and outline is not None and outline.plan_file_hash == plan.content_hash:
            return outline
    return None


@doing("planning")
def select_units(outline: RunOutline, unit_ids: Collection[str], *, store: ObjectStore, run_id: str) -> RunOutline:
    """Copy the chosen units of an outline, and the plan, into a run's own files.

    Raises:
        ObjectNotFound: when a unit of the outline is no longer in the store.
    """
    chosen = [unit for unit in outline.units if unit.id in unit_ids]
    if outline.run_id != run_id:
        store.put_lines(locations.run_plan_file(run_id), store.lines(locations.PLAN_FILE))
        for unit in chosen:
            data = store.get(locations.run_unit_file(outline.run_id, unit.id)).data
            store.put(locations.run_unit_file(run_id, unit.id), data)
    own = outline.model_copy(update={"run_id": run_id, "units": chosen})
    store.put(locations.run_outline_file(run_id), own.to_json())
    return own
