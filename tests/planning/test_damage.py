"""Planning again puts back what is damaged of the plan, its slices and its snapshots, and never a person's edits."""

from __future__ import annotations

import json

import pytest

from tests.cases import each_case
from tests.planning.planned_shop import HeldLease, Shop
from tribal.errors import ObjectDamaged, PlanError
from tribal.identity import locations
from tribal.planning import last_plan, publish_plan, write_run_plan
from tribal.store import iterate_snapshot, put_record, read_record, require_record
from tribal_contracts import CatalogReading, CatalogSlice

RUN = "20260101T000000Z-abcdef"


def planned() -> Shop:
    """A database whose plan has been published as a run does it."""
    shop = Shop()
    outline = write_run_plan(shop.plan(), store=shop.store, run_id=RUN)
    put_record(shop.store, locations.LATEST_OUTLINE_FILE, outline)
    return shop


def damages(data: bytes) -> list[bytes]:
    return [b"", data[:-40], b"\0" * len(data), data.replace(b"orders", b"ordess"), data[:99] + b"\xff" + data[100:]]


@each_case("kind", ["snapshots/", "slices/", "statistics.json", "latest.json"])
@each_case("number", range(5))
def test_what_planning_wrote_is_put_back_by_planning_again(kind: str, number: int) -> None:
    shop = planned()
    before = shop.contents()
    keys = [key for key in before if key.startswith("catalog/") and kind in key]
    assert keys
    for key in keys:
        shop.store.put(key, damages(before[key])[number])
    shop.plan()
    assert {key: data for key, data in shop.contents().items() if before.get(key) != data} == {}


def test_a_damaged_snapshot_is_reported_by_its_name_and_never_read() -> None:
    shop = planned()
    reading = read_record(shop.store, locations.latest_reading_file("shop"), CatalogReading)
    assert reading is not None
    key = reading.snapshot_file or ""
    for data in damages(shop.store.get(key).data):
        shop.store.put(key, data)
        with pytest.raises(ObjectDamaged, match="`tribal plan` or `tribal run` rebuilds it"):
            list(iterate_snapshot(shop.store, reading)[1])
        unknown = reading.model_copy(update={"snapshot_hash": None})
        if data and b"ordess" not in data:
            with pytest.raises(ObjectDamaged):
                list(iterate_snapshot(shop.store, unknown)[1])


def test_a_slice_of_another_hash_than_its_name_is_refused() -> None:
    shop = planned()
    key = next(key for key, data in shop.contents().items() if "/slices/" in key and b"sales" in data)
    shop.store.put(key, shop.store.get(key).data.replace(b"sales", b"salez"))
    with pytest.raises(ObjectDamaged, match="plan again"):
        require_record(shop.store, key, CatalogSlice, locations.slice_hash(key))


@each_case("number", [0, 1, 2, 4])
def test_a_damaged_plan_that_no_one_edited_is_put_back(number: int) -> None:
    shop = planned()
    before = shop.store.get(locations.PLAN_FILE).data
    shop.store.put(locations.PLAN_FILE, damages(before)[number])
    previous = last_plan(shop.store)
    assert previous is not None
    publish_plan(previous, store=shop.store, lease=HeldLease())
    assert shop.store.get(locations.PLAN_FILE).data == before


def test_a_plan_is_put_back_with_what_it_said_of_work_when_it_was_made() -> None:
    shop = planned()
    before = shop.store.get(locations.PLAN_FILE).data
    plan = last_plan(shop.store)
    assert plan is not None
    idle = plan.model_copy(
        update={"work_units": [unit.model_copy(update={"has_work": False}) for unit in plan.work_units]}
    )
    shop.store.delete(locations.PLAN_FILE)
    assert not publish_plan(idle, store=shop.store, lease=HeldLease())
    assert shop.store.get(locations.PLAN_FILE).data == before


@each_case("edit", ["{", "moved by hand\n", "[]"])
def test_a_plan_that_a_person_edited_and_that_cannot_be_read_is_refused_and_stays(edit: str) -> None:
    shop = planned()
    text = shop.store.get(locations.PLAN_FILE).data.decode()
    edited = edit if edit == "[]" else text.replace('"databases": [', f'"databases": [ {edit}')
    shop.store.put(locations.PLAN_FILE, edited.encode())
    with pytest.raises(PlanError, match=r"documentation-plan.json cannot be read .* correct it, or delete it"):
        last_plan(shop.store)
    assert shop.store.get(locations.PLAN_FILE).data == edited.encode()


def test_domains_that_a_person_moved_are_kept_as_before() -> None:
    shop = planned()
    plan = json.loads(shop.store.get(locations.PLAN_FILE).data)
    domains = plan["databases"][0]["domains"]
    domains["billing"].append(domains["sales"].pop())
    shop.store.put(locations.PLAN_FILE, json.dumps(plan).encode())
    previous = last_plan(shop.store)
    assert previous is not None
    assert previous.databases[0].domains == domains
