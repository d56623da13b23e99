"""What is served of a database that did not answer the last run."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.fakes import RecordingSink
from tests.fakes.application import with_run
from tests.fakes.catalogs import HandMadeReader
from tests.sample_shop.documented import TABLES, Shop
from tribal.adapters.sqlite.index import SqliteIndex
from tribal.errors import DatabaseUnreachable
from tribal.identity.locations import MANIFEST_FILE
from tribal.identity.scope import Scope
from tribal.ports import Application, Caller, CatalogReader, Provider
from tribal.runs.local import LocalRun
from tribal.tools.call import call_tool
from tribal_contracts import DatabaseEntry, DocumentationManifest, RunRecord

NAMES = ("shop", "other")


@pytest.fixture
def app(tmp_path: Path) -> Application:
    open_index = partial(SqliteIndex, tmp_path / "index.db")
    app = Shop().app()
    entries = tuple(app.options().databases[0].model_copy(update={"name": name}) for name in NAMES)
    options = Provider.of(replace(app.options(), databases=entries, configured=entries))
    return with_run(replace(app, options=options, index=Provider(open_index)), index_writer=open_index)


def run(app: Application, *down: str) -> RunRecord:
    def open_reader(entry: DatabaseEntry) -> CatalogReader:
        if entry.name in down:
            raise DatabaseUnreachable(f"{entry.name} does not answer")
        return HandMadeReader(TABLES)

    with LocalRun(with_run(app, open_reader=open_reader), "run", RecordingSink()) as work:
        work.plan()
        work.document()
        work.index()
    return work.record


def warned(app: Application, scope: Scope | None = None) -> list[str]:
    caller = Caller("test") if scope is None else Caller("test", scope=scope)
    found: dict[str, Any] = call_tool("search_tables", {"query": "orders"}, caller, app).model_dump(mode="json")
    assert found["tables"]
    return [each["message"] for each in found.get("warnings") or () if each["code"] == "RET_INDEX_STALE"]


def manifest(app: Application) -> DocumentationManifest:
    return DocumentationManifest.from_json(app.store().get(MANIFEST_FILE).data)


@pytest.mark.parametrize("down", NAMES)
def test_its_own_documents_are_served_with_when_they_were_read_and_those_of_the_other_stay(
    app: Application, down: str
) -> None:
    first = run(app)
    before = manifest(app)
    assert warned(app) == []
    run(app, down)
    (warning,) = warned(app)
    assert down in warning
    assert first.started_at in warning
    assert manifest(app).indexable_files == before.indexable_files
    run(app, down)
    assert warned(app) == [warning], "a second run without an answer changes nothing"
    run(app)
    assert warned(app) == []
    app.close()


def test_a_caller_who_may_not_see_the_database_does_not_learn_that_it_is_down(app: Application) -> None:
    run(app)
    run(app, "other")
    assert warned(app, Scope(databases=frozenset({"shop"}))) == []
    app.close()
