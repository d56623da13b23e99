"""What keeps a plan from being made or carried out is found before any work, and has a code of its own."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.cases import each_case
from tests.fakes import MemoryStore, RecordingSink
from tests.fakes.application import with_run
from tests.fakes.catalogs import HandMadeReader
from tests.sample_shop.documented import TABLES, Shop
from tribal.errors import PlanError, StoreUnwritable
from tribal.identity import locations
from tribal.ports import Application, Provider
from tribal.runs.local import LocalRun


class FillingStore(MemoryStore):
    """Takes so many more writes, and then none."""

    def __init__(self, writes: int) -> None:
        super().__init__()
        self.writes_left = writes

    def put(self, key: str, data: bytes, *, if_match: str | None = None, if_absent: bool = False) -> str:
        if self.writes_left <= 0:
            raise StoreUnwritable("no space left on device")
        self.writes_left -= 1
        return super().put(key, data, if_match=if_match, if_absent=if_absent)


def plan(app: Application) -> None:
    with LocalRun(app, "plan", RecordingSink()) as work:
        work.plan()


@each_case("writes", range(6))
def test_a_store_that_is_read_only_or_full_is_a_plan_that_cannot_be_written(writes: int) -> None:
    reader = HandMadeReader(TABLES)
    app = with_run(replace(Shop().app(), store=Provider.of(FillingStore(writes))), open_reader=lambda _: reader)
    with pytest.raises(StoreUnwritable) as caught:
        plan(app)
    assert caught.value.code == "PLAN_WRITE_FAILED"
    assert writes or not reader.asked


@each_case(
    ("change", "code"),
    [
        ({"tables": []}, "WORK_UNIT_EMPTY"),
        ({"output_directory": "../elsewhere"}, "WORK_UNIT_INVALID"),
        ({"output_directory": "/elsewhere"}, "WORK_UNIT_INVALID"),
    ],
)
def test_a_unit_that_cannot_be_carried_out_stops_the_run_before_any_table(change: dict[str, object], code: str) -> None:
    shop = Shop()
    plan(shop.app())
    made = json.loads(shop.store.get(locations.PLAN_FILE).data)
    made["work_units"][0] |= change
    shop.memory.put(locations.PLAN_FILE, json.dumps(made).encode())
    sink = RecordingSink()
    with pytest.raises(PlanError) as caught, LocalRun(shop.app(), "document", sink) as work:
        work.document()
    assert caught.value.code == code
    assert not sink.outcomes("document")
    assert not list(shop.memory.keys(locations.DOCS))
