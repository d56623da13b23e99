"""However a run ends, what its model has cost is written, and whatever ended the run is what it says."""

from __future__ import annotations

import pytest

from tests.fakes import MemoryStore, RecordingSink
from tests.fakes.claude import FakeClaude
from tests.runs.model.made import ModelRuns, says
from tribal.errors import LeaseLost, StoreUnwritable
from tribal.identity import locations
from tribal.jobs.lease_file import LeaseFile
from tribal.ports import StopToken
from tribal.runs.local import LocalRun
from tribal.runs.staged import StagedRun
from tribal.runs.workers.pool import ThreadWorkerPool


class RefusingStore(MemoryStore):
    """Refuses to write below a folder, once it is told to."""

    def __init__(self, below: str) -> None:
        super().__init__()
        self._below = below
        self.full = False

    def put(self, key: str, data: bytes, *, if_match: str | None = None, if_absent: bool = False) -> str:
        if self.full and key.startswith(self._below):
            raise StoreUnwritable(f"no space left for {self._below}")
        return super().put(key, data, if_match=if_match, if_absent=if_absent)


@pytest.fixture
def runs(claude: FakeClaude) -> ModelRuns:
    claude.mind = says("Holds what was ordered.", "Tells how good it is.")
    return ModelRuns(claude)


def everything_is_booked(runs: ModelRuns) -> bool:
    """Whether the record has what the vendor counted, and nothing is reserved."""
    record = runs.budget()
    return record.holders == {} and record.day_spend.settled_nanodollars == runs.claude.nanodollars > 0


def documented(runs: ModelRuns) -> LocalRun:
    """A run in progress that has asked the model."""
    work = LocalRun(runs.app(), "run", runs.sink)
    work.__enter__()
    work.plan()
    work.document()
    return work


@pytest.mark.parametrize("error", [KeyboardInterrupt(), StoreUnwritable("the disk is full"), LeaseLost("rival")])
def test_whatever_ends_a_run_the_cost_of_its_calls_is_booked(runs: ModelRuns, error: BaseException) -> None:
    def end() -> None:
        with LocalRun(runs.app(), "run", runs.sink) as work:
            work.plan()
            work.document()
            raise error

    with pytest.raises(type(error)):
        end()
    assert everything_is_booked(runs)


def test_a_run_that_has_lost_its_lease_books_what_it_spent_in_the_day(runs: ModelRuns) -> None:
    def lose_the_lease() -> None:
        with LocalRun(runs.app(), "run", runs.sink) as work:
            work.plan()
            rival = LeaseFile(runs.store, runs.clock)
            ours, etag = rival.read()
            assert ours is not None
            rival.put(ours.model_copy(update={"run_id": "rival", "fencing_token": ours.fencing_token + 1}), etag)
            work.document()

    with pytest.raises(LeaseLost):
        lose_the_lease()
    assert everything_is_booked(runs)


@pytest.mark.parametrize("error", [None, LeaseLost("rival")])
def test_a_store_that_refuses_the_cost_at_last_neither_fails_a_run_nor_hides_why_it_failed(
    runs: ModelRuns, error: LeaseLost | None
) -> None:
    store = runs.store = RefusingStore(locations.BUDGET_FILE)
    work = documented(runs)
    store.full = True
    work.__exit__(type(error) if error else None, error, None)
    assert work.record.status == ("completed" if error is None else "failed")
    assert [each.message for each in work.record.errors] == ([] if error is None else ["rival"])
    (note,) = runs.sink.notes
    assert "highest price is assumed: no space left" in note

    store.full, before = False, runs.claude.nanodollars
    runs.run(new_prose=True)
    spend = runs.budget().day_spend
    assert spend.unsettled_nanodollars > 0
    assert spend.nanodollars >= runs.claude.nanodollars > before


def test_a_stage_of_a_deployed_run_books_what_it_spent_and_says_why_it_failed(runs: ModelRuns) -> None:
    store = runs.store = RefusingStore(locations.DOCS)
    composed = stage(runs)
    entry = composed.open("run")[0]
    composed.read(entry.name)
    composed.compose()
    units = [key.split("/")[-1].removesuffix(".json") for key in store.keys(f"{locations.RUNS}run-1/units/")]
    stage(runs).document(units[0])
    assert everything_is_booked(runs)
    store.full = True
    with pytest.raises(StoreUnwritable, match="no space left"):
        stage(runs).document(units[1])
    assert everything_is_booked(runs)


def stage(runs: ModelRuns) -> StagedRun:
    """The run in another process."""
    stop = StopToken()
    return StagedRun("run-1", "here", runs.app(), stop, ThreadWorkerPool(stop), RecordingSink())
