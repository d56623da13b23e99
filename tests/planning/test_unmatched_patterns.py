"""Patterns of the configuration that match nothing are reported with the nearest name."""

from __future__ import annotations

from tests.cases import each_case
from tests.planning.planned_shop import Shop
from tribal.planning.catalog.selection import unmatched_patterns
from tribal_contracts import DatabaseEntry

NAMES = {("sales", "orders"), ("sales", "customer"), ("hr", "dept")}


@each_case(
    ("settings", "said"),
    [
        (
            {"include": {"tables": ["^orders$", "dept"]}},
            ["include.tables: '^orders$' matches no table; did you mean 'orders'?"],
        ),
        (
            {"include": {"tables": ["sales.order"]}},
            ["include.tables: 'sales.order' matches no table; did you mean 'sales.orders'?"],
        ),
        (
            {"exclude": {"schemas": ["nosuch"]}},
            ["exclude.schemas: 'nosuch' matches no schema; patterns are globs, such as 'order*'"],
        ),
        ({"exclude": {"schemas": ["Sales"]}}, ["exclude.schemas: 'Sales' matches no schema; did you mean 'sales'?"]),
        (
            {"domains": {"staff": ["nothere*"]}},
            ["domains.staff: 'nothere*' matches no table; patterns are globs, such as 'order*'"],
        ),
        ({"include": {"tables": ["order*", "hr.*"], "schemas": ["secret"]}, "domains": {"staff": ["dept"]}}, []),
    ],
)
def test_a_pattern_without_a_match_is_named_with_what_was_probably_meant(
    settings: dict[str, object], said: list[str]
) -> None:
    entry = DatabaseEntry.model_validate({"name": "shop", "dsn": "postgresql://u@h/d", **settings})
    assert unmatched_patterns(entry, NAMES, ["sales", "hr", "secret"]) == said


def test_a_plan_reports_such_patterns() -> None:
    shop = Shop()
    shop.entry = shop.entry.model_copy(update={"domains": {"staff": ["nothere*"]}})
    (warning,) = [each for each in shop.plan().errors if each.code == "PLAN_FILTER_UNMATCHED"]
    assert "in 'shop' domains.staff: 'nothere*' matches no table" in warning.message
