"""A run cut into steps, as functions take them, that asks a model."""

from __future__ import annotations

import json
from dataclasses import astuple

from tests.fakes import RecordingSink
from tests.fakes.claude import FakeClaude
from tests.fakes.claude import failures as fail
from tests.runs.model.made import ModelRuns, says, shop
from tribal.ports import StopToken
from tribal.runs.records import new_run_id
from tribal.runs.staged import StagedRun
from tribal.runs.workers.pool import ThreadWorkerPool
from tribal_contracts import CloseTask, RunRecord


def staged(runs: ModelRuns) -> RunRecord:
    """Plan, document the units of each wave and finish, each with an application of its own."""
    run_id = new_run_id(runs.clock)

    def step() -> StagedRun:
        return StagedRun(run_id, "holder", runs.app(), StopToken(), ThreadWorkerPool(), RecordingSink())

    step().open("run")
    step().read("shop")
    for wave in step().compose().waves:
        for item in json.loads(runs.store.get(wave.key).data):
            step().document(item["unit_id"])
    status = step().finish()
    assert status != "running"
    return step().close(CloseTask(run_id=run_id, status=status))


def test_a_run_in_steps_counts_the_texts_that_a_whole_run_counts(claude: FakeClaude) -> None:
    claude.mind = says("The benefits of a diverse workforce", "Tells how good it is.")
    texts = staged(ModelRuns(claude, shop(4))).texts
    assert texts is not None
    assert texts == ModelRuns(claude, shop(4)).run().texts
    assert texts.unsupported == len(shop(4))


def test_each_run_records_what_it_used_itself_although_their_plan_is_one(claude: FakeClaude) -> None:
    claude.mind = says("Holds what was ordered.", "Tells how good it is.")
    runs = ModelRuns(claude, shop(4))
    claude.script = fail.Script(share=1.0, among=(fail.REFUSAL,))
    for _ in range(2):
        before = len(claude.calls)
        record = staged(runs)
        used = record.usage
        assert used is not None
        assert record.quote is not None
        assert record.quote.calls >= used.calls
        assert record.coverage is not None
        billed = sum(sum(astuple(call.tokens)) for call in claude.calls[before:])
        assert (used.calls, used.tokens) == (len(claude.calls) - before, billed)
        claude.script = fail.Script()
    unchanged = staged(runs)
    assert (unchanged.usage, unchanged.quote) == (None, None)
    assert unchanged.coverage == record.coverage
    assert record.coverage is not None
    assert record.coverage.tables.by["model"] == 4
    assert (unchanged.tables_documented, unchanged.tables_unchanged) == (0, 4)
