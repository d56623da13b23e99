"""What `tribal plan` tells of the difference to the last plan."""

from __future__ import annotations

from tests.fakes.catalogs import column, table
from tests.planning.planned_shop import SHOP, Shop
from tribal.edges.cli.views.plan import LISTED_TABLES, changes, moves


def test_new_gone_and_changed_tables_are_listed_by_name() -> None:
    shop = Shop()
    before = shop.plan()
    shop.reader.tables = [*SHOP[:2], table("audit.change_log", column("note", "text")), table("sales.quote")]
    assert list(changes(before, shop.plan())) == [
        "new: shop.sales.quote",
        "removed: shop.billing.invoice",
        "changed: shop.audit.change_log, shop.sales.orders",
    ]


def test_a_plan_that_is_the_same_says_so() -> None:
    shop = Shop()
    assert list(changes(shop.plan(), shop.plan())) == ["Nothing changed since the last plan."]


def test_many_new_tables_are_counted_after_the_first() -> None:
    shop = Shop(SHOP[:2])
    before = shop.plan()
    shop.reader.tables = [*SHOP[:2], *(table(f"sales.t{n:02}") for n in range(LISTED_TABLES + 5))]
    (line,) = changes(before, shop.plan())
    assert line.endswith("shop.sales.t09 and 5 more")


def test_many_moves_are_counted_after_the_first() -> None:
    shop = Shop([table(f"sales.t{n:02}") for n in range(LISTED_TABLES + 5)])
    shop.plan()
    shop.entry = shop.entry.model_copy(update={"domains": {"Tills": ["t*"]}})
    told = list(moves(shop.plan()))
    assert len(told) == LISTED_TABLES + 1
    assert told[0].startswith("moved: shop.sales.t00 from ")
    assert told[0].endswith(" to tills")
    assert told[-1] == "moved: 5 more, which the plan lists"
