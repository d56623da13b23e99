"""The parts of the page's data: what lists, search, joins and reports are made from, as far as each may see it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from tests.fakes import MemoryStore, application_over
from tests.fakes.interrogation import gap
from tests.page_data.keys import column_names
from tests.sample_shop.indexed import index_all, shop_tables, write_documentation
from tribal.adapters.sqlite.index import SqliteIndex
from tribal.capabilities.interrogation.open_gaps.merging import QuestionResult
from tribal.capabilities.interrogation.open_gaps.reading import visible_gaps
from tribal.capabilities.interrogation.open_gaps.recording import record
from tribal.capabilities.interrogation.sessions.repository import Sessions
from tribal.capabilities.interrogation.sessions.visibility import session_scope
from tribal.edges.http.messages import Request
from tribal.edges.http.page import PAGE_ROUTES
from tribal.edges.http.routes import respond
from tribal.identity.changes import Change, TableChange
from tribal.identity.scope import EVERYTHING, Scope
from tribal.page_data.changes import bounded_changes, changes_part
from tribal.page_data.home import Reports
from tribal.page_data.parts import every_part
from tribal.page_data.survey import page_toolbox
from tribal.ports import Application, Caller
from tribal.runs.comparing import Comparison, DatabaseChanges

SALES = Scope(schemas=frozenset({("shop", "sales")}))


@dataclass
class Page:
    """The page's data as a server gives it."""

    app: Application

    def part(self, part: str, /, scope: Scope = EVERYTHING, **query: str) -> Any:
        status, value = self.asked(part, Caller("reader", scope), **query)
        assert status == 200, value
        return value

    def asked(self, part: str, caller: Caller, /, **query: str) -> tuple[int, Any]:
        response = respond(Request("GET", f"/v1/page/{part}", caller, query=query), self.app, routes=PAGE_ROUTES)
        return response.status, json.loads(response.body)

    def tables(self, scope: Scope = EVERYTHING) -> list[str]:
        catalog = self.part("catalog", scope)
        domains = [(one["q"], domain) for one in catalog["databases"] for domain in one["domains"]]
        return [f"{database}.{line[0]}" for database, domain in domains for line in domain["tables"]]


@pytest.fixture(name="page", scope="module")
def page_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    store, index = MemoryStore(), SqliteIndex(tmp_path_factory.mktemp("page") / "index.db")
    write_documentation(store, shop_tables())
    index_all(store, index)
    yield Page(application_over(index, store=store))
    index.close()


def test_the_catalog_names_every_table_once_under_its_domain(page: Page) -> None:
    assert sorted(page.tables()) == sorted(table.name for table in shop_tables())


def test_every_part_is_in_the_order_of_the_catalog(page: Page) -> None:
    names, documents = page.tables(), {table.name: table for table in shop_tables()}
    for name, columns in zip(names, page.part("columns"), strict=True):
        assert [each[0] for each in columns] == [column.name for column in documents[name].columns]
    keys = page.part("keys")
    assert len(keys["p"]) == len(names)
    declared = {
        (table.name, key.references_table, *key.columns) for table in shop_tables() for key in table.foreign_keys
    }
    found = {(names[child], names[parent], *column_names(keys, own)) for child, parent, own, _, _ in keys["k"]}
    assert found == declared


def test_a_table_comes_whole_and_an_unknown_one_is_not_there(page: Page) -> None:
    (record,) = page.part("table", name="shop.crm.customer")
    assert (record["t"], record["n"]) == ("table", "shop.crm.customer")
    assert page.asked("table", Caller("reader"), name="shop.crm.nothing")[0] == 404
    assert page.asked("table", Caller("reader"))[0] == 400
    assert page.asked("nothing", Caller("reader"))[0] == 404


def test_a_domain_comes_with_the_descriptions_of_its_tables(page: Page) -> None:
    catalog = page.part("catalog")
    (database,) = [one for one in catalog["databases"] if one["n"] == "shop"]
    for domain in database["domains"]:
        part = page.part("domain", database="shop", domain=domain["n"])
        assert len(part["said"]) == len(domain["tables"])
    assert page.asked("domain", Caller("reader"), database="shop", domain="nothing")[0] == 404


def test_who_may_see_one_schema_learns_of_nothing_else_in_any_part(page: Page) -> None:
    hidden = {table.name for table in shop_tables()} - set(page.tables(SALES))
    assert page.tables(SALES)
    assert hidden
    whole = ("catalog", "columns", "keys", "lineage", "definitions", "todo", "state", "changes")
    texts = [json.dumps(page.part(name, SALES)) for name in whole]
    texts += [json.dumps(page.part("table", SALES, name=name)) for name in page.tables(SALES)]
    texts += [json.dumps(page.part(name, SALES, database="shop", domain="sales")) for name in ("domain", "dbml")]
    for name in hidden:
        assert not any(name in text or name.partition(".")[2] in text for text in texts), name
    assert page.part("state", SALES)["databases"][0]["tables"]["n"] == len(page.tables(SALES))
    assert page.asked("table", Caller("reader", SALES), name=min(hidden))[0] == 404


