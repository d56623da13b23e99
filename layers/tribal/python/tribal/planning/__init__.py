"""Planning: read the structure of databases and divide their tables into work units by business domain."""

from tribal.planning.catalog.read_catalog import latest_readings, read_catalog
from tribal.planning.catalog.selection import is_selected
from tribal.planning.compose_plan import ComposedPlan, HasWork, compose_plan, recompose_plan
from tribal.planning.units.edits import check_plan, plan_was_edited
from tribal.planning.units.plan_files import (
    last_plan,
    latest_outline,
    load_plan,
    plan_hash,
    publish_plan,
    select_units,
    write_run_plan,
)
from tribal.planning.units.work_units import concurrency_limit

__all__ = [
    "ComposedPlan",
    "HasWork",
    "concurrency_limit",
    "check_plan",
    "is_selected",
    "compose_plan",
    "last_plan",
    "latest_outline",
    "latest_readings",
    "load_plan",
    "plan_hash",
    "plan_was_edited",
    "publish_plan",
    "read_catalog",
    "recompose_plan",
    "select_units",
    "write_run_plan",
]
