"""The HTML page in a real browser: what a reader sees and does, while it asks for nothing and complains of nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from servers.chromium import Chromium, Tab
from tests.cases import each_case
from tests.fakes.catalogs import column, table
from tests.golden.samples import SAMPLES
from tests.rendering.web.browser import reading, search_for
from tests.rendering.web.sites import heard, visit
from tests.sample_shop.documented import Shop
from tribal.identity import locations

pytestmark = pytest.mark.xdist_group("chromium")

SAMPLE_PAGE = (SAMPLES / locations.SITE_PAGE).as_uri()
HOSTILE = "</script><img src=//example.org/x onerror=alert(1)><script>alert(2)</script>"
VIEWS = (
    *("#/", "#/database/company", "#/domain/company/billing", "#/table/company.billing.invoice", "#/map"),
    *("#/table/company.billing.invoice/status", "#/search/invoice", "#/join", "#/todo"),
)


def test_a_reader_searches_and_opens_what_was_found_with_the_keyboard_alone(chromium: Chromium) -> None:
    with reading(chromium, SAMPLE_PAGE) as tab:
        tab.resize(1280, 800)
        search_for(tab, "invoice line")
        assert re.match(r"\d+ tables? and \d+ columns? found", tab.text("#found"))
        assert tab.text("#results li a") == "billing.invoice_line"
        tab.press("ArrowDown")
        assert tab.value("document.activeElement.innerText") == "billing.invoice_line"
        tab.press("Enter")
        tab.until("document.querySelector('main h1').innerText === 'billing.invoice_line'")
        tab.until("document.activeElement.tagName === 'H1'")


def test_a_code_is_found_and_leads_to_its_meaning(chromium: Chromium) -> None:
    with reading(chromium, SAMPLE_PAGE) as tab:
        search_for(tab, "writeoff")
        assert tab.text("#results li a") == "billing.invoice.status"
        tab.press("Enter")
        tab.until("document.querySelector('tbody.chosen.open')")
        assert "writeoff given up" in tab.text("tbody.chosen .chips")


def test_tables_without_a_description_are_listed(chromium: Chromium) -> None:
    with reading(chromium, f"{SAMPLE_PAGE}#/search/?what=tables&described=no") as tab:
        number = tab.value("document.querySelectorAll('#results > li').length")
        assert tab.text("#found") == f"{number} tables"
        assert 0 < number < 49
        listed = tab.value("[...document.querySelectorAll('#results > li > a')].map(link => link.innerText)")
        # Its comment describes the one; of the other only the keys are known.
        assert "billing.invoice" not in listed
        assert "billing.payment" in listed


def test_a_table_is_opened_by_its_address_with_its_columns_and_its_keys_drawn(chromium: Chromium) -> None:
    with reading(chromium, f"{SAMPLE_PAGE}#/table/company.billing.invoice") as tab:
        assert tab.text("h1") == "billing.invoice"
        assert tab.value("document.title").startswith("billing.invoice")
        assert "net_cents" in tab.text("table[aria-label=Columns]")
        assert drawn(tab) == {"boxes": True, "edges": True}


def test_a_domain_is_opened_by_its_address_with_the_keys_between_its_tables_drawn(chromium: Chromium) -> None:
    with reading(chromium, f"{SAMPLE_PAGE}#/domain/company/sales") as tab:
        assert tab.text("main table a").startswith("sales.")
        assert drawn(tab) == {"boxes": True, "edges": True}


def test_an_address_of_nothing_says_so(chromium: Chromium) -> None:
    with reading(chromium, f"{SAMPLE_PAGE}#/table/company.billing.%E0%A4%A") as tab:
        assert tab.text("h1") == "Not found"


@each_case("scheme", ["light", "dark"])
def test_every_view_is_readable_as_its_reader_prefers(chromium: Chromium, scheme: str) -> None:
    with reading(chromium, SAMPLE_PAGE, scheme=scheme) as tab:
        assert ("255" in tab.value("getComputedStyle(document.body).backgroundColor")) is (scheme == "light")
        for address in VIEWS:
            visit(tab, address)
            assert heard(tab) == [], address
            tab.resize(390, 844)
            assert tab.value("document.documentElement.scrollWidth") <= 390, address
            tab.resize(1280, 900)


@each_case("address", ["#/join", "#/changes", "#/coverage", "#/todo"])
def test_a_view_that_one_file_does_not_have_says_where_it_is(chromium: Chromium, address: str) -> None:
    with reading(chromium, f"{SAMPLE_PAGE}{address}") as tab:
        assert "tribal site" in tab.text("main")
        assert "tribal serve" in tab.text("main")


def test_hostile_comments_are_read_as_they_are_and_nothing_of_them_runs(chromium: Chromium, tmp_path: Path) -> None:
    shop = Shop([table("sales.customer", column("email", "text", comment=HOSTILE), comment=HOSTILE)])
    shop.run()
    page = tmp_path / locations.SITE_PAGE
    page.write_bytes(shop.memory.get(locations.DOCS + locations.SITE_PAGE).data)
    with reading(chromium, f"{page.as_uri()}#/table/shop.sales.customer") as tab:
        assert HOSTILE in tab.text(".lead")
        assert HOSTILE in tab.text("table[aria-label=Columns]")
        assert tab.value("document.images.length") == 0


def test_a_script_that_is_not_ours_is_refused(chromium: Chromium) -> None:
    tab = chromium.open(SAMPLE_PAGE)
    tab.value(
        "void document.body.append(Object.assign(document.createElement('script'), {text: 'window.ran = true'}),"
        " Object.assign(document.createElement('img'), {src: 'https://example.org/x'}))"
    )
    assert tab.value("window.ran") is None
    assert [problem for problem in tab.problems if "Content Security Policy" in problem]


def drawn(tab: Tab) -> dict[str, object]:
    """Whether the diagram of a view has boxes and edges that take up room."""
    drawing = "main .g-drawing svg"
    sized = "every(part => Math.hypot(part.getBoundingClientRect().width, part.getBoundingClientRect().height) > 5)"
    return {
        name: tab.value(f"(all => all.length > 1 && all.{sized})([...document.querySelectorAll('{drawing} {part}')])")
        for name, part in (("boxes", "a rect"), ("edges", "path.g-line"))
    }
