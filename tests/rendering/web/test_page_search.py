"""Searching the HTML page in a real browser: names first, exactly or nearly, then the words of columns and texts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from servers.chromium import Chromium, Tab
from tests.cases import each_case
from tests.golden.samples import SAMPLES
from tests.rendering.web.browser import reading, search_for
from tests.sample_shop.indexed import shop_tables, table_document
from tribal.identity import locations
from tribal.rendering.web.page import html_page
from tribal.rendering.web.records import Record, database_record, table_record

pytestmark = pytest.mark.xdist_group("chromium")

MORE = [
    table_document("shop.sales.order", "order_id placed_at", domain="sales"),
    table_document("shop.sales.reorder_point", "point_id", domain="stock", comment="When to order more."),
    table_document("shop.sales.sales", "sale_id", domain="sales"),
    table_document("shop.stock.purchaseorderline", "line_id", domain="stock"),
    table_document("web.public.BoxSize", "id", domain="marketing"),
]


@pytest.fixture(name="page", scope="module")
def page_fixture(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a page about two databases."""
    tables = [*shop_tables(), *MORE]
    records: list[Record] = [{"t": "catalog", "n": "Everything", "s": ""}]
    for database in ("shop", "web"):
        records.append(database_record(database, ""))
        members = [table for table in tables if table.database == database]
        domains = sorted({table.domain for table in members})
        records += [{"t": "domain", "b": database, "n": domain, "h": domain.title()} for domain in domains]
        records += [table_record(table) for table in members]
    file = tmp_path_factory.mktemp("page") / locations.SITE_PAGE
    file.write_bytes(b"".join(line + b"\n" for line in html_page(records, "a" * 64)))
    return file.as_uri()


@contextmanager
def searching(chromium: Chromium, page: str, typed: str) -> Iterator[Tab]:
    with reading(chromium, page) as tab:
        search_for(tab, typed)
        yield tab


def found(tab: Tab) -> list[str]:
    links = tab.value("[...document.querySelectorAll('#results > li > a')].map(link => link.textContent)")
    assert isinstance(links, list)
    return links


@each_case(
    ("typed", "first"),
    [
        ("order", "sales.order"),
        ("ORDER", "sales.order"),
        ("orders", "sales.order"),
        ("sales", "sales.sales"),
        ("sales.order_line", "sales.order_line"),
        ("shop.sales.order_line", "sales.order_line"),
        ("order line", "sales.order_line"),
        ("line order", "sales.order_line"),
        ("orderline", "sales.order_line"),
        ("OrderLines", "sales.order_line"),
        ("purchase order line", "stock.purchaseorderline"),
        ("purchase lines", "stock.purchaseorderline"),
        ("leave requests", 'hr."Leave Request"'),
        ("addresses", "crm.address"),
        ("box sizes", "public.BoxSize"),
        ("ware", "stock.warehouse"),
        ("stock lev", "stock.stock_level"),
        ("adress", "crm.address"),
        ("shipmant", "sales.shipment"),
        ("warehuose", "stock.warehouse"),
        ("purchaseorderlnie", "stock.purchaseorderline"),
        ("ordr lines", "sales.order_line"),
        ("stock product", "stock.product"),
        ("carrier", "sales.shipment.carrier"),
        ("territories", "crm.region"),
        ("ferrer", "public.visit.referrer"),
        ("fulfilment status", "sales.order_header"),
    ],
)
def test_what_is_meant_comes_first(chromium: Chromium, page: str, typed: str, first: str) -> None:
    with searching(chromium, page, typed) as tab:
        assert found(tab)[0] == first


def test_a_name_comes_before_names_that_hold_it_and_those_before_texts_that_do(chromium: Chromium, page: str) -> None:
    with searching(chromium, page, "order") as tab:
        names = found(tab)
    places = [names.index(name) for name in ("sales.order", "sales.order_line", "stock.purchaseorderline")]
    assert places == sorted(places)
    # By a column alone.
    assert names.index("sales.shipment") > max(places)


def test_a_table_that_is_named_comes_before_the_domain_of_that_name(chromium: Chromium, page: str) -> None:
    with searching(chromium, page, "sales") as tab:
        assert found(tab)[0] == "sales.sales"
        assert tab.text(".domains-found") == "Domains: Sales"
        tab.press("Enter")
        tab.until("document.querySelector('main h1').innerText === 'sales.sales'")


def test_a_word_that_is_here_is_not_taken_for_a_misspelt_one(chromium: Chromium, page: str) -> None:
    with searching(chromium, page, "page") as tab:
        assert found(tab) == ["public.visit.page", "public.visit"]


def test_the_database_is_shown_where_there_is_more_than_one(chromium: Chromium, page: str) -> None:
    with searching(chromium, page, "customer") as tab:
        whys = tab.value("[...document.querySelectorAll('#results .why')].map(why => why.innerText)")
        assert [why.split(" / ")[0] for why in whys[:2]] == ["shop", "web"]
    with searching(chromium, (SAMPLES / locations.SITE_PAGE).as_uri(), "invoice") as tab:
        assert tab.text("#results li a") == "billing.invoice"
        assert " / " not in tab.text("#results .why")


@each_case("typed", ["zzzz qqqq", "%%%", "xq"])
def test_nonsense_finds_nothing_and_says_so(chromium: Chromium, page: str, typed: str) -> None:
    with searching(chromium, page, typed) as tab:
        assert tab.text("#found").startswith("Nothing found")
        assert found(tab) == []
        tab.press("Enter")
        assert tab.text("h1") == "Search"


def test_where_no_table_has_all_the_words_those_with_some_are_shown_and_said_to_be(
    chromium: Chromium, page: str
) -> None:
    with searching(chromium, page, "warehouse zzzz") as tab:
        assert found(tab)[0] == "stock.warehouse"
        assert tab.text("#found").endswith("found with some of these words")


def test_what_is_typed_is_text_and_no_pattern(chromium: Chromium, page: str, tmp_path: Path) -> None:
    for typed in ("(.*", "[a-", "\\", "a{1"):
        with searching(chromium, page, typed) as tab:
            assert tab.value("document.getElementById('results').checkVisibility()") is True
