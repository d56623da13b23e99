"""The part for verified queries, metrics and terms: their states, why, and only what the caller may see."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.fakes import MemoryStore, application_over
from tests.page_data.test_parts import SALES, Page
from tests.sample_shop.indexed import index_all, shop_tables, write_documentation
from tribal.adapters.sqlite.index import SqliteIndex
from tribal.identity.locations import DEFINITIONS_FILE
from tribal.page_data.home import NO_REPORTS
from tribal.page_data.parts import every_part
from tribal.page_data.survey import page_toolbox
from tribal.ports import Caller
from tribal.store import put_record
from tribal_contracts import Definitions

CUSTOMER, ORDERS = "shop.crm.customer", "shop.sales.order_header"


def definition(tables: Sequence[str], status: str, **more: Any) -> dict[str, Any]:
    shared = {"file": "a.sql", "line": 1, "database": "shop", "is_safe": True}
    return {**shared, "tables": tables, "status": status, **more}


DEFINED = Definitions.model_validate(
    {
        "schema_version": "1.0",
        "queries": [
            definition(
                [CUSTOMER], "broken", questions=["Who is gone?", "Who left?"], sql="SELECT gone", file="q/gone.sql",
                problems=[{"message": "there is no column 'gone'; did you mean 'name'?", "line": 4}],
            ),
            definition(
                [ORDERS], "changed", questions=["What was ordered?"], sql="SELECT 2", file="queries/crm.customer.sql",
                changes=[{"name": ORDERS, "added": ["a", "b"], "removed": ["c"]}, {"name": "shop.sales.order_line"}],
            ),
            definition(
                [ORDERS], "broken", questions=["How many?"], sql="SELECT 3", file="q/many.sql",
                problems=[
                    {"message": "there is no function f; did you mean crm.customer?", "line": 2},
                    {"message": "there is no column 'y'", "line": 3},
                ],
            ),
            definition(
                [CUSTOMER, ORDERS], "current", questions=["Who bought?"], sql="SELECT 1", file="q/who.sql",
                owner="Finance", verified="2026-11-02",
            ),
        ],
        "metrics": [
            definition([ORDERS], "stale", name="orders", description="How many.", expression="count(x)",
                       problems=[{"message": "expression: there is no column 'x'", "line": 9}]),
            definition([CUSTOMER], "current", name="customers", description="People.", expression="count(*)",
                       filters=["name <> ''"], owner="Sales"),
        ],
        "terms": [
            definition([ORDERS], "current", name="open order", definition="Not sent.", synonyms=["backlog"],
                       columns=[f"{ORDERS}.status"]),
        ],
        "unusable": [{"file": "q/bad.sql", "line": 3, "message": "there is no question"}],
    }
)  # fmt: skip


@pytest.fixture(name="page", scope="module")
def page_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    store, index = MemoryStore(), SqliteIndex(tmp_path_factory.mktemp("defined") / "index.db")
    put_record(store, DEFINITIONS_FILE, DEFINED)
    write_documentation(store, shop_tables())
    index_all(store, index)
    yield Page(application_over(index, store=store))
    index.close()


def test_queries_say_what_changed_in_their_tables_and_what_is_broken_current_ones_first(page: Page) -> None:
    current, changed, *broken = page.part("definitions")["queries"]
    assert current == {
        "q": ["Who bought?"], "sql": "SELECT 1", "st": "current", "ow": "Finance", "on": "2026-11-02",
        "t": [CUSTOMER, ORDERS], "f": "q/who.sql",
    }  # fmt: skip
    assert (changed["st"], changed["why"]) == (
        "changed",
        [
            "Since it was verified, shop.sales.order_header has added a, b and removed c.",
            "Since it was verified, keys, checks or SQL of shop.sales.order_line changed.",
        ],
    )
    assert broken[0] == {
        "q": ["Who is gone?", "Who left?"], "sql": "SELECT gone", "st": "broken", "t": [CUSTOMER], "f": "q/gone.sql",
        "why": ["Line 4: there is no column 'gone'; did you mean 'name'?"],
    }  # fmt: skip


def test_metrics_and_terms_come_with_their_tables_and_problems(page: Page) -> None:
    part = page.part("definitions")
    assert part["metrics"] == [
        {"n": "customers", "s": "People.", "x": "count(*)", "st": "current", "fi": ["name <> ''"], "ow": "Sales",
         "t": [CUSTOMER], "f": "a.sql"},
        {"n": "orders", "s": "How many.", "x": "count(x)", "st": "stale", "t": [ORDERS], "f": "a.sql",
         "why": ["expression: there is no column 'x'"]},
    ]  # fmt: skip
    assert part["terms"] == [
        {"n": "open order", "s": "Not sent.", "st": "current", "sy": ["backlog"], "c": [f"{ORDERS}.status"],
         "t": [ORDERS], "f": "a.sql"},
    ]  # fmt: skip
    assert part["unusable"] == [["q/bad.sql", 3, "there is no question"]]


def test_who_may_see_one_schema_gets_its_definitions_without_any_mention_of_others(page: Page) -> None:
    part = page.part("definitions", SALES)
    assert "crm" not in json.dumps(part)
    assert "customer" not in json.dumps(part)
    assert "unusable" not in part
    changed, broken = part["queries"]
    assert (changed["q"], changed["t"]) == (["What was ordered?"], [ORDERS])
    assert "f" not in changed
    assert broken["why"] == ["It no longer fits the documented tables.", "Line 3: there is no column 'y'"]
    assert [each["n"] for each in part["metrics"] + part["terms"]] == ["orders", "open order"]


def test_a_site_lists_no_files_that_cannot_be_used(page: Page) -> None:
    with page.app.index().reading():
        parts: Any = dict(every_part(page_toolbox(Caller("site"), page.app), page.app.store(), NO_REPORTS))
    served = page.part("definitions")
    assert served.pop("unusable")
    assert parts["definitions"] == served


def test_with_no_definitions_the_lists_are_empty(tmp_path: Path) -> None:
    store, index = MemoryStore(), SqliteIndex(tmp_path / "index.db")
    write_documentation(store, shop_tables())
    index_all(store, index)
    page = Page(application_over(index, store=store))
    assert page.part("definitions") == {"queries": [], "metrics": [], "terms": []}
    assert "vq" not in page.part("table", name=CUSTOMER)[0]
    index.close()
