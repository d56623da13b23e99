"""Answers that cannot be used as they come: asked for again at once, in halves, or by the next run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.cases import each_case
from tests.fakes import RecordingSink
from tests.fakes.catalogs import column, table
from tests.fakes.claude import FakeClaude
from tests.fakes.claude import failures as fail
from tests.runs.model.made import ModelRuns, asked_about, data_of, says, shop
from tribal.identity import locations
from tribal.ports import StopToken
from tribal.runs.records import new_run_id
from tribal.runs.staged import StagedRun
from tribal.runs.workers.pool import ThreadWorkerPool
from tribal.store import require_record
from tribal_contracts import CloseTask, RunOutline

NAME = "shop.parcels.parcel_parcel_0"


@pytest.fixture
def runs(claude: FakeClaude) -> ModelRuns:
    claude.mind = says("Holds what was ordered.", "Tells how good it is.")
    return ModelRuns(claude, shop(1), settings={"calls_at_once": 1})


def asked(runs: ModelRuns, since: int = 0) -> list[tuple[bool, int]]:
    """Of each question about the table, whether it asks for its text, and for how many columns."""
    found = [data_of(part) for part in asked_about(runs.claude)[since:]]
    return [(data["ask"]["text"], len(data["ask"]["columns"])) for data in found if "t1" in data]


def test_of_an_answer_that_is_cut_after_one_of_the_wrong_shape_only_the_rest_is_asked_again(runs: ModelRuns) -> None:
    runs.claude.script = fail.Script(next=[fail.WRONG_SHAPE, fail.MAX_TOKENS])
    assert runs.run().status == "completed"
    assert asked(runs) == [(True, 2), (True, 2), (False, 1)]
    assert runs.document(NAME).description.source == "model"


def faulty_text(body: Mapping[str, Any]) -> Any:
    """A mind whose text has a figure; the columns are sound."""
    return says("It has 17 kinds.", "Tells how good it is.")(body)


def asks_again_for_the_text_alone(runs: ModelRuns) -> None:
    """The next run asks for what was not repaired, as it was quoted; nothing that was sound is paid for twice."""
    before = len(runs.claude.calls)
    runs.claude.mind = says("Holds what was ordered.", "Says something else.")
    quoted = runs.quoted()
    assert runs.calls_of(runs.run) == quoted
    assert asked(runs, before) == [(True, 0)]
    document = runs.document(NAME)
    assert (document.description.text, document.description.source) == ("Holds what was ordered.", "model")
    assert {each.description.text for each in document.columns if each.name != "id"} == {"Tells how good it is."}
    assert runs.prose()[NAME].dropped == []
    assert runs.calls_of(runs.run) == 0


def test_a_repair_that_the_cap_leaves_no_money_for_is_asked_of_the_next_run(runs: ModelRuns) -> None:
    runs.claude.mind = faulty_text
    runs.settings = {"calls_at_once": 1, "per_run_usd": 0.00065}
    record = runs.run()
    assert asked(runs) == [(True, 2)]
    assert [error.code for error in record.errors] == ["DOC_BUDGET_EXHAUSTED"]
    assert runs.document(NAME).description.source == "derived"
    runs.settings = {"calls_at_once": 1}
    asks_again_for_the_text_alone(runs)
    assert runs.prose()[NAME].usage.calls == 2, "what is kept counts what both calls cost"


def test_a_repair_that_the_end_of_a_run_leaves_no_time_for_is_asked_of_the_next_run(runs: ModelRuns) -> None:
    runs.claude.mind = faulty_text
    run_id = new_run_id(runs.clock)

    def step(stop: StopToken) -> StagedRun:
        return StagedRun(run_id, "holder", runs.app(), stop, ThreadWorkerPool(), RecordingSink())

    step(StopToken()).open("run")
    step(StopToken()).read("shop")
    step(StopToken()).compose()
    [unit] = require_record(runs.store, locations.run_outline_file(run_id), RunOutline).units
    assert step(StopToken(lambda: 0.0 if runs.claude.calls else 900.0)).document(unit.id) == "running"
    step(StopToken()).close(CloseTask(run_id=run_id, status="partial"))
    assert asked(runs) == [(True, 2)]
    asks_again_for_the_text_alone(runs)


def test_a_refused_key_at_the_repair_leaves_it_to_the_next_run(runs: ModelRuns) -> None:
    runs.claude.mind = faulty_text
    runs.claude.script = fail.Script(next=[None], share=1.0, among=(fail.NO_CREDIT,))
    [error] = runs.run().errors
    assert error.code == "DOC_LLM_FAILED"
    runs.claude.script = fail.Script()
    asks_again_for_the_text_alone(runs)


@pytest.mark.parametrize("repaired", [True, False])
@each_case("columns", [0, 2, 50])
def test_wherever_a_run_stops_between_answers_and_their_repairs_the_next_one_asks_for_what_is_missing(
    columns: int, repaired: bool, claude: FakeClaude
) -> None:
    wide = table("goods.goods", *(column(f"grade_{number}", "text") for number in range(columns)))
    sound, faulty = (says(text, text) for text in ("Tells how good it is.", "It has 17 kinds."))
    calls = 2 * (1 + columns // 40)
    for stopped_after in range(calls):
        runs = ModelRuns(claude, [wide], settings={"calls_at_once": 1})
        claude.mind = faulty
        claude.script = fail.Script(next=[None] * stopped_after, share=1.0, among=(fail.NO_CREDIT,))
        assert [error.code for error in runs.run().errors] == ["DOC_LLM_FAILED"]
        claude.script = fail.Script()
        claude.mind = sound if repaired else faulty
        assert runs.quoted() > 0
        assert runs.run(force=True).status == "completed"
        # The first two calls are about the table's own text.
        source = "model" if repaired and stopped_after < 2 else "derived"
        assert runs.document("shop.goods.goods").description.source == source
        assert (runs.quoted(), runs.calls_of(runs.run)) == (0, 0)
