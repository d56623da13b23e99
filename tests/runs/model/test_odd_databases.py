"""Databases that put names, time and places to the test, described by a model."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.catalogs import column, table
from tests.fakes.claude import FakeClaude
from tests.runs.model.made import ModelRuns, data_of, says, shop
from tribal.adapters.local.folder import FolderStore
from tribal.jobs.clock import SystemClock
from tribal_contracts import CatalogTable, DatabaseEntry

ODD = (
    "con",
    "nul.json",
    "a:b",
    "Orders",
    "orders",
    "ordeRS ",
    "..",
    "../x",
    "x" * 63,
    "é" * 31,
    'q"uote',
    "a.b",
    "%2e",
)


@pytest.fixture
def runs(claude: FakeClaude) -> ModelRuns:
    claude.mind = says("Holds what was ordered.", "Tells how good it is.")
    return ModelRuns(claude)


def odd_tables() -> list[CatalogTable]:
    """Tables of odd names, one without columns, one of partitions, one that repeats another."""
    odd = [
        table("s.t", column("grade", "text")).model_copy(update={"schema_name": schema, "table_name": name})
        for schema in ("con", "a.b", "x" * 63)
        for name in ODD
    ]
    bare = table("plain.bare").model_copy(update={"columns": [], "primary_key": None})
    parts = table("plain.parts", column("grade", "text"))
    return [
        *odd,
        bare,
        parts.model_copy(update={"kind": "partitioned_table", "partition_count": 12}),
        table("plain.parcel", column("grade", "text"), column("kd_nr", "text")),
        table("plain.parcel_backup", column("grade", "text"), column("kd_nr", "text")),
    ]


def test_every_table_has_its_own_prose_whatever_it_is_called(runs: ModelRuns, tmp_path: Path) -> None:
    runs.tables, runs.store = odd_tables(), FolderStore(tmp_path)
    record = runs.run()
    assert (record.status, record.tables_documented) == ("completed", len(runs.tables))
    assert {document.description.source for document in runs.documents()} == {"model"}
    assert len([subject for subject in runs.prose() if subject.startswith("shop.")]) == len(runs.tables)
    assert runs.calls_of(lambda: runs.run(force=True)) == 0
    names = [path.name for path in (tmp_path / "prose").rglob("*.json")]
    assert len({name.casefold() for name in names}) == len(names)
    assert max(map(len, names)) <= 255


def test_two_databases_with_one_domain_name_keep_their_prose_apart(runs: ModelRuns) -> None:
    runs.entry = DatabaseEntry(name="shop", domains={"Sales": ["parcels.*"]})
    runs.others = (
        DatabaseEntry(name="store", domains={"Sales": ["parcels.*"]}),
        DatabaseEntry(name="vault", describer="rules"),
    )
    runs.tables = shop(3)
    runs.run()
    assert {name.partition(".")[0] for name in runs.results()} == {"shop", "store", "vault"}
    sources = {document.name.partition(".")[0]: document.description.source for document in runs.documents()}
    assert sources == {"shop": "model", "store": "model", "vault": "derived"}
    assert {key.split("/")[1] for key in runs.store.keys("prose/")} == {"shop", "store"}
    assert runs.calls_of(lambda: runs.run(force=True)) == 0


def test_with_a_fixed_clock_two_runs_publish_the_same_bytes_and_calls_take_no_time(
    runs: ModelRuns, claude: FakeClaude
) -> None:
    published = []
    for _ in range(2):
        runs = ModelRuns(claude, clock=SystemClock(1_700_000_000))
        record = runs.run()
        assert record.usage is not None
        assert record.usage.time_ms == 0
        published.append({key: runs.store.get(key).data for key in runs.store.keys("docs/")})
    assert published[0] == published[1]


def test_a_wide_table_is_asked_about_in_slices_and_described_whole(runs: ModelRuns, claude: FakeClaude) -> None:
    runs.tables = [table("plain.wide", *(column(f"grade{number}x", "text") for number in range(100)))]
    runs.rows = 0
    runs.run()
    asked = [data_of(str(call.body["messages"][-1]["content"])) for call in claude.calls]
    assert [len(each["ask"]["columns"]) for each in asked if "t1" in each and "columns" in each["ask"]] == [40, 40, 20]
    [document] = runs.documents()
    assert {each.description.source for each in document.columns} == {"model", "derived"}
    assert sum(each.description.source == "model" for each in document.columns) == 100
