"""Records of runs do not pile up for ever."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes import MemoryStore
from tests.sample_shop.documented import RecordingStore, Shop
from tribal.errors import StoreUnwritable
from tribal.identity import locations
from tribal.planning import latest_outline, select_units
from tribal.runs.records import prune_runs
from tribal.settings import load_settings


def recorded(store: MemoryStore) -> list[str]:
    names = (key.removeprefix(locations.RUNS).partition("/") for key in store.keys(locations.RUNS))
    return sorted({name for name, slash, _ in names if slash})


def with_runs(*names: str) -> MemoryStore:
    store = MemoryStore()
    for name in names:
        for file in ("run.json", "plan.json", "units/a.json", "catalog/shop.json"):
            store.put(f"{locations.RUNS}{name}/{file}", b"{}")
    store.put("docs/README.md", b"mine")
    return store


def test_the_oldest_runs_go_and_the_last_ones_stay() -> None:
    store = with_runs("r1", "r2", "r3", "r4")
    assert prune_runs(store, keep=2, run_id="r4") == ["r1", "r2"]
    assert recorded(store) == ["r3", "r4"]
    assert store.get("docs/README.md").data == b"mine"
    assert prune_runs(store, keep=2, run_id="r4") == []


def test_the_run_that_prunes_stays_even_where_the_clock_went_back() -> None:
    store = with_runs("r2", "r3", "r1")
    assert prune_runs(store, keep=1, run_id="r1") == ["r2", "r3"]


def test_the_latest_plan_can_still_be_documented_when_every_other_run_is_gone() -> None:
    shop = Shop()
    outline = shop.plan()
    shop.store.put(locations.LATEST_OUTLINE_FILE, outline.model_copy(update=_hash_of_plan(shop)).to_json())
    for _ in range(3):
        shop.store.put(locations.run_file(f"z{_}"), b"{}")
    assert prune_runs(shop.store, keep=1, run_id="z2") == ["z0", "z1"]
    found = latest_outline(shop.store, "z2")
    assert found is not None
    own = select_units(found, found.unit_ids, store=shop.store, run_id="z2")
    assert shop.run_task(own) is not None


def _hash_of_plan(shop: Shop) -> dict[str, str]:
    present = shop.memory.head(locations.PLAN_FILE)
    assert present is not None
    return {"plan_file_hash": present.content_hash}


def test_stopped_at_any_deletion_the_next_call_removes_the_rest() -> None:
    for stop_after in range(8):
        memory = with_runs("r1", "r2", "r3")
        store = RecordingStore(memory, writes_left=stop_after)
        with pytest.raises(StoreUnwritable):
            prune_runs(store, keep=1, run_id="r3")
        prune_runs(memory, keep=1, run_id="r3")
        assert recorded(memory) == ["r3"]


def test_how_many_runs_are_kept_is_a_setting(tmp_path: Path) -> None:
    (tmp_path / "databases.yaml").write_text("databases: [{name: shop, dsn: 'postgresql://u@h/d'}]\nruns_kept: 7\n")
    assert load_settings(project=tmp_path, environment={}).runs_kept == 7
    assert load_settings(project=tmp_path.parent, environment={}).runs_kept == 50
