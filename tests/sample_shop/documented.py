"""A shop that is planned and documented as a run would do it, in memory: what the tests of documenting work with."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from tests.fakes import FixedClock, MemoryStore, RecordingSink, application, run_with
from tests.fakes import options as options_of
from tests.fakes.application import with_run
from tests.fakes.catalogs import HandMadeReader, column, table
from tribal.describing import RulesDescriber
from tribal.documenting import WorkInspector, document_unit, finish
from tribal.errors import ObjectNotFound, StoreUnwritable
from tribal.identity import locations
from tribal.key_inference import KeyPair, Overlap
from tribal.planning import compose_plan, read_catalog, write_run_plan
from tribal.ports import (
    Application,
    CatalogReader,
    Describer,
    DocumentingOptions,
    ObjectInfo,
    PlanOptions,
    RunContext,
    StopToken,
    StoredObject,
    TableSample,
)
from tribal_contracts import (
    CatalogTable,
    DatabaseEntry,
    DocumentationManifest,
    DocumentationPlan,
    ModelUsage,
    RunOutline,
    TableDocument,
    TableSpec,
    UnitResult,
    WorkUnit,
    WorkUnitProgress,
    WrittenTexts,
)

DOMAINS = {"sales": ["sales.*"], "billing": ["billing.*"], "audit": ["audit.*"]}
TABLES = (
    table("sales.customer", column("email", "text"), column("status", "text"), comment="Who buys."),
    table("sales.orders", column("qty", "integer"), references=[("customer_id", "sales.customer")]),
    table("billing.invoice", column("net_cents", "bigint"), references=[("order_id", "sales.orders")]),
    table("audit.change_log", column("op", "text")),
)


class RecordingStore:
    """Passes everything on to a store and keeps what was written; stops for good after `writes_left` writes."""

    def __init__(self, inner: MemoryStore, writes_left: int | None = None) -> None:
        self.inner = inner
        self.written: list[str] = []
        self.deleted: list[str] = []
        self.writes_left = writes_left

    @property
    def location(self) -> str:
        return self.inner.location

    def get(self, key: str) -> StoredObject:
        return self.inner.get(key)

    def lines(self, key: str) -> Iterator[bytes]:
        return self.inner.lines(key)

    def head(self, key: str) -> ObjectInfo | None:
        return self.inner.head(key)

    def keys(self, prefix: str = "") -> Iterator[str]:
        return self.inner.keys(prefix)

    def put(self, key: str, data: bytes, *, if_match: str | None = None, if_absent: bool = False) -> str:
        self._count()
        self.written.append(key)
        return self.inner.put(key, data, if_match=if_match, if_absent=if_absent)

    def put_lines(self, key: str, lines: Iterable[bytes]) -> str:
        self._count()
        self.written.append(key)
        return self.inner.put_lines(key, lines)

    def put_file(self, key: str, path: Path, *, if_absent: bool = False) -> str:
        self._count()
        self.written.append(key)
        return self.inner.put_file(key, path, if_absent=if_absent)

    def get_file(self, key: str, path: Path) -> str:
        return self.inner.get_file(key, path)

    def delete(self, key: str) -> None:
        self._count()
        self.deleted.append(key)
        self.inner.delete(key)

    def erase(self, key: str) -> None:
        self._count()
        self.deleted.append(key)
        self.inner.erase(key)

    def _count(self) -> None:
        if self.writes_left == 0:
            raise StoreUnwritable("the power went off")
        if self.writes_left is not None:
            self.writes_left -= 1


class SamplingReader(HandMadeReader):
    """A reader whose samples a test decides; `failures` raise what they hold, once or always."""

    def __init__(
        self,
        tables: Sequence[CatalogTable],
        *,
        rows: Mapping[str, Sequence[Sequence[str]]] | None = None,
        on_sample: Callable[[str], None] | None = None,
    ) -> None:
        super().__init__(tables)
        self._given = rows or {}
        self._on_sample = on_sample

    def sample(self, table: CatalogTable, rows: int) -> TableSample:
        name = f"{table.schema_name}.{table.table_name}"
        self.asked.append(f"sample {name}")
        if self._on_sample is not None:
            self._on_sample(name)
        columns = tuple(column.name for column in table.columns)
        return TableSample(columns, tuple(tuple(row) for row in self._given.get(name, ())[:rows]))


def failing(name: str, error: Exception, times: int = 99) -> Callable[[str], None]:
    """Raise an error for the first samples of a table."""
    left = [times]

    def on_sample(sampled: str) -> None:
        if sampled == name and left[0] > 0:
            left[0] -= 1
            raise error

    return on_sample


def tables_of(manifest: DocumentationManifest | None) -> set[str]:
    assert manifest is not None
    return {f"{file.schema_}.{file.table}" for file in manifest.indexable_files if file.type == "table"}


class SameDescriber:
    """One describer for every database."""

    def __init__(self, describer: Describer) -> None:
        self._describer = describer

    def of(self, _database: str, /) -> Describer:
        return self._describer

    @property
    def usage(self) -> ModelUsage:
        return ModelUsage()

    def on_text(self, _listener: Callable[[str], None], /) -> None:
        pass

    @property
    def texts(self) -> WrittenTexts:
        return WrittenTexts()

    def close(self) -> None:
        pass


class Shop:
    """One store with one database, planned and documented as often as a test likes."""

    def __init__(
        self, tables: Sequence[CatalogTable] = TABLES, *, clock: FixedClock | None = None, name: str = "shop"
    ) -> None:
        self.memory = MemoryStore()
        self.store = RecordingStore(self.memory)
        self.clock = clock or FixedClock()
        self.sink = RecordingSink()
        self.stop = StopToken()
        self.tables = list(tables)
        self.compared: dict[KeyPair, Overlap] = {}
        self.entry = DatabaseEntry(name=name, domains=DOMAINS)
        self.options = DocumentingOptions(record_pid=False)
        self.describer: Describer = RulesDescriber()
        self._runs = itertools.count(1)

    def plan(self, *, unit_ids: Sequence[str] | None = None, per_unit: int = 25, replan: bool = False) -> RunOutline:
        """Plan what the database looks like now; `unit_ids` selects the units to document."""
        run_id = f"r{next(self._runs)}"
        app = self.app(PlanOptions(config_hash="c" * 64, tables_per_unit=per_unit, replan=replan))
        plan = compose_plan(
            [read_catalog(self.entry, app, run_id)],
            app,
            previous=self._previous(),
            has_work=lambda _unit, _spec: True,
        ).plan
        self.store.put(locations.PLAN_FILE, plan.to_json())
        return write_run_plan(plan, store=self.store, run_id=run_id, unit_ids=unit_ids)

    def app(self, planning: PlanOptions | None = None) -> Application:
        """What a run works with, as the shop is now."""
        chosen = replace(options_of(self.entry), planning=planning or PlanOptions("c" * 64), documenting=self.options)
        app = application(
            store=self.store,
            clock=self.clock,
            open_reader=lambda _: HandMadeReader(self.tables, compared=self.compared),
            opts=chosen,
        )
        return with_run(app, describers=lambda _run, _stop: SameDescriber(self.describer))

    def context(self, outline: RunOutline) -> RunContext:
        return run_with(self.app(), outline.run_id, stop=self.stop, sink=self.sink)

    def _previous(self) -> DocumentationPlan | None:
        try:
            return DocumentationPlan.from_json(self.store.get(locations.PLAN_FILE).data)
        except ObjectNotFound:
            return None

    def unit(self, outline: RunOutline, unit_id: str) -> WorkUnit:
        return WorkUnit.from_json(self.store.get(locations.run_unit_file(outline.run_id, unit_id)).data)

    def document(
        self,
        outline: RunOutline,
        *,
        reader: CatalogReader | None = None,
        options: DocumentingOptions | None = None,
        only: Sequence[str] | None = None,
    ) -> dict[str, UnitResult]:
        """Document the units of a plan, or only some of them, and return the results by unit."""
        return {
            unit_id: document_unit(
                self.unit(outline, unit_id),
                self.context(outline),
                reader,
                options or self.options,
            )
            for unit_id in outline.unit_ids
            if only is None or unit_id in only
        }

    def is_current(self, unit: WorkUnit, spec: TableSpec) -> bool:
        """What planning would mark a table as."""
        inspector = WorkInspector(store=self.store, describer=self.describer, clock=self.clock, options=self.options)
        return inspector.is_current(unit, spec)

    def finish(self, outline: RunOutline) -> DocumentationManifest | None:
        return finish(outline, self.context(outline)).manifest

    def run_task(self, outline: RunOutline) -> DocumentationManifest | None:
        """Document every unit of a plan and finish."""
        self.document(outline)
        return self.finish(outline)

    def run(self, *, reader: CatalogReader | None = None) -> DocumentationManifest:
        """Plan, document and finish."""
        outline = self.plan()
        self.document(outline, reader=reader)
        manifest = self.finish(outline)
        assert manifest is not None
        return manifest

    def replace(self, *tables: CatalogTable) -> None:
        """Change tables of the database, or add them."""
        names = {(item.schema_name, item.table_name) for item in tables}
        self.tables = [t for t in self.tables if (t.schema_name, t.table_name) not in names] + list(tables)

    def drop(self, name: str) -> None:
        self.tables = [t for t in self.tables if f"{t.schema_name}.{t.table_name}" != name]

    def forget_writes(self) -> None:
        self.store.written.clear()
        self.store.deleted.clear()

    def contents(self, prefix: str = "") -> dict[str, bytes]:
        return {key: self.memory.get(key).data for key in self.memory.keys(prefix)}

    def document_of(self, name: str) -> TableDocument:
        """The document of a table, wherever it lies."""
        for key in self.memory.keys(locations.DOCS):
            if key.endswith(f"/{name}.json"):
                return TableDocument.from_json(self.memory.get(key).data)
        raise ObjectNotFound(name)

    def page_of(self, name: str) -> str:
        key = next(key for key in self.memory.keys(locations.DOCS) if key.endswith(f"/{name}.md"))
        return self.memory.get(key).data.decode()

    def progress(self, unit_id: str) -> WorkUnitProgress:
        return WorkUnitProgress.from_json(self.memory.get(locations.unit_progress_file(unit_id)).data)
