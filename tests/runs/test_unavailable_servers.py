"""Runs over a server without a free connection, for some time or forever."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest

from tests.fakes import RecordingSink
from tests.fakes.application import with_run
from tests.fakes.catalogs import HandMadeReader
from tests.sample_shop.documented import TABLES, Shop
from tribal.adapters.sqlite.index import SqliteIndex
from tribal.errors import ServerUnavailable
from tribal.identity import locations
from tribal.ports import Application, CatalogContents, Provider, TableSample
from tribal.runs.local import LocalRun
from tribal.store import require_record
from tribal_contracts import CatalogTable, DatabaseEntry, DocumentationManifest, TableDocument

FULL = ServerUnavailable("too many connections at db.example:5432")


class BusyServer:
    """A server that answers once it is asked again so many times."""

    def __init__(self, rounds: int, *, planning: bool = False) -> None:
        self.rounds = rounds
        self.planning = planning
        self.asked: list[str] = []

    def ask_again(self) -> None:
        self.rounds -= 1

    def open(self, _: DatabaseEntry) -> BusyReader:
        return BusyReader(TABLES, self)


class BusyReader(HandMadeReader):
    def __init__(self, tables: Sequence[CatalogTable], server: BusyServer) -> None:
        super().__init__(tables)
        self._server = server

    def read(self) -> CatalogContents:
        if self._server.planning and self._server.rounds > 0:
            raise FULL
        return super().read()

    def sample(self, table: CatalogTable, rows: int) -> TableSample:
        self._server.asked.append(table.table_name)
        if self._server.rounds > 0:
            raise FULL
        return super().sample(table, rows)


@pytest.fixture(name="shop")
def shop_fixture(tmp_path: Path) -> Application:
    open_index = partial(SqliteIndex, tmp_path / "index.db")
    return with_run(replace(Shop().app(), index=Provider(open_index)), index_writer=open_index)


def run(shop: Application, server: BusyServer) -> tuple[LocalRun, RecordingSink]:
    sink = RecordingSink()
    with LocalRun(with_run(shop, open_reader=server.open, retry_servers=server.ask_again), "run", sink) as work:
        work.plan()
        work.document()
    return work, sink


def sampled(shop: Application) -> set[str]:
    manifest = require_record(shop.store(), locations.MANIFEST_FILE, DocumentationManifest)
    paths = [f"docs/{file.path}" for file in manifest.indexable_files if file.type == "table"]
    documents = [TableDocument.from_json(shop.store().get(path).data) for path in paths]
    assert len(documents) == len(TABLES)
    return {document.table for document in documents if document.samples_taken}


def documents(shop: Application) -> dict[str, bytes]:
    """Every document but the manifest, which names the plan."""
    keys = set(shop.store().keys("docs/")) - {locations.MANIFEST_FILE}
    return {key: shop.store().get(key).data for key in keys}


ALL = {table.table_name for table in TABLES if table.kind == "table" and table.selectable}


def test_tables_wait_for_a_server_without_room_until_all_else_is_documented(shop: Application) -> None:
    server = BusyServer(2)  # the first question is for the databases that could not be read
    work, sink = run(shop, server)
    assert sampled(shop) == ALL
    assert (work.record.status, work.record.tables_documented, work.record.errors) == ("completed", len(TABLES), [])
    assert len(server.asked) == 2 * len(ALL)
    assert not any("samples" in note for note in sink.notes)


def test_what_never_gets_samples_is_documented_without_reported_and_sampled_by_the_next_run(shop: Application) -> None:
    work, sink = run(shop, BusyServer(99))
    assert sampled(shop) == set()
    assert work.record.tables_documented == len(TABLES)
    assert {error.code for error in work.record.errors} == {"DOC_SERVER_UNAVAILABLE"}
    assert f"{len(ALL)} tables have no samples until the next run: {FULL.message}" in sink.notes
    work, _ = run(shop, BusyServer(0))
    assert sampled(shop) == ALL
    assert (work.record.tables_documented, work.record.errors) == (len(ALL), [])


def test_documents_with_samples_stay_while_the_server_has_no_room(shop: Application) -> None:
    run(shop, BusyServer(0))
    server = BusyServer(99)
    every_time = replace(shop.options().documenting, max_age=timedelta(seconds=-1))
    stale = replace(shop, options=Provider.of(replace(shop.options(), documenting=every_time)))
    before = documents(shop)
    run(stale, server)
    assert set(server.asked) == ALL
    assert sampled(shop) == ALL
    assert documents(shop) == before


def test_a_database_is_read_at_the_end_of_planning_if_its_server_had_no_room(shop: Application) -> None:
    work, sink = run(shop, BusyServer(1, planning=True))
    assert (work.record.status, work.record.errors) == ("completed", [])
    assert sampled(shop) == ALL
    assert not any(FULL.message in note for note in sink.notes)
