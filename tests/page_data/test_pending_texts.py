"""Texts that wait for the next run: shown to readers, and withheld where they mention something hidden from them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.capabilities.proposals.shop import EDITOR, READER, SALES, asked, caller, project
from tribal.identity.scope import Scope
from tribal.ports import Application, Caller

LINE, SHIPMENT = "shop.sales.order_line", "shop.sales.shipment"
HIDDEN, PLAIN = "Filled from hr.employee at night.", "One row for each parcel, see sales.order_line."
ANNOTATIONS = f"""\
description: Next to web.public.visit.
domains:
  sales:
    title: Sales next to `visit`
    description: What is sold, also in web.public.visit.
tables:
  sales.order_line:
    description: {HIDDEN}
    columns:
      product_id: As in stock_level.
      qty: Pieces of this order_line.
  sales.shipment:
    description: {PLAIN}
"""
SCOPED = caller("scoped", "annotations:write", scope=SALES)
OF_SHOP = caller("of-shop", "annotations:write", scope=Scope(databases=frozenset({"shop"})))


@pytest.fixture(name="app")
def app_fixture(tmp_path: Path) -> Iterator[Application]:
    with closing(project(tmp_path)) as app:
        app.store().put("annotations/shop.yaml", ANNOTATIONS.encode())
        yield app


def pending(app: Application, by: Caller) -> dict[tuple[str, Any], str]:
    status, part = asked(app, by, "GET", "/v1/page/todo")
    assert status == 200
    return {(table, column): text for table, column, text in part.get("pending", ())}


def written(app: Application, by: Caller, **about: str) -> dict[str, Any]:
    status, found = asked(app, by, "GET", "/v1/corrections", **about)
    assert status == 200, found
    return {name: found[name] for name in ("description", "title", "columns") if found.get(name)}


def test_the_list_shows_pending_texts_to_every_reader_without_those_that_mention_something_hidden(
    app: Application,
) -> None:
    assert pending(app, READER) == {(LINE, 0): HIDDEN, (SHIPMENT, 0): PLAIN}
    # The key to a hidden table is hidden, so that the list has its column.
    _, part = asked(app, SCOPED, "GET", "/v1/page/todo")
    assert [LINE, "product_id"] in [item[:2] for item in part["items"]]
    assert pending(app, caller("reader", scope=SALES)) == {(SHIPMENT, 0): PLAIN}
    assert pending(app, SCOPED) == {(SHIPMENT, 0): PLAIN}


def test_corrections_that_mention_something_hidden_are_withheld(app: Application) -> None:
    columns = {"product_id": "As in stock_level.", "qty": "Pieces of this order_line."}
    assert written(app, EDITOR, table=LINE) == {"description": HIDDEN, "columns": columns}
    for scoped in (SCOPED, caller("reader", scope=SALES)):
        assert written(app, scoped, table=LINE) == {"columns": {"qty": "Pieces of this order_line."}}
        assert written(app, scoped, table=SHIPMENT) == {"description": PLAIN}


def test_texts_about_a_database_and_its_domains_are_withheld_from_who_may_not_see_another(app: Application) -> None:
    assert written(app, EDITOR, database="shop", domain="sales") == {
        "title": "Sales next to `visit`",
        "description": "What is sold, also in web.public.visit.",
    }
    assert written(app, EDITOR, database="shop")["description"].startswith("Next to")
    assert written(app, OF_SHOP, database="shop", domain="sales") == {}
    assert written(app, OF_SHOP, database="shop") == {}
    assert written(app, OF_SHOP, table=LINE)["description"] == HIDDEN


def test_a_preview_does_not_show_a_withheld_text_that_it_replaces(app: Application) -> None:
    correction = {"table": LINE, "words": "One row for each product."}

    def difference(by: Caller, about: dict[str, str]) -> list[str]:
        status, shown = asked(app, by, "POST", "/v1/corrections/preview", about)
        assert status == 200, shown
        lines: list[str] = shown["difference"].split("\n")
        return lines[3:]

    added = "+    description: One row for each product."
    assert difference(SCOPED, correction) == ["-(withheld)", added]
    assert f"-    description: {HIDDEN}" in difference(EDITOR, correction)
    assert difference(SCOPED, {**correction, "table": SHIPMENT}) == [f"-    description: {PLAIN}", added]
    assert "visit" not in json.dumps(difference(OF_SHOP, {"database": "shop", "words": "The shop."}))
