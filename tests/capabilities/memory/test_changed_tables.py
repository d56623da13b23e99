"""A memory knows the tables that it names, and says what has changed in them since it was added."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.edges.cli.tribal_command import tribal
from tests.edges.mcp.asked import index_project
from tests.sample_shop.indexed import table_document, with_relations
from tribal.app.local import local_application
from tribal.identity.scope import Scope
from tribal.ports import Application, Caller
from tribal.ports.remembering.identity import Identity
from tribal.settings import load_settings
from tribal.tools.call import call_tool
from tribal.tools.registry import EVERYTHING
from tribal_contracts.memory import MemoryRecord

ADA = Caller("ada", identity=Identity("ada", projects=("shop",)))
BOB = Caller("bob", identity=Identity("bob", projects=("shop",)), scope=Scope(schemas=frozenset({("shop", "public")})))
BEFORE = {
    "shop.public.invoice": "id status total",
    "shop.public.order_item": "id sku",
    "shop.public.stock": "id",
    "shop.audit.stock": "id",
    "shop.vault.zorvik": "id grade",
}
ABOUT_INVOICE = "Revenue leaves void rows of public.invoice out"


def index(folder: Path, **changed: str | None) -> None:
    tables = {**BEFORE, **{name.replace("__", "."): columns for name, columns in changed.items()}}
    index_project(
        folder,
        with_relations(
            [table_document(name, columns, domain="d") for name, columns in tables.items() if columns is not None]
        ),
    )


@pytest.fixture(name="app")
def app_fixture(tmp_path: Path) -> Iterator[Application]:
    index(tmp_path)
    (tmp_path / "databases.yaml").write_text(
        json.dumps({"databases": [], "memory": {}, "identity": {"project": "shop"}})
    )
    with closing(local_application(load_settings(project=tmp_path, environment={}, needs_databases=False))) as app:
        yield app


def call(app: Application, tool: str, caller: Caller = ADA, **arguments: Any) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(call_tool(tool, arguments, caller, app, EVERYTHING).to_compact_json())
    assert answer["success"], answer
    return answer


def add(app: Application, content: str, caller: Caller = ADA, **more: Any) -> None:
    call(app, "memory_add", caller, content=content, layer="project", **more)


def found(app: Application, query: str, caller: Caller = ADA) -> dict[str, Any]:
    (result,) = call(app, "memory_search", caller, query=query, threshold=0)["results"]
    return {name: result[name] for name in ("tableChangedSince", "changedTables") if name in result}


def recorded(folder: Path) -> list[list[str]]:
    records = [MemoryRecord.from_json(path.read_bytes()) for path in sorted((folder / "memory").rglob("mem_*.json"))]
    return [[state.name for state in record.table_states or ()] for record in records]


@pytest.mark.parametrize(
    ("content", "tables", "expected"),
    [
        ("Void rows of public.invoice do not count", [], ["shop.public.invoice"]),
        ("Mind invoice.total, which is gross", [], ["shop.public.invoice"]),
        ("Join ORDER_ITEM before it is summed", [], ["shop.public.order_item"]),
        ("It is summed at night", ["invoice", "shop.audit.stock"], ["shop.public.invoice", "shop.audit.stock"]),
        ("Every invoice is paid in time; `stock` is counted, see invoice.pdf", ["", '"', "nothing"], []),
    ],
)
def test_the_tables_that_a_memory_clearly_names_are_recorded(
    app: Application, tmp_path: Path, content: str, tables: list[str], expected: list[str]
) -> None:
    add(app, content, metadata={"tables": tables})
    assert recorded(tmp_path) == [expected]


def test_a_memory_says_which_columns_came_went_and_changed_everywhere_that_it_is_shown(
    app: Application, tmp_path: Path
) -> None:
    add(app, ABOUT_INVOICE)
    assert found(app, "revenue") == {}
    index(tmp_path, shop__public__order_item="id other")
    assert found(app, "revenue") == {}

    index(tmp_path, shop__public__invoice="id total status_id")
    change = {"name": "shop.public.invoice", "added": ["status_id"], "removed": ["status"], "changed": []}
    assert found(app, "revenue") == {"tableChangedSince": True, "changedTables": [change]}
    (item,) = call(app, "get_table_schema", table="invoice")["guidance"]
    assert (item["table_changed_since"], item["changed_tables"]) == (True, [change])
    text = "since then, shop.public.invoice has added status_id and removed status"
    context = call(app, "get_query_context", question="total of each invoice by status")["text"].replace("\\", "")
    assert text in context
    assert text in " ".join(tribal("table", "invoice", cwd=tmp_path).stdout.split())
    recalled = tribal("recall", "revenue", "--threshold", "0", cwd=tmp_path)
    assert text.removeprefix("since then, ") in " ".join(recalled.stdout.split())

    index(tmp_path, shop__public__invoice=None)
    gone = {"name": "shop.public.invoice", "added": [], "removed": [], "changed": [], "gone": True}
    assert found(app, "revenue") == {"tableChangedSince": True, "changedTables": [gone]}


def test_adding_it_again_says_that_it_is_still_right(app: Application, tmp_path: Path) -> None:
    add(app, ABOUT_INVOICE)
    index(tmp_path, shop__public__invoice="id total")
    assert found(app, "revenue")["tableChangedSince"]
    add(app, ABOUT_INVOICE)
    assert found(app, "revenue") == {}


def test_nothing_is_said_of_a_table_that_the_caller_may_not_see(app: Application, tmp_path: Path) -> None:
    named = {"tables": ["shop.public.invoice", "shop.vault.zorvik"]}
    add(app, "Both are summed at night", metadata=named)
    for columns in ("id other", None):
        index(tmp_path, shop__vault__zorvik=columns)
        assert found(app, "summed")["changedTables"][0]["name"] == "shop.vault.zorvik"
        assert found(app, "summed", BOB) == {}
    for path in (tmp_path / "memory").rglob("mem_*.json"):
        path.unlink()
    index(tmp_path)
    add(app, "Both of them are summed at night", BOB, metadata=named)
    assert recorded(tmp_path) == [["shop.public.invoice"]]


def test_what_was_recorded_is_carried_to_another_project(app: Application, tmp_path: Path) -> None:
    add(app, ABOUT_INVOICE)
    other = tmp_path / "other"
    other.mkdir()
    exported = tribal("memory", "export", tmp_path / "memories.jsonl", cwd=tmp_path)
    assert exported.returncode == 0, exported.stderr
    index(other, shop__public__invoice="id total")
    assert tribal("memory", "import", tmp_path / "memories.jsonl", cwd=other).returncode == 0
    assert recorded(other) == [["shop.public.invoice"]]
    with closing(local_application(load_settings(project=other, environment={}, needs_databases=False))) as carried:
        assert found(carried, "revenue")["changedTables"][0]["removed"] == ["status"]


def test_without_an_index_and_of_an_old_memory_nothing_is_said(tmp_path: Path) -> None:
    with closing(local_application(load_settings(project=tmp_path, environment={}, needs_databases=False))) as app:
        add(app, ABOUT_INVOICE)
        index(tmp_path)
        assert (recorded(tmp_path), found(app, "revenue")) == ([[]], {})
