"""Tables described by rules until their model answers, when something else fails too."""

from __future__ import annotations

from dataclasses import astuple

import pytest

from tests.fakes.catalogs import HandMadeReader
from tests.fakes.claude import FakeClaude
from tests.fakes.claude import failures as fail
from tests.runs.model.made import LaterClock, ModelRuns, says, shop
from tribal.errors import StatementTimedOut
from tribal.identity import locations
from tribal.ports import TableSample
from tribal.runs.local import LocalRun
from tribal_contracts import CatalogTable, DocumenterProgress


class NeverSampled(HandMadeReader):
    """Samples take too long."""

    def sample(self, _table: CatalogTable, _rows: int) -> TableSample:
        raise StatementTimedOut("canceling statement due to statement timeout")


@pytest.fixture
def runs(claude: FakeClaude) -> ModelRuns:
    claude.mind = says("Holds what was ordered.", "Tells how good it is.")
    return ModelRuns(claude, shop(3))


def refuse(runs: ModelRuns) -> None:
    """Run while the model refuses everything, so that every table waits for it."""
    runs.claude.script = fail.Script(share=1.0, among=(fail.REFUSAL,))
    runs.run()
    assert len(waiting(runs)) == len(runs.tables)
    runs.claude.script = fail.Script()


def plan(runs: ModelRuns) -> None:
    with LocalRun(runs.app(), "plan", runs.sink) as work:
        work.plan()


def tokens(runs: ModelRuns) -> int:
    data = runs.store.get(locations.DOCUMENTER_PROGRESS_FILE).data
    return DocumenterProgress.from_json(data).stats.llm_tokens_used


def billed(runs: ModelRuns, since: int = 0) -> int:
    """What the vendor counted from some call on."""
    return sum(sum(astuple(call.tokens)) for call in runs.claude.calls[since:])


def waiting(runs: ModelRuns) -> list[str]:
    errors = {name: result.error for name, result in runs.results().items()}
    return [name.rpartition(".")[2] for name, error in errors.items() if error and error.code == "DOC_LLM_FAILED"]


def sources(runs: ModelRuns) -> set[str]:
    return {document.description.source for document in runs.documents()}


def test_a_table_that_can_never_be_sampled_gets_its_prose_all_the_same(runs: ModelRuns) -> None:
    runs.reader = NeverSampled
    refuse(runs)
    runs.run()
    assert sources(runs) == {"model"}
    assert waiting(runs) == []


def test_a_table_that_lost_its_samples_while_it_waited_has_them_back_in_the_next_run(runs: ModelRuns) -> None:
    refuse(runs)
    runs.reader = NeverSampled
    runs.run()
    runs.reader = HandMadeReader
    assert runs.calls_of(runs.run) == 0
    assert sources(runs) == {"model"}
    assert all(document.samples_taken for document in runs.documents())


def test_what_a_table_has_cost_is_not_counted_again_when_its_samples_cannot_be_refreshed(runs: ModelRuns) -> None:
    runs.run()
    before = tokens(runs)
    runs.reader, runs.clock = NeverSampled, LaterClock(days=30)
    assert runs.calls_of(runs.run) == 0
    assert tokens(runs) == before > 0


@pytest.mark.parametrize("retry_failed", [False, True])
def test_what_was_documented_without_a_connection_is_asked_for_without_one_too(
    runs: ModelRuns, retry_failed: bool
) -> None:
    runs.run()
    wider = [table.model_copy(update={"comment": None, "columns": table.columns[::-1]}) for table in runs.tables]
    runs.tables = wider
    plan(runs)
    runs.down = frozenset(("shop",))
    runs.claude.script = fail.Script(share=1.0, among=(fail.REFUSAL,))
    runs.only_document()
    runs.claude.script = fail.Script()
    assert len(waiting(runs)) == len(runs.tables)
    runs.only_document(retry_failed=retry_failed)
    assert waiting(runs) == []
    assert sources(runs) == {"model"}
    assert runs.calls_of(runs.only_document) == 0


@pytest.mark.parametrize("retry_failed", [False, True])
def test_a_table_that_waits_keeps_its_samples_while_its_database_is_down(runs: ModelRuns, retry_failed: bool) -> None:
    refuse(runs)
    runs.down = frozenset(("shop",))
    runs.only_document(retry_failed=retry_failed)
    assert all(document.samples_taken for document in runs.documents())
    assert len(waiting(runs)) == len(runs.tables)
    runs.down = frozenset()
    runs.only_document(retry_failed=retry_failed)
    assert waiting(runs) == []
    assert sources(runs) == {"model"}


def test_failed_tables_alone_are_tried_again_and_those_that_wait_are_among_them(runs: ModelRuns) -> None:
    refuse(runs)
    before = len(runs.claude.calls)
    runs.run(retry_failed=True)
    assert len(runs.claude.calls) - before >= len(runs.tables)
    assert waiting(runs) == []
    assert runs.calls_of(lambda: runs.run(retry_failed=True)) == 0


def test_what_was_used_under_a_plan_adds_up_over_runs_and_a_new_plan_begins_again(runs: ModelRuns) -> None:
    refuse(runs)
    runs.run()
    runs.run()
    runs.clock = LaterClock(days=30)
    runs.run()
    assert tokens(runs) == billed(runs)
    runs.tables = [runs.tables[0].model_copy(update={"columns": runs.tables[0].columns[::-1]}), *runs.tables[1:]]
    before = len(runs.claude.calls)
    runs.run()
    assert tokens(runs) == billed(runs, before) > 0
