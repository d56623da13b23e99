"""Runs that ask a model: what it writes, what it is paid for once, and what stands where it fails."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fakes.catalogs import column
from tests.fakes.claude import FakeClaude
from tests.fakes.claude import failures as fail
from tests.runs.model.made import LaterClock, ModelRuns, asked_about, contents, says, shop
from tribal.describing import RulesDescriber
from tribal.edges.cli.views.run_report import record_exit_code
from tribal.errors import ConfigurationError
from tribal.identity import locations
from tribal_contracts import DatabaseEntry, WorkUnitProgress


@pytest.fixture
def runs(claude: FakeClaude) -> ModelRuns:
    claude.mind = says("Holds what was ordered.", "Tells how good it is.")
    return ModelRuns(claude)


def test_what_the_model_wrote_is_in_documents_with_its_source(runs: ModelRuns) -> None:
    record = runs.run()
    assert record.status == "completed"
    for document in runs.documents():
        assert (document.description.text, document.description.source) == ("Holds what was ordered.", "model")
        assert document.description.confidence == 0.6
        by_name = {each.name: each.description for each in document.columns}
        assert by_name["grade"].text == "Tells how good it is."
        assert by_name["id"].source == "derived", "what is declared is no question"
    pages = [runs.store.get(key).data.decode() for key in runs.store.keys("docs/") if key.endswith("_0.md")]
    assert "model (60 %) from names" in pages[0]


def test_usage_is_recorded_for_tables_units_and_the_run_as_the_vendor_counted_it(runs: ModelRuns) -> None:
    record = runs.run()
    told = record.usage
    assert told is not None
    assert told.calls == len(runs.claude.calls)
    assert told.nanodollars == runs.claude.nanodollars == runs.budget().run_spend.nanodollars
    tables = [result.usage for result in runs.results().values()]
    assert all(usage is not None and usage.calls == 1 for usage in tables)
    units = [key for key in runs.store.keys(locations.WORK_UNITS) if key.endswith("/progress.json")]
    of_units = [WorkUnitProgress.from_json(runs.store.get(key).data).usage for key in units]
    assert sum(usage.calls for usage in of_units if usage) == len(tables)


@pytest.mark.parametrize("force", [False, True])
def test_a_second_run_asks_nothing_forced_or_not(runs: ModelRuns, force: bool) -> None:
    runs.run()
    assert runs.calls_of(lambda: runs.run(force=force)) == 0


def test_age_alone_asks_nothing(runs: ModelRuns) -> None:
    runs.run()
    runs.clock = LaterClock(days=30)
    assert runs.run().tables_documented == len(runs.tables)
    assert runs.calls_of(runs.run) == 0


def test_new_prose_is_asked_for_by_name_alone(runs: ModelRuns) -> None:
    runs.run()
    first = runs.prose()
    assert runs.calls_of(lambda: runs.run(new_prose=True)) == len(first) > len(runs.tables)


def test_a_new_column_asks_about_its_own_table_alone(runs: ModelRuns) -> None:
    runs.run()
    changed = runs.tables[2]
    wider = changed.model_copy(update={"columns": [*changed.columns, column("colour", "text")]})
    runs.tables = [*runs.tables[:2], wider, *runs.tables[3:]]
    before = len(runs.claude.calls)
    runs.run()
    asked = [part for part in asked_about(runs.claude)[before:] if "colour" in part]
    assert len(asked) == len(asked_about(runs.claude)[before:]) == 1


def test_samples_that_change_ask_nothing(runs: ModelRuns) -> None:
    runs.run()
    runs.rows = 20
    assert runs.run().tables_documented == len(runs.tables)
    assert runs.calls_of(runs.run) == 0


def test_the_prefix_is_the_same_bytes_in_every_call_and_the_vendor_caches_it(runs: ModelRuns) -> None:
    runs.run()
    assert len({str(call.body["system"]) for call in runs.claude.calls}) == 1
    assert len({str(call.body["output_config"]) for call in runs.claude.calls}) == 1
    assert sum(call.tokens.cache_read > 0 for call in runs.claude.calls) >= len(runs.claude.calls) // 2


def test_a_persons_words_and_a_comment_are_shown_to_the_model_and_not_asked_for(runs: ModelRuns) -> None:
    first, second = runs.tables[:2]
    runs.tables = [first, second.model_copy(update={"comment": "Written by hand in the database."}), *runs.tables[2:]]
    annotations = f"tables:\n  {first.schema_name}.{first.table_name}:\n    description: Told by Ann.\n"
    runs.store.put(locations.annotations_file("shop"), annotations.encode())
    runs.run()
    texts = {document.name: document.description for document in runs.documents()}
    of = {table.table_name: f"shop.{table.schema_name}.{table.table_name}" for table in runs.tables}
    assert texts[of[first.table_name]].source == "human"
    assert texts[of[second.table_name]].source == "comment"
    assert any("Told by Ann." in part for part in asked_about(runs.claude))


def test_a_database_kept_from_the_model_is_described_by_rules(runs: ModelRuns) -> None:
    runs.entry = DatabaseEntry(name="shop", describer="rules")
    record = runs.run()
    assert runs.claude.calls == []
    assert record.usage is None
    assert {document.description.source for document in runs.documents()} == {"derived"}


def test_switching_the_model_off_brings_the_rules_back_and_on_again_costs_nothing(runs: ModelRuns) -> None:
    runs.run()
    runs.model = False
    runs.run()
    assert {document.description.source for document in runs.documents()} == {"derived"}
    runs.model = True
    assert runs.calls_of(runs.run) == 0
    assert {document.description.source for document in runs.documents()} == {"model"}


def test_at_the_cap_rules_describe_the_rest_and_the_next_run_asks_for_exactly_those(runs: ModelRuns) -> None:
    whole = ModelRuns(runs.claude, shop(30))
    runs.claude.mind = says("Holds what was ordered.", "Tells how good it is.")
    whole.settings = {"per_run_usd": 0.002, "calls_at_once": 2}
    record = whole.run()
    waiting = [name for name, result in whole.results().items() if result.error is not None]
    assert 0 < len(waiting) < 30
    assert {whole.results()[name].error.code for name in waiting} == {"DOC_BUDGET_EXHAUSTED"}  # type: ignore[union-attr]
    assert record.status == "partial"
    assert (record_exit_code(record), record_exit_code(record, strict=True)) == (0, 1)
    assert [error.code for error in record.errors] == ["DOC_BUDGET_EXHAUSTED"]
    assert f"{len(waiting)} tables" in record.errors[0].message
    assert whole.budget().run_spend.nanodollars <= 2_000_000
    whole.settings = {"per_run_usd": 5}
    before = len(whole.claude.calls)
    assert whole.run().status == "completed"
    asked = [part for part in asked_about(whole.claude)[before:] if '"ask"' in part and "weight" in part]
    assert len(asked) == len(waiting)
    assert {document.description.source for document in whole.documents()} == {"model"}


@pytest.mark.parametrize(
    "failure", [fail.KEY_REFUSED, fail.NO_CREDIT, fail.FORBIDDEN, fail.NO_SUCH_MODEL, fail.CONTRACT_LIMIT],
    ids=lambda failure: failure.name,
)  # fmt: skip
def test_what_only_a_person_can_mend_ends_all_calls_with_one_message(runs: ModelRuns, failure: fail.Failure) -> None:
    runs.settings, runs.tables = {"calls_at_once": 1}, shop(3)
    runs.claude.script = fail.Script(share=1.0, among=(failure,))
    record = runs.run()
    assert len(runs.claude.calls) <= 2, "a refused key may be looked up once more"
    [error] = record.errors
    assert error.code == "DOC_LLM_FAILED"
    assert "PLANTED" not in str(error)
    assert record.tables_documented == len(runs.tables)
    assert {document.description.source for document in runs.documents()} == {"derived"}
    runs.claude.script = fail.Script()
    assert runs.run().status == "completed"
    assert {document.description.source for document in runs.documents()} == {"model"}


def test_a_secret_that_is_missing_says_how_to_make_it(runs: ModelRuns) -> None:
    class Nothing:
        def get(self, _name: str) -> None: ...

        refresh = get

    nothing: Any = Nothing()
    runs.secrets = nothing
    [error] = runs.run().errors
    assert "CLAUDE_KEY" in error.message
    assert "set it" in error.message
    assert runs.claude.calls == []


def test_without_a_price_no_run_starts(runs: ModelRuns) -> None:
    runs.settings = {"name": "claude-of-next-year", "base_url": "https://gateway.example.com"}
    with pytest.raises(ConfigurationError, match=r"model\.price"):
        runs.run()


def test_a_prompt_with_an_unknown_variable_fails_at_the_start_with_file_and_line(runs: ModelRuns) -> None:
    runs.prompts = {"table.md": b"One line.\n{{tabel}}\n"}
    with pytest.raises(ConfigurationError, match=r"table\.md, line 2"):
        runs.run()
    assert runs.claude.calls == []


def test_another_prompt_asks_again_and_is_quoted_first(runs: ModelRuns) -> None:
    runs.run()
    shipped = RulesDescriber().version
    app = runs.app()
    before = app.run.describers("run", run_stop()).of("shop").version
    runs.prompts = {"table.md": b"Describe this table: {{table}}\n"}
    after = runs.app().run.describers("run", run_stop()).of("shop").version
    assert before != after
    assert before.startswith(shipped)
    assert runs.calls_of(runs.run) >= len(runs.tables)


def test_what_the_model_leaves_open_is_recorded_with_the_reason(runs: ModelRuns) -> None:
    runs.claude.mind = says("", "")
    runs.run()
    assert {result.left_to_rules for result in runs.results().values()} == {"the model left it open"}
    runs.claude.mind = says("It has 17 kinds.", "")
    runs.run(new_prose=True)
    whys = {result.left_to_rules for result in runs.results().values()}
    assert whys == {"what the model wrote broke the rules figure"}
    units = [key for key in runs.store.keys(locations.WORK_UNITS) if key.endswith("/progress.json")]
    told = [WorkUnitProgress.from_json(runs.store.get(key).data).left_to_rules for key in units]
    assert sum(len(each or {}) for each in told) == len(runs.tables)


def test_texts_that_share_nothing_with_their_tables_are_counted_and_rules_describe_these(runs: ModelRuns) -> None:
    runs.claude.mind = says("The benefits of a diverse workforce", "Tips for better sleep in summer.")
    record = runs.run()
    assert {each.description.source for each in runs.documents()} == {"derived"}
    assert not any("sleep" in column.description.text for each in runs.documents() for column in each.columns)
    assert record.texts is not None
    assert record.texts.unsupported == record.texts.written > len(runs.tables)
    runs.claude.mind = says("Holds what was ordered.", "Tells how good it is.")
    again = runs.run(new_prose=True)
    assert again.texts is not None
    assert (again.texts.unsupported, again.texts.written) == (0, record.texts.written)
    assert runs.run().texts is None, "nothing was written"


def run_stop() -> Any:
    from tribal.ports import StopToken

    return StopToken()


@pytest.mark.slow
def test_under_a_tenth_of_mixed_failures_every_table_is_documented_within_the_cap(claude: FakeClaude) -> None:
    claude.mind = says("Holds what was ordered from table parcel_ledger_0 and [t9].", "Kept in column made_up_name.")
    claude.script = fail.Script(share=0.1, among=fail.MIXED)
    runs = ModelRuns(claude, shop(40), settings={"calls_at_once": 20, "call_timeout_seconds": 2, "per_run_usd": 1})
    record = runs.run()
    assert record.tables_documented == 40
    assert record.tables_failed == 0
    published = [runs.store.get(key).data.decode() for key in runs.store.keys("docs/")]
    assert not any("made_up_name" in text or "[t9]" in text for text in published)
    spend = runs.budget().run_spend
    assert spend.settled_nanodollars <= claude.nanodollars <= spend.nanodollars
    assert spend.nanodollars <= 1_000_000_000


def test_what_is_rewritten_is_quoted_though_nothing_has_changed(runs: ModelRuns) -> None:
    runs.run()
    assert runs.quoted() == 0
    quoted = runs.quoted(new_prose=True)
    assert runs.calls_of(lambda: runs.run(new_prose=True)) == quoted > len(runs.tables)


def test_an_unchanged_run_writes_nothing_but_its_own_record(runs: ModelRuns) -> None:
    runs.run()
    runs.run()
    before = contents(runs)
    runs.run()
    assert contents(runs) == before


def test_a_domain_that_waits_for_its_model_is_reported_next_to_its_tables_and_asked_for_alone(runs: ModelRuns) -> None:
    runs.claude.mind = says("Holds what was ordered.", "Tells how good it is.")
    runs.run()
    asked = len(runs.claude.calls)
    domains = {locations.prose_file("shop", subject) for subject in runs.prose() if "." not in subject}
    fresh = ModelRuns(runs.claude, runs.tables)
    fresh.settings = {"calls_at_once": 1}
    runs.claude.script = fail.Script(next=[None] * (asked - len(domains)), share=1.0, among=(fail.REFUSAL,))
    record = fresh.run()
    assert [error.code for error in record.errors] == ["DOC_LLM_FAILED"]
    assert f"{len(domains)} domains" in record.errors[0].message
    assert (record_exit_code(record), record_exit_code(record, strict=True)) == (0, 1)
    runs.claude.script = fail.Script()
    assert fresh.quoted() == len(domains)
    assert fresh.calls_of(fresh.run) == len(domains)
    assert fresh.quoted() == 0
    assert fresh.run().errors == []
