"""Domains that earlier rules chose are regrouped once, and names keep unrelated databases apart."""

from __future__ import annotations

import json
from dataclasses import replace

from tests.fakes import application, options
from tests.fakes.catalogs import HandMadeReader, table
from tests.planning.planned_shop import OPTIONS, Shop, domains_of, everything_has_work
from tribal.errors import DatabaseUnreachable
from tribal.identity import locations
from tribal.planning import (
    compose_plan,
    read_catalog,
    recompose_plan,
)
from tribal.planning.domains.grouping import DOMAIN_RULES
from tribal_contracts import (
    DatabaseEntry,
    DocumentationPlan,
)


def of_earlier_rules(plan: DocumentationPlan, **moved: str) -> DocumentationPlan:
    """The plan as earlier rules would have made it: one domain, and no word about the rules."""
    data = plan.model_dump(mode="json", exclude_none=True)
    for analysis in data["databases"]:
        analysis.pop("domain_rules", None)
        analysis["domains"] = {"general": sorted(name for names in analysis["domains"].values() for name in names)}
    for unit in data["work_units"]:
        unit["domain"] = "general"
    for name, domain in moved.items():
        found = next(full for full in data["databases"][0]["domains"]["general"] if full.endswith("." + name))
        data["databases"][0]["domains"]["general"].remove(found)
        data["databases"][0]["domains"].setdefault(domain, []).append(found)
    return DocumentationPlan.model_validate(data)


def compose_two(
    shop: Shop, other: DatabaseEntry, reader: HandMadeReader, previous: DocumentationPlan | None
) -> DocumentationPlan:
    """The plan of the shop and another database."""
    readers = {"shop": shop.reader, other.name: reader}
    app = application(
        store=shop.store,
        clock=shop.clock,
        open_reader=lambda entry: readers[entry.name],
        opts=replace(options(shop.entry, other), planning=OPTIONS),
    )
    readings = [read_catalog(entry, app, "run") for entry in (shop.entry, other)]
    return compose_plan(readings, app, previous=previous, has_work=everything_has_work).plan


def test_domains_that_earlier_rules_chose_are_regrouped_once_and_listed_as_moves() -> None:
    shop = Shop()
    shop.store.put(locations.PLAN_FILE, of_earlier_rules(shop.plan()).to_json())
    plan = shop.plan()
    assert set(domains_of(plan)) == {"audit", "billing", "sales"}
    assert {(move.table, move.from_domain) for move in plan.moves or ()} == {
        (name, "general") for names in domains_of(plan).values() for name in names
    }
    edited = plan.model_dump(mode="json")
    edited["databases"][0]["domains"] = {"all": sorted(n for ns in domains_of(plan).values() for n in ns)}
    shop.store.put(locations.PLAN_FILE, json.dumps(edited).encode())
    assert set(domains_of(shop.plan())) == {"all"}


def test_what_a_person_moved_or_pinned_is_not_regrouped() -> None:
    shop = Shop()
    shop.entry = shop.entry.model_copy(update={"domains": {"Trails": ["audit.*"]}})
    shop.store.put(locations.PLAN_FILE, of_earlier_rules(shop.plan(), customer="people").to_json())
    assert domains_of(shop.plan()) == {
        "billing": ["shop.billing.invoice"],
        "people": ["shop.sales.customer"],
        "sales": ["shop.sales.orders"],
        "trails": ["shop.audit.change_log"],
    }


def test_the_domains_of_a_plan_that_a_person_edited_hold_from_then_on() -> None:
    shop = Shop()
    edited = of_earlier_rules(shop.plan(), customer="people")
    again = recompose_plan(edited, shop.app(), has_work=everything_has_work).plan
    assert set(domains_of(again)) == {"general", "people"}
    shop.store.put(locations.PLAN_FILE, again.to_json())
    assert set(domains_of(shop.plan())) == {"general", "people"}


def test_a_database_that_cannot_be_reached_keeps_its_domains_and_is_regrouped_later() -> None:
    shop = Shop()
    other = HandMadeReader([table("public.bell")])
    tower = DatabaseEntry(name="tower")
    plan = compose_two(shop, tower, other, previous=None)
    earlier = of_earlier_rules(plan)
    shop.reader.failure = DatabaseUnreachable("no answer")
    between = compose_two(shop, tower, other, previous=earlier)
    assert {a.name: a.domain_rules for a in between.databases} == {"shop": None, "tower": DOMAIN_RULES}


def test_tables_of_two_databases_that_nothing_ties_are_two_domains() -> None:
    shop = Shop([table("public.zz"), table("public.qq")])
    plan = compose_two(shop, DatabaseEntry(name="tower"), HandMadeReader([table("public.bell")]), previous=None)
    assert [list(analysis.domains) for analysis in plan.databases] == [["shop"], ["tower"]]


def test_a_name_that_says_little_stays_with_the_database_that_has_it_and_is_not_given_to_a_newcomer() -> None:
    shop = Shop([table("config.radio"), table("sky.bell")])
    tower = DatabaseEntry(name="tower")
    first = compose_two(shop, tower, HandMadeReader([table("config.flag"), table("crm.lead")]), previous=None)
    assert [list(analysis.domains) for analysis in first.databases] == [["config", "sky"], ["crm", "flag"]]
    swapped = HandMadeReader([table("public.zz")])
    shop.reader.tables = [table("config.other"), table("config.radio"), table("sky.bell")]
    again = compose_two(shop, tower, swapped, previous=first)
    assert list(again.databases[0].domains) == ["config", "sky"]
