"""Descriptions of neighbours in a question are those of the last published run."""

from __future__ import annotations

import pytest

from tests.fakes import MemoryStore
from tests.fakes.catalogs import column, table
from tests.fakes.claude import FakeClaude
from tests.runs.model.made import ModelRuns, asked_about, contents, data_of, says, tables_asked
from tribal.identity import locations
from tribal_contracts import CatalogTable, KeptProse

CUSTOMER = table("crm.customer", column("grade", "text"))
PARCEL = table("sales.parcel", column("weight", "numeric"), references=[("customer_id", "crm.customer")])
LINE = table("sales.line", column("remark", "text"), references=[("parcel_id", "sales.parcel")])
TABLES = (LINE, PARCEL, CUSTOMER)


@pytest.fixture
def runs(claude: FakeClaude) -> ModelRuns:
    claude.mind = says("Holds what was ordered.", "Tells how good it is.")
    return ModelRuns(claude, TABLES)


def wider(changed: CatalogTable) -> list[CatalogTable]:
    """The tables, of which one has a new column."""
    more = changed.model_copy(update={"columns": [*changed.columns, column("colour", "text")]})
    return [more if each is changed else each for each in TABLES]


def questions(runs: ModelRuns, since: int = 0) -> list[str]:
    """The questions about tables, in the order in which they were asked."""
    return [part for part in asked_about(runs.claude)[since:] if "t1" in data_of(part)]


def test_the_first_run_shows_none_and_the_next_question_has_what_was_published(runs: ModelRuns) -> None:
    runs.run()
    assert not any("Holds what was ordered." in part for part in questions(runs))
    runs.tables, since = wider(PARCEL), len(runs.claude.calls)
    runs.run()
    [asked] = questions(runs, since)
    told = data_of(asked)
    said = "Holds what was ordered."
    assert told["t2"] == ["crm.customer", said, {"joins": ["c3 = id"]}]
    assert told["t3"] == ["sales.line", said, {"joins": ["c1 = parcel_id"]}]


def test_what_the_same_run_wrote_is_not_shown(runs: ModelRuns) -> None:
    runs.run()
    runs.claude.mind = says("Holds what was packed.", "Tells how good it is.")
    since = len(runs.claude.calls)
    runs.run(new_prose=True)
    asked = questions(runs, since)
    assert len(asked) == len(TABLES)
    assert all("Holds what was ordered." in part and "packed" not in part for part in asked)


def test_two_runs_from_the_same_store_write_the_same_however_many_calls_at_once_and_a_third_nothing(
    runs: ModelRuns, claude: FakeClaude
) -> None:
    runs.run()
    ends = []
    for at_once in (1, 10):
        store = MemoryStore()
        for key in runs.store.keys(""):
            store.put(key, runs.store.get(key).data)
        again = ModelRuns(claude, wider(PARCEL), store, clock=runs.clock, settings={"calls_at_once": at_once})
        since = len(claude.calls)
        again.run()
        ends.append((sorted(questions(again, since)), {name: prose.text for name, prose in again.prose().items()}))
        again.run()
        before = contents(again)
        assert again.calls_of(again.run) == 0
        assert contents(again) == before
    assert ends[0] == ends[1]


def test_text_under_the_key_of_an_earlier_version_is_kept_and_gets_the_new_one(runs: ModelRuns) -> None:
    runs.tables = [each.model_copy(update={"comment": "Who buys."}) if each is CUSTOMER else each for each in TABLES]
    runs.run()
    new = runs.prose()["shop.sales.parcel"].key
    file = locations.prose_file("shop", "shop.sales.parcel")
    kept = KeptProse.from_json(runs.store.get(file).data)
    runs.store.put(file, kept.model_copy(update={"key": EARLIER_KEY}).to_json())
    assert runs.quoted() == 0
    assert runs.calls_of(lambda: runs.run(force=True)) == 0
    assert runs.prose()["shop.sales.parcel"].key == new != EARLIER_KEY
    runs.tables = TABLES
    assert "shop.sales.parcel" not in tables_asked(questions(runs, len(runs.claude.calls)))


EARLIER_KEY = "26b13a64847a14354c9f8ba2cb08a5dd5188cadaf3e6cf4c306b0ec23b764488"
"""Computed by the commit before questions showed published descriptions."""
