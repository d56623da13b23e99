"""A shop whose database is planned as often as a test likes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tests.fakes import FixedClock, MemoryStore, application, options
from tests.fakes.catalogs import HandMadeReader, table
from tribal.errors import PlanError
from tribal.identity import locations
from tribal.planning import (
    compose_plan,
    load_plan,
    publish_plan,
    read_catalog,
)
from tribal.ports import Application, PlanOptions
from tribal_contracts import (
    CatalogReading,
    CatalogTable,
    DatabaseEntry,
    DocumentationManifest,
    DocumentationPlan,
    IndexableFile,
    TableSpec,
    WorkUnit,
)

OPTIONS = PlanOptions(config_hash="c" * 64)
SHOP = [
    table("sales.customer", comment="Who buys."),
    table("sales.orders", references=[("customer_id", "sales.customer")]),
    table("billing.invoice", references=[("order_id", "sales.orders")]),
    table("audit.change_log"),
]


def everything_has_work(_unit: WorkUnit, _spec: TableSpec) -> bool:
    return True


class HeldLease:
    run_id = "run"

    def check(self) -> None:
        """It is always ours."""


class Shop:
    """One database in a store, planned as often as a test likes."""

    def __init__(self, tables: Sequence[CatalogTable] = SHOP, **entry: object) -> None:
        self.store = MemoryStore()
        self.clock = FixedClock()
        self.reader = HandMadeReader(list(tables))
        self.entry = DatabaseEntry(name="shop", **entry)

    def read(self) -> CatalogReading:
        return read_catalog(self.entry, self.app(), "run")

    def app(self, planning: PlanOptions = OPTIONS) -> Application:
        opts = replace(options(self.entry), planning=planning, configured=(self.entry,))
        return application(store=self.store, clock=self.clock, open_reader=lambda _: self.reader, opts=opts)

    def plan(self, planning: PlanOptions = OPTIONS) -> DocumentationPlan:
        try:
            previous = load_plan(self.store)
        except PlanError:
            previous = None
        composed = compose_plan([self.read()], self.app(planning), previous=previous, has_work=everything_has_work)
        publish_plan(composed.plan, store=self.store, lease=HeldLease())
        return composed.plan

    def contents(self) -> dict[str, bytes]:
        return {key: self.store.get(key).data for key in self.store.keys()}  # noqa: SIM118 - not a mapping

    def document(self, *names: str) -> None:
        """Write a manifest that lists tables as documented."""
        files = [
            IndexableFile(
                path=f"shop/{name}.json",
                type="table",
                database="shop",
                schema_=name.partition(".")[0],
                table=name.partition(".")[2],
                domain="kept",
                content_hash="a" * 64,
                size_bytes=1,
                modified_at=self.clock.published(),
            )
            for name in names
        ]
        manifest = DocumentationManifest(
            schema_version="1.0",
            completed_at=self.clock.published(),
            plan_hash="a" * 64,
            status="complete",
            databases=[],
            work_units=[],
            total_files=len(files),
            indexable_files=files,
        )
        self.store.put(locations.MANIFEST_FILE, manifest.to_json())


def domains_of(plan: DocumentationPlan) -> dict[str, list[str]]:
    return {domain: sorted(names) for domain, names in plan.databases[0].domains.items()}
