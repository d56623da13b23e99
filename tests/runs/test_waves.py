"""In which order a Map begins units, and how many of them at once."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_case
from tests.fakes import RecordingSink
from tests.fakes.claude import FakeClaude
from tests.runs.model.made import ModelRuns, shop
from tribal.ports import StopToken
from tribal.runs.records import new_run_id
from tribal.runs.staged import StagedRun
from tribal.runs.waves import interleaved, units_needed
from tribal.runs.workers.pool import ThreadWorkerPool
from tribal_contracts import ComposedRun

unit_sizes = st.lists(st.integers(1, 25), max_size=40)


@each_case(
    ("tables", "enough", "expected"),
    [([], 10, 1), ([25, 25, 25], 10, 1), ([5, 5, 5, 5], 10, 2), ([9, 1, 1, 1, 1], 4, 4), ([1, 1, 1], 10, 3)],
    ids=["nothing", "one is enough", "two are", "the last are small", "all are not"],
)
def test_as_many_units_as_keep_the_model_busy(tables: list[int], enough: int, expected: int) -> None:
    assert units_needed(tables, enough) == expected


@given(tables=unit_sizes, enough=st.integers(1, 60))
def test_wherever_a_map_is_there_are_tables_enough_or_no_more_units(tables: list[int], enough: int) -> None:
    width = units_needed(tables, enough)
    for start in range(len(tables)):
        assert sum(tables[start : start + width]) >= enough or start + width >= len(tables)


@given(sizes=unit_sizes)
def test_large_units_and_small_ones_come_by_turns(sizes: list[int]) -> None:
    tables = {f"unit_{number}": size for number, size in enumerate(sizes)}
    order = interleaved(list(tables), tables)
    assert sorted(order) == sorted(tables)
    pairs = [tables[first] + tables[second] for first, second in zip(order[::2], order[1::2], strict=False)]
    # Two neighbours never hold more than the largest and the smallest, or two of the middle.
    assert all(pair <= max(sizes) + sorted(sizes)[len(sizes) // 2] for pair in pairs)


def composed(claude: FakeClaude, calls_at_once: int, rows: int = 0) -> tuple[ComposedRun, list[str]]:
    """A run of units of four tables, cut into waves; and its units in their order."""
    runs = ModelRuns(claude, shop(60), settings={"calls_at_once": calls_at_once}, tables_per_unit=4, rows=rows)
    run = StagedRun(new_run_id(runs.clock), "holder", runs.app(), StopToken(), ThreadWorkerPool(), RecordingSink())
    run.open("run")
    run.read("shop")
    cut = run.compose()
    return cut, [item["unit_id"] for wave in cut.waves for item in json.loads(runs.store.get(wave.key).data)]


def test_a_map_is_as_wide_as_the_calls_at_once_need_it(claude: FakeClaude) -> None:
    narrow, units = composed(claude, calls_at_once=1)
    wide, same_units = composed(claude, calls_at_once=20)
    assert sorted(units) == sorted(same_units)
    assert narrow.units_at_once == 4
    assert wide.units_at_once >= 10


def test_a_map_of_units_that_are_sampled_keeps_to_the_connections_of_the_server(claude: FakeClaude) -> None:
    assert composed(claude, calls_at_once=20, rows=50)[0].units_at_once == 4
