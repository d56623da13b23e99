"""What a run may cost in credits, with the arithmetic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tribal.adapters.snowflake.rows import WarehouseRow

if TYPE_CHECKING:
    from tribal_contracts import DatabaseLimits

CREDITS_PER_HOUR = {
    name: 2**place
    for place, name in enumerate(
        "X-SMALL SMALL MEDIUM LARGE X-LARGE 2X-LARGE 3X-LARGE 4X-LARGE 5X-LARGE 6X-LARGE".split()
    )
}
"""Of a standard warehouse of the first generation: https://docs.snowflake.com/en/user-guide/warehouses-overview"""
MINIMUM_SECONDS = 60
"""What is billed at least whenever a warehouse starts; the same page."""
_STANDARD = "STANDARD"


def credit_lines(
    name: str | None, warehouse: WarehouseRow | None, limits: DatabaseLimits, tables: int, may_sample: bool
) -> list[str]:
    """What reading the structure and taking samples costs; `tables` is how many are sampled at most."""
    lines = ["Structure is read by SHOW, which uses no warehouse."]
    if name is None:
        return [*lines, "The entry names no warehouse: nothing else is read."]
    uses = "samples, columns of schemas with more than 10,000, and whether vanished tables were dropped"
    if not may_sample:
        uses = "columns of schemas with more than 10,000, and whether vanished tables were dropped"
    lines.append(f"The warehouse {name!r} is used for {uses}.")
    credits = _credits_per_hour(warehouse)
    if credits is None:
        size = "unknown" if warehouse is None else f"{warehouse.type or 'of unknown type'}, {warehouse.size}"
        return [*lines, f"What it costs is not known here (its size is {size}); a start is billed 60 s at least."]
    assert warehouse is not None
    start = credits * MINIMUM_SECONDS / 3600
    an_hour = f"{credits} {'credit' if credits == 1 else 'credits'} an hour"
    lines.append(
        f"Each start costs at least {start:.3f} credits: {warehouse.size} is {an_hour} x {MINIMUM_SECONDS} s / 3600 s."
    )
    if may_sample and tables:
        seconds = tables * limits.sample_timeout_seconds
        lines.append(
            f"Samples of all tables cost at most {credits * max(seconds, MINIMUM_SECONDS) / 3600:.3f} credits: "
            f"{tables:,} tables x {limits.sample_timeout_seconds:g} s (limits.sample_timeout_seconds) x {credits} "
            "credits an hour / 3600 s; usually far less, since several are taken at once and most take no second."
        )
    return lines


def _credits_per_hour(warehouse: WarehouseRow | None) -> int | None:
    if warehouse is None or (warehouse.type or "").upper() != _STANDARD:
        return None
    return CREDITS_PER_HOUR.get((warehouse.size or "").upper().replace(" ", "-"))
