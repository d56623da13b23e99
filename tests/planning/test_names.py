"""The names of a whole database, kept for what a model writes about any of its tables."""

from __future__ import annotations

from dataclasses import replace

from tests.cases import each_case
from tests.fakes import MemoryStore
from tests.fakes.catalogs import column, table
from tests.planning.planned_shop import OPTIONS, Shop
from tribal.identity import locations
from tribal.ports import Application, PlanOptions, Provider
from tribal.store import read_names
from tribal_contracts import CatalogNames, ModelSettings

MODEL = ModelSettings(provider="bedrock", name="anthropic.claude-haiku-5-5")
TABLES = [
    table("sales.orders", column("status", "text"), column("Total", "integer")),
    table("archive.orders", column("status", "text")),
    table("sales.customer", column("E-mail", "text")),
]
KEY = locations.names_file("shop")


class DescribedShop(Shop):
    """A shop that a model describes, unless its entry says otherwise."""

    def app(self, planning: PlanOptions = OPTIONS) -> Application:
        app = super().app(planning)
        return replace(app, options=Provider.of(replace(app.options(), model=MODEL)))


def test_a_database_that_a_model_describes_keeps_each_name_once_in_order() -> None:
    shop = DescribedShop(TABLES)
    shop.read()
    names = read_names(shop.store, "shop")
    assert names is not None
    assert names.tables == ["customer", "orders"]
    assert names.columns == sorted({c.name for t in TABLES for c in t.columns})
    assert {"E-mail", "Total", "status"} <= set(names.columns)
    assert CatalogNames.from_json(shop.store.get(KEY).data) == names


@each_case("shop", [Shop(TABLES), DescribedShop(TABLES, describer="rules")], ids=["no model", "rules"])
def test_a_database_that_rules_describe_keeps_none(shop: Shop) -> None:
    shop.read()
    assert shop.store.head(KEY) is None


def test_names_are_written_again_only_when_one_has_changed() -> None:
    shop = DescribedShop(TABLES)
    shop.read()
    before = shop.contents()
    shop.read()
    assert shop.contents() == before
    shop.reader.tables = [*TABLES, table("sales.refund")]
    shop.read()
    names = read_names(shop.store, "shop")
    assert names is not None
    assert names.tables == ["customer", "orders", "refund"]


@each_case("damage", [None, b"{}", b"\0" * 40])
def test_names_that_are_missing_or_damaged_come_from_the_last_snapshot(damage: bytes | None) -> None:
    shop = DescribedShop(TABLES)
    shop.read()
    names = read_names(shop.store, "shop")
    shop.store.delete(KEY)
    if damage is not None:
        shop.store.put(KEY, damage)
    assert names is not None
    assert read_names(shop.store, "shop") == names


def test_a_database_that_was_never_read_has_no_names() -> None:
    assert read_names(MemoryStore(), "shop") is None
