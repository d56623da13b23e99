"""Whole runs that ask for many tables at once, of a model that is quick, and of one that has too much to do."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass, field

from tests.fakes.catalogs import HandMadeReader
from tests.fakes.claude import FakeClaude
from tests.fakes.claude import failures as fail
from tests.runs.model.made import ModelRuns, asked_about, says, shop, tables_asked
from tests.waiting import LONGEST_SECONDS
from tribal.documenting.units.lookups import MOST_ROWS
from tribal.identity import locations
from tribal.ports import TableSample
from tribal_contracts import CatalogTable, UnitResult

MIND = says("Holds what was ordered.", "Tells how good it is.")
CALLS_AT_ONCE, TABLES_AT_ONCE = 24, 3
_MOMENT_SECONDS = 0.05


@dataclass
class LingeringReader(HandMadeReader):
    """A reader whose samples wait for each other, and that records which tables were sampled at once.

    Samples of a schema, which is a unit, wait until as many as may be are taken at once, and then a moment for one
    more. Look-up lists are read in between, also for other units.
    """

    together: list[frozenset[str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._change = threading.Condition()
        self._in_progress: set[str] = set()
        self._gathered: set[str] = set()

    def sample(self, table: CatalogTable, rows: int) -> TableSample:
        if rows > MOST_ROWS:
            return super().sample(table, rows)
        unit = f"shop.{table.schema_name}."
        with self._change:
            self._in_progress.add(f"{unit}{table.table_name}")
            self.together.append(frozenset(self._in_progress))
            if sum(name.startswith(unit) for name in self._in_progress) == TABLES_AT_ONCE:
                self._gathered.add(unit)
                self._change.notify_all()
            assert self._change.wait_for(lambda: unit in self._gathered, LONGEST_SECONDS)
            self._change.wait_for(lambda: False, _MOMENT_SECONDS)
            self._in_progress.remove(f"{unit}{table.table_name}")
        return super().sample(table, rows)


def units_of(runs: ModelRuns) -> list[set[str]]:
    """The tables of each unit."""
    keys = [key for key in runs.store.keys(locations.WORK_UNITS) if key.endswith("/result.json")]
    return [{table.name for table in UnitResult.from_json(runs.store.get(key).data).tables} for key in keys]


def most(together: Iterable[frozenset[str]], unit: set[str]) -> int:
    """The most tables of a unit that were sampled at once."""
    return max(len(tables & unit) for tables in together)


def test_as_many_calls_as_allowed_are_in_progress_and_no_more_tables_of_a_unit_are_sampled_at_once_than_without_a_model(
    claude: FakeClaude,
) -> None:
    claude.mind, claude.latency_seconds, claude.gathered_calls = MIND, 1.0, CALLS_AT_ONCE
    # Units of five tables, of which the four that are in progress at once elsewhere would be too few.
    runs = ModelRuns(claude, shop(100), settings={"calls_at_once": CALLS_AT_ONCE}, units_at_once=4)
    reader = LingeringReader(runs.tables)
    runs.reader = lambda _: reader
    assert runs.run().status == "completed"
    assert claude.busiest == CALLS_AT_ONCE
    assert {most(reader.together, unit) for unit in units_of(runs)} == {TABLES_AT_ONCE}


def test_a_storm_of_overload_ends_with_tables_that_wait_and_the_next_run_asks_for_exactly_those(
    claude: FakeClaude,
) -> None:
    claude.mind = MIND
    claude.fail(*[None] * 5)
    claude.script.share, claude.script.among = 1.0, (fail.OVERLOADED,)
    runs = ModelRuns(claude, shop(40), settings={"calls_at_once": 10, "call_timeout_seconds": 3})
    record = runs.run()
    waiting = {name for name, result in runs.results().items() if result.error is not None}
    assert (record.status, record.tables_documented, len(waiting)) == ("partial", 40, 35)
    assert {error.code for error in record.errors} == {"DOC_LLM_FAILED"}
    sources = {document.name: document.description.source for document in runs.documents()}
    assert {name for name, source in sources.items() if source == "model"} == sources.keys() - waiting
    # Ten failures in a row open the circuit: whatever was not in progress then was never sent.
    assert runs.budget().day_spend.nanodollars == claude.nanodollars

    claude.script = fail.Script()
    before = len(claude.calls)
    assert runs.run().status == "completed"
    asked = tables_asked(asked_about(claude)[before:])
    assert sorted(asked) == sorted(waiting)
    assert {document.description.source for document in runs.documents()} == {"model"}
