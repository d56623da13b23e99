"""Memories in other languages are found by their words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

from tests.capabilities.memory.killed_change import ask, started
from tests.cases import each_case
from tribal.ports import Application

ORDERS = "同样的记忆：订单金额不含税。"  # noqa: RUF001 - the wide colon is the point
INVOICES = "Kundenrechnungen werden im März storniert."
RETURNS = "返品は受注に含めない。"
PAYMENTS = "การชำระเงินของลูกค้า"
EUROS = "Invoices are in euro."


@pytest.fixture(name="app", scope="module", params=["sqlite", "journal"])
def app_fixture(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Application]:
    with closing(started(tmp_path_factory.mktemp("project"), request.param)) as app:
        for content in (ORDERS, INVOICES, RETURNS, PAYMENTS, EUROS):
            assert ask(app, "memory_add", content=content)["success"]
        yield app


@each_case(
    ("query", "content"),
    [
        ("订单金额", ORDERS),
        ("订单金额含税吗", ORDERS),
        ("税", ORDERS),
        ("订单 amount", ORDERS),
        ("返品", RETURNS),
        ("返品は含まれますか", RETURNS),
        ("ลูกค้า", PAYMENTS),
        ("Rechnung", INVOICES),
        ("euro", EUROS),
    ],
)
def test_a_memory_is_recalled_by_a_word_in_it(app: Application, query: str, content: str) -> None:
    assert [each["content"] for each in ask(app, "memory_search", query=query)["results"]] == [content]


@each_case("query", ["仓库", "Mahnung"])
def test_a_word_that_no_memory_has_recalls_none(app: Application, query: str) -> None:
    assert ask(app, "memory_search", query=query)["results"] == []
