"""Tables of so many open columns that they are asked about in slices: what is answered is not paid for again."""

from __future__ import annotations

import pytest

from tests.fakes import RecordingSink
from tests.fakes.catalogs import column, table
from tests.fakes.claude import FakeClaude
from tests.fakes.claude import failures as fail
from tests.runs.model.made import ModelRuns, asked_about, data_of, says
from tribal.identity import locations
from tribal.ports import StopToken
from tribal.runs.records import new_run_id
from tribal.runs.staged import StagedRun
from tribal.runs.workers.pool import ThreadWorkerPool
from tribal.store import require_record
from tribal_contracts import RunOutline

WIDE = table("stock.goods", *(column(f"grade_{number}", "text") for number in range(100)))
SLICES = 3
NAME = "shop.stock.goods"


@pytest.fixture
def runs(claude: FakeClaude) -> ModelRuns:
    claude.mind = says("Holds what was ordered.", "Tells how good it is.")
    return ModelRuns(claude, [WIDE], settings={"calls_at_once": 1})


def slices_asked(runs: ModelRuns, since: int = 0) -> list[list[int]]:
    """The columns that each question about the table asks for."""
    found = [data_of(part) for part in asked_about(runs.claude)[since:]]
    return [data["ask"]["columns"] for data in found if "t1" in data]


def sources(runs: ModelRuns) -> set[str]:
    return {column.description.source for column in runs.document(NAME).columns if column.name != "id"}


def holds_what_was_answered(runs: ModelRuns, answered: int) -> None:
    """The slices that were answered are neither quoted nor asked again, and the table is whole with the others."""
    before, asked = len(runs.claude.calls), slices_asked(runs)[:answered]
    runs.claude.script = fail.Script()
    quoted = runs.quoted()
    again = runs.calls_of(runs.run)
    assert again == quoted
    assert len(slices_asked(runs, before)) == SLICES - answered
    assert not any(columns in asked for columns in slices_asked(runs, before))
    assert sources(runs) == {"model"}
    assert runs.document(NAME).description.source == "model"
    kept = runs.prose()[NAME]
    assert kept.slices is None
    assert len(kept.columns) == len(WIDE.columns) - 1
    assert runs.calls_of(runs.run) == 0


@pytest.mark.parametrize("answered", [1, 2])
def test_slices_that_were_answered_are_not_asked_again_when_a_later_one_failed(runs: ModelRuns, answered: int) -> None:
    runs.claude.script = fail.Script(next=[None] * answered, share=1.0, among=(fail.REFUSAL,))
    runs.run()
    assert sources(runs) == {"derived"}
    holds_what_was_answered(runs, answered)
    assert runs.prose()[NAME].usage.calls == SLICES


def test_slices_that_were_answered_are_not_asked_again_when_the_cap_left_the_others(runs: ModelRuns) -> None:
    runs.settings = {"calls_at_once": 1, "per_run_usd": 0.0025}
    record = runs.run()
    assert [error.code for error in record.errors] == ["DOC_BUDGET_EXHAUSTED"]
    answered = len(slices_asked(runs))
    assert 0 < answered < SLICES
    runs.settings = {"calls_at_once": 1}
    holds_what_was_answered(runs, answered)


def test_what_was_written_before_stands_until_all_slices_are_rewritten(runs: ModelRuns) -> None:
    runs.run()
    before, asked = runs.prose()[NAME], len(runs.claude.calls)
    runs.claude.script = fail.Script(next=[None], share=1.0, among=(fail.REFUSAL,))
    runs.run(new_prose=True)
    kept = runs.prose()[NAME]
    assert (kept.key, kept.text, kept.columns) == (before.key, before.text, before.columns)
    runs.claude.script = fail.Script()
    runs.run(new_prose=True)
    assert len(slices_asked(runs, asked)) == SLICES + 1, "the refused one is asked twice"


def test_a_table_that_is_postponed_between_slices_continues_with_the_next(runs: ModelRuns) -> None:
    run_id = new_run_id(runs.clock)

    def step(stop: StopToken) -> StagedRun:
        return StagedRun(run_id, "holder", runs.app(), stop, ThreadWorkerPool(), RecordingSink())

    step(StopToken()).open("run")
    step(StopToken()).read("shop")
    step(StopToken()).compose()
    [unit] = require_record(runs.store, locations.run_outline_file(run_id), RunOutline).units
    hurried = StopToken(lambda: 0.0 if runs.claude.calls else 900.0)
    assert step(hurried).document(unit.id) == "running"
    assert len(slices_asked(runs)) == 1
    assert step(StopToken()).document(unit.id) == "completed"
    assert len(slices_asked(runs)) == SLICES
    assert sources(runs) == {"model"}
