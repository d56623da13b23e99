"""Runs in which a model is asked: tables made by hand, a folder or memory as the store, and Claude on a port."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from tests.fakes import MemoryStore, RecordingSink, application
from tests.fakes.application import with_run
from tests.fakes.catalogs import HandMadeReader, column, table
from tests.fakes.claude import KEY, FakeClaude
from tests.fakes.model_servers.minds import asked_numbers
from tribal.adapters.local.folder import FolderLock, FolderStore
from tribal.app.models import Models
from tribal.errors import DatabaseError, DatabaseUnreachable
from tribal.identity import locations
from tribal.jobs.clock import SystemClock, iso_timestamp
from tribal.ports import (
    Application,
    CatalogReader,
    Clock,
    DocumentingOptions,
    ObjectStore,
    Options,
    PlanOptions,
    ProcessLock,
    Provider,
)
from tribal.runs.local import LocalRun
from tribal_contracts import (
    BudgetRecord,
    CatalogTable,
    DatabaseEntry,
    KeptProse,
    ModelSettings,
    RunRecord,
    TableDocument,
    TableResult,
    UnitResult,
)

NOUNS = (
    "parcel ledger voucher beacon harvest canal orchard turbine lantern quarry saddle compass anvil kettle ribbon "
    "meadow cellar timber hammer pebble"
).split()


def shop(count: int) -> list[CatalogTable]:
    """So many tables in several schemas; most refer to the one before."""
    tables: list[CatalogTable] = []
    for number in range(count):
        noun, turn = NOUNS[number % len(NOUNS)], number // len(NOUNS)
        before = tables[-1] if tables and number % 7 else None
        name = f"{noun}s.{noun}_{NOUNS[turn % len(NOUNS)]}_{number}"
        references = [("parent_id", f"{before.schema_name}.{before.table_name}")] if before else []
        tables.append(table(name, column("grade", "text"), column("weight", "numeric"), references=references))
    return tables


class LaterClock(SystemClock):
    """The system's clock, some days ahead."""

    def __init__(self, days: float) -> None:
        super().__init__(None)
        self._ahead = timedelta(days=days)

    def real(self) -> datetime:
        return super().real() + self._ahead

    def published(self) -> str:
        return iso_timestamp(self.real())


class ModelSecrets:
    """The key of the model."""

    def __init__(self, key: str = KEY) -> None:
        self.key = key

    def get(self, _name: str) -> SecretStr | None:
        """The key, whatever it is called."""
        return SecretStr(self.key)

    refresh = get


