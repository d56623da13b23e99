"""Planning: domains, work units, slices and what a second plan keeps of the first."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_case
from tests.fakes.catalogs import column, table
from tests.planning.planned_shop import SHOP, Shop, domains_of, everything_has_work
from tribal.app.options import options_of
from tribal.errors import DatabaseUnreachable, PlanError
from tribal.identity import locations
from tribal.planning import (
    check_plan,
    load_plan,
    plan_hash,
    plan_was_edited,
    recompose_plan,
    write_run_plan,
)
from tribal.planning.units.work_units import Chunk, cut_domain, unit_ids
from tribal.ports import PlanOptions, RunParameters
from tribal.settings import load_settings
from tribal_contracts import (
    CatalogSlice,
    DatabaseEntry,
    DocumentationPlan,
    RunOutline,
    Selection,
    WorkUnit,
)


def test_named_schemas_are_domains_and_every_table_has_exactly_one() -> None:
    plan = Shop().plan()
    assert domains_of(plan) == {
        "audit": ["shop.audit.change_log"],
        "billing": ["shop.billing.invoice"],
        "sales": ["shop.sales.customer", "shop.sales.orders"],
    }
    assert sorted(spec.fully_qualified_name for unit in plan.work_units for spec in unit.tables) == sorted(
        name for names in domains_of(plan).values() for name in names
    )
    check_plan(plan)


def test_audit_tables_come_last_and_counts_are_those_of_the_catalog() -> None:
    plan = Shop().plan()
    assert [unit.domain for unit in plan.work_units][-1] == "audit"
    specs = {spec.table_name: spec for unit in plan.work_units for spec in unit.tables}
    assert specs["change_log"].priority == 3
    assert (specs["orders"].incoming_fk_count, specs["orders"].outgoing_fk_count) == (1, 1)
    assert specs["customer"].existing_comment == "Who buys."
    assert specs["customer"].row_count_approx == 10


def test_planning_twice_changes_nothing_in_the_store() -> None:
    shop = Shop()
    shop.plan()
    before = shop.contents()
    shop.clock.advance(3600)
    shop.reader.rows = 99
    shop.plan()
    after = shop.contents()
    assert {key for key in before if before[key] != after[key]} == set()
    assert set(after) == set(before)


def test_row_counts_are_read_again_when_they_are_over_age() -> None:
    shop = Shop()
    shop.plan()
    shop.reader.rows = 99
    shop.clock.advance(8 * 24 * 3600)
    plan = shop.plan()
    assert {spec.row_count_approx for unit in plan.work_units for spec in unit.tables} == {99}


def test_each_count_has_the_time_at_which_the_server_was_asked() -> None:
    shop = Shop()
    first = {spec.row_count_at for unit in shop.plan().work_units for spec in unit.tables}
    shop.clock.advance(3600)
    shop.reader.tables = [*SHOP, table("audit.new", column("id"))]
    specs = [spec for unit in shop.plan().work_units for spec in unit.tables]
    later = {spec.row_count_at for spec in specs if spec.table_name == "new"}
    assert {spec.row_count_at for spec in specs if spec.table_name != "new"} == first
    assert len(first) == len(later) == 1
    assert later != first


def test_a_forced_run_reads_row_counts_and_key_evidence_again(tmp_path: Path) -> None:
    settings = load_settings(project=tmp_path, dsn="postgresql://u@h/d", environment={})
    assert options_of(settings, RunParameters()).statistics_max_age == timedelta(days=7)
    assert options_of(settings, RunParameters(force=True)).statistics_max_age == timedelta(0)


def test_a_changed_column_changes_the_hash_of_its_table_and_unit_alone() -> None:
    shop = Shop()
    first = {spec.fully_qualified_name: spec.metadata_hash for unit in shop.plan().work_units for spec in unit.tables}
    shop.reader.tables = [*SHOP[:3], table("audit.change_log", column("note", "text"))]
    second = {spec.fully_qualified_name: spec.metadata_hash for unit in shop.plan().work_units for spec in unit.tables}
    assert [name for name in first if first[name] != second[name]] == ["shop.audit.change_log"]


def test_a_pin_wins_over_schema_and_last_plan_and_the_move_is_listed() -> None:
    shop = Shop()
    shop.plan()
    shop.entry = DatabaseEntry(name="shop", domains={"Money Matters": ["invoice*"]})
    plan = shop.plan()
    assert domains_of(plan)["money-matters"] == ["shop.billing.invoice"]
    assert plan.databases[0].domain_titles is not None
    assert plan.databases[0].domain_titles["money-matters"] == "Money Matters"
    assert [(move.table, move.from_domain, move.to_domain) for move in plan.moves or ()] == [
        ("shop.billing.invoice", "billing", "money-matters")
    ]


def test_a_domain_holds_still_until_replan_is_asked_for() -> None:
    shop = Shop()
    edited = shop.plan().model_dump(mode="json")
    edited["databases"][0]["domains"] = {
        "all": sorted(n for ns in edited["databases"][0]["domains"].values() for n in ns)
    }
    shop.store.put(locations.PLAN_FILE, json.dumps(edited).encode())
    assert set(domains_of(shop.plan())) == {"all"}
    assert set(domains_of(shop.plan(PlanOptions(config_hash="c" * 64, replan=True)))) == {"audit", "billing", "sales"}


def test_an_edited_plan_is_noticed_and_recut_without_a_database() -> None:
    shop = Shop()
    data = shop.plan().model_dump(mode="json")
    data["databases"][0]["domains"]["billing"].append(data["databases"][0]["domains"]["sales"].pop())
    edited = DocumentationPlan.model_validate(data)
    assert plan_was_edited(edited)
    shop.reader.asked.clear()
    again = recompose_plan(edited, shop.app(), has_work=everything_has_work).plan
    assert shop.reader.asked == []
    assert not plan_was_edited(again)
    assert domains_of(again)["billing"] == ["shop.billing.invoice", "shop.sales.orders"]


def test_an_edit_that_cannot_be_kept_is_reported() -> None:
    shop = Shop()
    shop.entry = shop.entry.model_copy(update={"domains": {"Audit": ["audit.*"]}})
    data = shop.plan().model_dump(mode="json")
    domains = data["databases"][0]["domains"]
    domains["sales"] += [*domains.pop("audit"), "shop.sales.gone"]
    domains["billing"].append(domains["sales"].pop(domains["sales"].index("shop.sales.orders")))
    domains["sales"].remove("shop.sales.customer")
    edited = DocumentationPlan.model_validate(data)
    again = recompose_plan(edited, shop.app(), has_work=everything_has_work).plan
    told = {(error.context or {})["table"]: error.message for error in again.errors if error.code == "PLAN_EDIT_UNDONE"}
    assert told.keys() == {"shop.audit.change_log", "shop.sales.gone", "shop.sales.customer"}
    assert "pins it to 'audit'" in told["shop.audit.change_log"]
    assert "no such table" in told["shop.sales.gone"]
    assert "was put in 'billing'" in told["shop.sales.customer"]
    assert not [
        e for e in recompose_plan(again, shop.app(), has_work=everything_has_work).plan.errors if "EDIT" in e.code
    ]


def test_a_slice_holds_the_tables_of_its_unit_and_the_keys_of_their_neighbours() -> None:
    shop = Shop()
    unit = next(unit for unit in shop.plan().work_units if unit.domain == "sales")
    assert unit.slice_file is not None
    part = CatalogSlice.from_json(shop.store.get(unit.slice_file).data)
    assert [t.table_name for t in part.tables] == ["customer", "orders"]
    assert [(key.from_table, key.table) for key in part.incoming] == [
        ("shop.sales.orders", "shop.sales.customer"),
        ("shop.billing.invoice", "shop.sales.orders"),
    ]
    assert part.neighbours["shop.billing.invoice"].path == "shop/billing/billing.invoice.md"


def test_an_unreachable_database_is_part_of_the_plan_with_its_last_hash() -> None:
    shop = Shop()
    known = shop.plan().databases[0].schema_hash
    shop.reader.failure = DatabaseUnreachable("no answer")
    reading = shop.read()
    assert (reading.status, reading.schema_hash, reading.table_count) == ("unreachable", known, 0)
    with pytest.raises(DatabaseUnreachable, match="no answer"):
        shop.plan()
    assert load_plan(shop.store).databases[0].status == "reachable"


def test_without_any_table_no_plan_is_written_and_the_reason_is_said() -> None:
    shop = Shop([])
    with pytest.raises(PlanError) as caught:
        shop.plan()
    assert caught.value.code == "PLAN_EMPTY"
    assert shop.store.head(locations.PLAN_FILE) is None


def test_only_a_positive_check_makes_a_documented_table_gone() -> None:
    shop = Shop(exclude=Selection(tables=["scratch"]))
    shop.document("sales.customer", "sales.dropped", "secret.hidden", "public.scratch")
    shop.reader.hidden = frozenset({("secret", "hidden")})
    shop.reader.unreadable = ("secret",)
    reading = shop.read()
    assert reading.gone_tables == ["shop.sales.dropped"]
    assert reading.excluded_tables == ["shop.public.scratch"]
    assert [error.code for error in reading.errors] == ["PLAN_SCHEMA_UNREADABLE", "PLAN_FILTER_UNMATCHED"]


def test_a_table_that_is_gone_is_reported_once_and_the_plan_after_that_is_left_alone() -> None:
    shop = Shop()
    shop.document("public.hidden")
    shop.reader.hidden = frozenset({("public", "hidden")})
    assert shop.plan().databases[0].gone_tables is None
    shop.reader.hidden = frozenset()
    shop.plan()
    assert load_plan(shop.store).databases[0].gone_tables == ["shop.public.hidden"]
    before = shop.contents()
    shop.store.delete(locations.MANIFEST_FILE)
    shop.plan()
    assert shop.store.get(locations.PLAN_FILE).data == before[locations.PLAN_FILE]


def test_excluded_tables_are_not_planned() -> None:
    plan = Shop(exclude=Selection(schemas=["audit"], tables=["sales.cust*"])).plan()
    assert [name for names in domains_of(plan).values() for name in names] == [
        "shop.billing.invoice",
        "shop.sales.orders",
    ]


def test_the_runs_copy_of_the_plan_lies_unit_by_unit() -> None:
    shop = Shop()
    plan = shop.plan()
    outline = write_run_plan(plan, store=shop.store, run_id="r1", unit_ids={"shop_sales"})
    assert RunOutline.from_json(shop.store.get(locations.run_outline_file("r1")).data) == outline
    assert outline.unit_ids == ["shop_sales"]
    assert outline.plan_hash == plan_hash(plan)
    unit = WorkUnit.from_json(shop.store.get(locations.run_unit_file("r1", "shop_sales")).data)
    assert unit.id == "shop_sales"


@each_case(
    ("change", "code"),
    [
        ({"schema_version": "9.9"}, "PLAN_VERSION_MISMATCH"),
        ({"summary": ...}, "PLAN_MISSING_FIELD"),
        ({"work_units": []}, "DOC_PLAN_INVALID"),
    ],
)
def test_a_plan_that_cannot_be_read_says_where_and_what_to_do(change: dict[str, object], code: str) -> None:
    shop = Shop()
    data = shop.plan().model_dump(mode="json") | change
    data = {key: value for key, value in data.items() if value is not ...}
    shop.store.put(locations.PLAN_FILE, json.dumps(data).encode())
    with pytest.raises(PlanError) as caught:
        load_plan(shop.store)
    assert caught.value.code == code
    assert "tribal plan" in caught.value.message


OUTSIDE_DOCS = ("/etc/shop", "../shop", "shop/../../other", "", ".", "shop//sales", "C:/shop", "shop\\..\\..", "a\0b")


@each_case(
    ("change", "code"),
    [
        ({"tables": []}, "WORK_UNIT_EMPTY"),
        ({"depends_on": ["nowhere"]}, "WORK_UNIT_INVALID"),
        ({"depends_on": ["shop_billing"]}, "WORK_UNIT_INVALID"),
        ({"output_directory": "shop/sales"}, "WORK_UNIT_INVALID"),
        *(({"output_directory": outside}, "WORK_UNIT_INVALID") for outside in OUTSIDE_DOCS),
    ],
)
def test_a_plan_that_cannot_be_carried_out_is_refused(change: dict[str, object], code: str) -> None:
    plan = Shop().plan()
    units = [unit.model_copy(update=change) if unit.id == "shop_billing" else unit for unit in plan.work_units]
    with pytest.raises(PlanError) as caught:
        check_plan(plan.model_copy(update={"work_units": units}))
    assert caught.value.code == code


def test_a_large_domain_is_cut_and_its_members_keep_their_chunk() -> None:
    names = [f"db.s.t{n:02}" for n in range(30)]
    first = cut_domain("db", "s", names, size=25, previous={})
    assert [(chunk.plain_id, len(chunk.tables)) for chunk in first] == [("db_s_1", 25), ("db_s_2", 5)]
    numbers = {name: chunk.number or 0 for chunk in first for name in chunk.tables}
    again = cut_domain("db", "s", [*names[5:], "db.s.a_new_one"], size=25, previous=numbers)
    kept = {name: chunk.number for chunk in again for name in chunk.tables}
    assert all(kept[name] == numbers[name] for name in names[5:])
    assert kept["db.s.a_new_one"] == 1


@given(
    st.sets(st.integers(0, 200), min_size=1, max_size=120),
    st.dictionaries(st.integers(0, 200), st.integers(1, 6)),
    st.integers(1, 30),
)
def test_cutting_loses_and_doubles_no_table(tables: set[int], numbers: dict[int, int], size: int) -> None:
    names = [f"db.s.t{n}" for n in tables]
    chunks = cut_domain("db", "s", names, size=size, previous={f"db.s.t{n}": k for n, k in numbers.items()})
    assert sorted(name for chunk in chunks for name in chunk.tables) == sorted(names)
    assert all(len(chunk.tables) <= size for chunk in chunks)


def test_units_that_would_share_an_id_are_told_apart() -> None:
    chunks = [Chunk("a_b", "c", None, ("x",)), Chunk("a", "b_c", None, ("y",)), Chunk("a", "d", None, ("z",))]
    ids = unit_ids(chunks)
    assert len(set(ids.values())) == 3
    assert ids[chunks[2]] == "a_d"
