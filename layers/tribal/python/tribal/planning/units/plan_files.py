"""Plans in the store: the latest one, and the immutable copy of each run."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from typing import Any

from pydantic import ValidationError

from tribal.errors import ObjectDamaged, ObjectNotFound, PlanError, doing
from tribal.identity import locations
from tribal.identity.hashing import bytes_hash, object_hash
from tribal.planning.units.edits import may_be_edited
from tribal.ports import Lease, ObjectStore
from tribal.store import background_writes, content_hash, put_record, read_record, report_damage, require_record
from tribal_contracts import SCHEMA_VERSION, DocumentationPlan, OutlineUnit, RunOutline, WorkUnit

_VOLATILE_OF_TABLES = {"has_work", "row_count_approx", "row_count_at"}
_VOLATILE: dict[str, Any] = {
    "generated_at": True,
    "errors": True,
    "databases": {"__all__": {"connection_error", "gone_tables", "excluded_tables"}},
    "work_units": {
        "__all__": {
            "has_work": True,
            "quote": True,
            "tables": {"__all__": _VOLATILE_OF_TABLES},
        }
    },
}


def plan_hash(plan: DocumentationPlan) -> str:
    """Hash of the work in a plan, without times, row counts, errors, `has_work` and missing tables."""
    return object_hash(plan.model_dump(mode="json", exclude=_VOLATILE))


_HINT = "correct it, or delete it and rebuild it with `tribal plan`"


def load_plan(store: ObjectStore) -> DocumentationPlan:
    """The latest plan.

    Raises:
        PlanError: when it does not exist (`DOC_PLAN_NOT_FOUND`) or cannot be read.
    """
    try:
        data = store.get(locations.PLAN_FILE).data
    except ObjectNotFound as error:
        raise PlanError(
            f"there is no plan in {store.location}; create one with `tribal plan`", code="DOC_PLAN_NOT_FOUND"
        ) from error
    except ObjectDamaged as error:
        raise PlanError(f"{locations.PLAN_FILE} cannot be read: {error.message}; {_HINT}") from error
    try:
        return DocumentationPlan.from_json(data)
    except ValidationError as error:
        raise _unreadable(error) from error


def _unreadable(error: ValidationError) -> PlanError:
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    if where == "schema_version":
        return PlanError(
            f"{locations.PLAN_FILE} is not version {SCHEMA_VERSION}; delete it and rebuild it with `tribal plan`",
            code="PLAN_VERSION_MISMATCH",
        )
    code = "PLAN_MISSING_FIELD" if first["type"] == "missing" else "DOC_PLAN_INVALID"
    return PlanError(
        f"{locations.PLAN_FILE} cannot be read at {where or 'its start'}: {first['msg']}; {_HINT}",
        code=code,
    )


@doing("planning")
def publish_plan(plan: DocumentationPlan, *, store: ObjectStore, lease: Lease) -> bool:
    """Make a plan the latest one, unless the two are equivalent; returns whether it was written.

    If the latest plan was changed but its copy is equivalent, the copy is restored.

    Raises:
        LeaseLost: when another run has taken the lease over.
    """
    generated, data = copied_plan(store), plan.to_json()
    touched = generated is not None and content_hash(store, locations.PLAN_FILE) != bytes_hash(generated)
    latest = _parsed(generated) if touched else _readable(store)
    equivalent = latest is not None and _same(latest, plan)
    if equivalent and not touched:
        return False
    lease.check()
    store.put(locations.PLAN_FILE, generated if equivalent and generated is not None else data)
    return not equivalent


def copied_plan(store: ObjectStore) -> bytes | None:
    """The copy of the latest plan kept by the run that created it, if there is one."""
    outline = read_record(store, locations.LATEST_OUTLINE_FILE, RunOutline)
    if outline is None:
        return None
    try:
        data = store.get(locations.run_plan_file(outline.run_id)).data
    except (ObjectDamaged, ObjectNotFound):
        return None
    return data if bytes_hash(data) == outline.plan_file_hash else None


def last_plan(store: ObjectStore) -> DocumentationPlan | None:
    """The plan that the next planning starts from: the latest, or its copy if that is missing or damaged.

    Raises:
        PlanError: when a person may have edited the plan, and it cannot be read.
    """
    try:
        return load_plan(store)
    except PlanError as error:
        generated = copied_plan(store)
        if error.code != "DOC_PLAN_NOT_FOUND":
            if may_be_edited(store, generated):
                raise
            report_damage(store, locations.PLAN_FILE)
        return _parsed(generated)


def _parsed(generated: bytes | None) -> DocumentationPlan | None:
    return DocumentationPlan.from_json(generated) if generated is not None else None


def _readable(store: ObjectStore) -> DocumentationPlan | None:
    try:
        return load_plan(store)
    except PlanError:
        return None


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
        "work_units": {
            "__all__": {"has_work": True, "quote": True, "tables": {"__all__": {"has_work", "row_count_at"}}}
        },
    }
    return plan.model_dump(mode="json", exclude=marks)


@doing("planning")
def write_run_plan(
    plan: DocumentationPlan, *, store: ObjectStore, run_id: str, unit_ids: Collection[str] | None = None
) -> RunOutline:
    """Store the run's own copy of a plan, one file per unit; `unit_ids` limits the units that the run documents."""
    store.put(locations.run_plan_file(run_id), plan.to_json())
    units = [unit for unit in plan.work_units if unit_ids is None or unit.id in unit_ids]
    with background_writes() as write:
        for unit in units:
            write(partial(put_record, store, locations.run_unit_file(run_id, unit.id), unit))
    outline = RunOutline(
        schema_version="1.0",
        run_id=run_id,
        plan_hash=plan_hash(plan),
        config_hash=plan.config_hash,
        databases=plan.databases,
        units=[_outline_unit(unit) for unit in sorted(units, key=lambda unit: unit.priority_order)],
        errors=plan.errors,
        plan_file_hash=content_hash(store, locations.PLAN_FILE),
    )
    put_record(store, locations.run_outline_file(run_id), outline)
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


def latest_outline(store: ObjectStore, run_id: str | None = None) -> RunOutline | None:
    """The outline of the latest plan, without loading the plan; `None` if the plan was edited since.

    The given run's own outline is preferred.
    """
    plan_file_hash = content_hash(store, locations.PLAN_FILE)
    own = () if run_id is None else (locations.run_outline_file(run_id),)
    for key in (*own, locations.LATEST_OUTLINE_FILE):
        outline = read_record(store, key, RunOutline)
        if outline is not None and plan_file_hash is not None and outline.plan_file_hash == plan_file_hash:
            return outline
    return None


@doing("planning")
def select_units(outline: RunOutline, unit_ids: Collection[str], *, store: ObjectStore, run_id: str) -> RunOutline:
    """Copy the chosen units of an outline, and the plan, into a run's own files.

    Raises:
        ObjectNotFound: when a unit of the outline is no longer in the store.
        ObjectDamaged: when it is damaged.
    """
    chosen = [unit for unit in outline.units if unit.id in unit_ids]
    if outline.run_id != run_id:
        store.put_lines(locations.run_plan_file(run_id), store.lines(locations.PLAN_FILE))
        for unit in chosen:
            copied = require_record(store, locations.run_unit_file(outline.run_id, unit.id), WorkUnit)
            put_record(store, locations.run_unit_file(run_id, unit.id), copied)
    own = outline.model_copy(update={"run_id": run_id, "units": chosen})
    put_record(store, locations.run_outline_file(run_id), own)
    return own