@dataclass
class ModelRuns:
    """One database, documented as often as a test likes."""

    claude: FakeClaude
    tables: Sequence[CatalogTable] = field(default_factory=lambda: shop(8))
    store: ObjectStore = field(default_factory=MemoryStore)
    clock: Clock = field(default_factory=lambda: SystemClock(None))
    settings: Mapping[str, Any] = field(default_factory=dict)
    prompts: Mapping[str, bytes] = field(default_factory=dict)
    entry: DatabaseEntry = field(default_factory=lambda: DatabaseEntry(name="shop"))
    others: tuple[DatabaseEntry, ...] = ()
    """Other databases with the same tables."""
    down: frozenset[str] = frozenset()
    """Databases that do not answer."""
    model: bool = True
    secrets: ModelSecrets = field(default_factory=ModelSecrets)
    sink: RecordingSink = field(default_factory=RecordingSink)
    locks: Callable[[str], ProcessLock | None] = lambda _: None
    rows: int = 50
    failure: DatabaseError | None = None
    """What the database answers instead."""
    units_at_once: int = 4
    tables_per_unit: int = 25
    reader: Callable[[Sequence[CatalogTable]], CatalogReader] = HandMadeReader

    def app(self, *, force: bool = False, new_prose: bool = False, retry_failed: bool = False) -> Application:
        """The application of one run."""
        options = Provider.of(
            Options(
                databases=tuple(
                    each.model_copy(update={"sample_rows": self.rows}) for each in (self.entry, *self.others)
                ),
                planning=PlanOptions("c" * 64, tables_per_unit=self.tables_per_unit, units_at_once=self.units_at_once),
                documenting=DocumentingOptions(
                    record_pid=False,
                    force=force or new_prose,
                    retry_failed=retry_failed,
                    max_age=timedelta(days=7),
                    sample_rows=self.rows,
                ),
                model=self.model_settings() if self.model else None,
                new_prose=new_prose,
            )
        )
        app = replace(
            application(store=self.store, clock=self.clock, open_reader=self._open),
            options=options,
            locks=self.locks,
            secrets=Provider.of(self.secrets),
        )
        models = Models(
            options, app.store, app.secrets, self.clock, lambda: self.prompts, "prompts", "set it", "eu-central-1"
        )
        return with_run(app, describers=models.describers, unsent=models.unsent)

    def _open(self, entry: DatabaseEntry) -> CatalogReader:
        if entry.name in self.down:
            raise DatabaseUnreachable(f"{entry.name} does not answer")
        return HandMadeReader(self.tables, failure=self.failure) if self.failure else self.reader(self.tables)

    def model_settings(self) -> ModelSettings:
        """The part `model` of the configuration."""
        given: dict[str, Any] = {
            "provider": "anthropic",
            "name": "claude-haiku-5-5",
            "api_key_secret": "CLAUDE_KEY",
            "base_url": self.claude.address,
            "calls_at_once": 10,
            # The fakes are on this machine, so a run would test them.
            "accept_unfit": True,
        }
        whole = given | dict(self.settings)
        return ModelSettings.model_validate({name: value for name, value in whole.items() if value is not None})

    def run(self, *, force: bool = False, new_prose: bool = False, retry_failed: bool = False) -> RunRecord:
        """Plan and document."""
        app = self.app(force=force, new_prose=new_prose, retry_failed=retry_failed)
        with LocalRun(app, "run", self.sink) as work:
            work.plan()
            work.document()
        return work.record

    def quoted(self, *, new_prose: bool = False) -> int:
        """Plan alone; how many calls the plan quotes."""
        with LocalRun(self.app(new_prose=new_prose), "plan", self.sink) as work:
            plan = work.plan().plan
        return sum(unit.quote.calls for unit in plan.work_units if unit.quote)

    def only_document(self, *, retry_failed: bool = False) -> RunRecord:
        """Document by the latest plan."""
        with LocalRun(self.app(retry_failed=retry_failed), "document", self.sink) as work:
            work.document()
        return work.record

    def calls_of(self, run: Any) -> int:
        """How many calls something makes."""
        before = len(self.claude.calls)
        run()
        return len(self.claude.calls) - before

    def results(self) -> dict[str, TableResult]:
        """What became of each table, by name."""
        return {
            result.name: result
            for key in self.store.keys(locations.WORK_UNITS)
            if key.endswith("/result.json")
            for result in UnitResult.from_json(self.store.get(key).data).tables
        }

    def document(self, name: str) -> TableDocument:
        """The document of a table."""
        indexable = self.results()[name].indexable
        assert indexable is not None
        return TableDocument.from_json(self.store.get(f"{locations.DOCS}{indexable.path}").data)

    def documents(self) -> Iterator[TableDocument]:
        """Every document."""
        return map(self.document, self.results())

    def prose(self) -> dict[str, KeptProse]:
        """What is kept, by subject."""
        kept = (KeptProse.from_json(self.store.get(key).data) for key in self.store.keys("prose/"))
        return {each.subject: each for each in kept}

    def budget(self) -> BudgetRecord:
        """The record of what was spent."""
        return BudgetRecord.from_json(self.store.get(locations.BUDGET_FILE).data)


def contents(runs: ModelRuns) -> dict[str, str]:
    """The version of every object but those of single runs and the lease."""
    keys = [key for key in runs.store.keys("") if not key.startswith((locations.RUNS, "progress/lease"))]
    return {key: head.etag for key in keys if (head := runs.store.head(key))}


def asked_about(claude: FakeClaude) -> list[str]:
    """The question of each call, without what is the same for all."""
    return [str(call.body["messages"][-1]["content"]) for call in claude.calls]


def over_folder(store: FolderStore, claude: Any, clock: Clock, count: int, calls_at_once: int) -> ModelRuns:
    """Runs over a folder, of which one resumes at once where another was killed; of Claude, an address is enough."""
    return ModelRuns(
        claude,
        shop(count),
        store,
        clock,
        settings={"calls_at_once": calls_at_once},
        locks=partial(FolderLock, Path(store.location)),
    )


def says(text: str, column_text: str, title: str = "Goods on their way") -> Any:
    """A mind that says the same of every table and of every column that it is asked about."""

    def mind(body: Mapping[str, Any]) -> Mapping[str, Any]:
        columns = [{"n": number, "text": column_text} for number in asked_numbers(body)]
        return {"title": title, "text": text, "columns": columns}

    return mind


def data_of(question: str) -> dict[str, Any]:
    """The JSON of a question about a table."""
    start = question.index("{")
    found, _ = json.JSONDecoder().raw_decode(question[start:])
    assert isinstance(found, dict)
    return found


def tables_asked(questions: Iterable[str]) -> list[str]:
    """The table of each question about one."""
    found = map(data_of, questions)
    return [f"shop.{data['t1']['name']}" for data in found if "t1" in data]