def test_who_may_not_read_documentation_gets_no_part(page: Page) -> None:
    nobody = Caller("nobody", rights=frozenset())
    for name in ("catalog", "columns", "keys", "lineage", "definitions", "todo", "state", "changes"):
        assert page.asked(name, nobody)[0] == 403


def test_the_state_counts_what_is_described_and_the_list_what_is_not(page: Page) -> None:
    (shop, *_) = [one for one in page.part("state")["databases"] if one["n"] == "shop"]
    home = page.part("catalog")["home"]
    domains = [coverage for each in page.part("state")["databases"] for _, coverage in each["domains"]]
    for what in ("tables", "columns"):
        assert 0 < sum(shop[what]["by"].values()) <= shop[what]["n"]
        # The first view has the same numbers.
        assert sum(coverage[what]["n"] for coverage in domains) == home[what]["n"]
    todo = page.part("todo")
    assert todo["total"] >= len(todo["items"]) > 0


def test_with_no_earlier_run_the_changes_say_so() -> None:
    assert "no run before" in changes_part(MemoryStore(), EVERYTHING)["why"]


def test_changes_are_reported_without_values_to_who_may_not_see_everything() -> None:
    view = TableChange("sales", "v", "changed", (Change("view definition", before="a", after="FROM crm.secret"),))
    column = TableChange("sales", "t", "changed", (Change("column", "x", "type", "int", "crm.secret"),))
    added = TableChange("crm", "secret", "added")
    compared = Comparison((DatabaseChanges("shop", (view, column, added)), DatabaseChanges("web", problem="host db7")))
    whole = bounded_changes(compared, EVERYTHING)
    assert [len(database["tables"]) for database in whole] == [3, 0]
    assert whole[1]["problem"] == "host db7"
    seen = ["sales.t", "changed", [["column", "x", "type", None, None]]]
    assert bounded_changes(compared, SALES) == [{"n": "shop", "tables": [seen]}]


EMAIL, STATUS = "shop.crm.customer.email", "shop.sales.order_header.status"


@pytest.fixture(name="asked")
def asked_fixture(tmp_path: Path) -> Iterator[Page]:
    """The page after an exam of two questions, and a session within the schema `sales`."""
    store, index = MemoryStore(), SqliteIndex(tmp_path / "index.db")
    write_documentation(store, shop_tables())
    index_all(store, index)
    results = [
        QuestionResult(text="Who has no email?", gaps=[gap(EMAIL), gap(STATUS)], from_exam=True),
        QuestionResult(text="Where do orders stand?", gaps=[gap(STATUS)], from_exam=True),
        QuestionResult(text="Is it late?", gaps=[gap(STATUS), gap("word:late")], scope=session_scope(SALES)),
    ]
    record(Sessions(store), index, results)
    yield Page(replace(application_over(index, store=store), gaps=visible_gaps))
    index.close()


def test_the_list_and_each_table_show_the_questions_that_they_block(asked: Page) -> None:
    first, second, *rest = asked.part("todo")["items"]
    assert first[:2] == ["shop.sales.order_header", "status"]
    assert first[3:5] == [3, ["Is it late?", "Where do orders stand?"]]
    assert second[:2] == ["shop.crm.customer", "email"]
    assert not any(item[3] for item in rest)
    assert asked.part("todo")["words"] == [["late", 1, ["Is it late?"], ["nothing says what word:late is"]]]
    assert asked.part("questions", name="shop.crm.customer") == [
        ["email", 1, ["Who has no email?"], [f"nothing says what {EMAIL} is"]]
    ]
    assert asked.part("questions", name="shop.crm.region") == []
    assert asked.asked("questions", Caller("reader"), name="shop.crm.nothing")[0] == 404


def test_who_may_see_one_schema_sees_only_questions_within_it(asked: Page) -> None:
    (first, *rest) = asked.part("todo", SALES)["items"]
    assert first[:5] == ["shop.sales.order_header", "status", first[2], 3, ["Is it late?"]]
    assert not any(item[3] for item in rest)
    assert "email" not in json.dumps(asked.part("questions", SALES, name="shop.sales.order_header"))
    assert asked.asked("questions", Caller("reader", SALES), name="shop.crm.customer")[0] == 404


def test_a_static_site_shows_the_questions_of_exams_and_never_those_of_sessions(asked: Page) -> None:
    app = asked.app
    gaps = app.open_gaps(Caller("site"), exams_only=True)
    with app.index().reading():
        parts = dict(every_part(page_toolbox(Caller("site"), app), app.store(), Reports(gaps)))
    texts = json.dumps(parts)
    assert "Where do orders stand?" in texts
    assert "Is it late?" not in texts
    assert parts["todo"]["words"] == []  # type: ignore[index]
    (header,) = [
        record
        for name, records in parts.items()
        if name.startswith("tables-")
        for record in records  # type: ignore[attr-defined]
        if record["n"] == "shop.sales.order_header"
    ]
    assert [row[:2] for row in header["qs"]] == [["status", 3]]
