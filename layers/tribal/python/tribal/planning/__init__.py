"""Planning: read what a database is made of, and cut it into work units by business domain."""

from tribal.planning.check import check_plan, plan_was_edited
from tribal.planning.compose_plan import ComposedPlan, PlanOptions, compose_plan, recut
from tribal.planning.plan_files import (
    latest_outline,
    load_plan,
    plan_hash,
    publish_plan,
    select_units,
    write_run_plan,
)
from tribal.planning.read_catalog import latest_readings, read_catalog

__all__ = [
    "ComposedPlan",
    "PlanOptions",
    "check_plan",
    "compose_plan",
    "latest_outline",
    "latest_readings",
    "load_plan",
    "plan_hash",
    "plan_was_edited",
    "publish_plan",
    "read_catalog",
    "recut",
    "select_units",
    "write_run_plan",
]
