"""The page whose data comes in parts, from files and from a server: what a reader sees and does in a real browser."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress

import pytest

from servers.chromium import Chromium, Tab
from tests.cases import each_case, verify_all_but
from tests.rendering.web.browser import SHOWN, search_for
from tests.rendering.web.sites import both_forms, heard, looking, visit
from tests.waiting import wait_until

pytestmark = pytest.mark.xdist_group("chromium")

FORMS = ("static", "served")
VIEWS = {
    "start": "#/",
    "database": "#/database/shop",
    "domain": "#/domain/shop/sales",
    "table": "#/table/shop.sales.order_line",
    "column": "#/table/shop.sales.order_line/product_id",
    "map": "#/map",
    "joins": "#/join/shop.crm.customer/shop.stock.product",
    "search": "#/search/customer",
    "changes": "#/changes",
    "state": "#/coverage",
    "todo": "#/todo",
    "nothing": "#/table/nothing",
}
WIDTHS = (1280, 390)


@pytest.fixture(name="forms", scope="module")
def forms_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    with both_forms(tmp_path_factory.mktemp("project")) as addresses:
        yield addresses


def view_box(tab: Tab) -> list[float]:
    return [
        float(part)
        for part in tab.value("document.querySelector('main .g-drawing svg').getAttribute('viewBox')").split()
    ]


@each_case("form", FORMS)
def test_the_first_view_asks_for_the_catalog_and_the_graph_alone(
    chromium: Chromium, forms: dict[str, str], form: str
) -> None:
    with looking(chromium, forms[form]) as tab:
        tab.until("document.querySelector('main svg')")
        assert "13 tables" in tab.text(".lead")
        asked = [address.rpartition("/")[2] for address in tab.requests]
        own = ["index.html", "catalog.js"] if form == "static" else ["", "catalog", "caller"]
        assert sorted(asked) == sorted([*own, "page.js", "page.css", "graph.js"])


@each_case("form", FORMS)
def test_a_column_is_found_by_its_name_and_leads_to_its_row(
    chromium: Chromium, forms: dict[str, str], form: str
) -> None:
    with looking(chromium, forms[form]) as tab:
        search_for(tab, "email")
        tab.until("document.querySelector('#results li')")
        assert tab.text("#results li a") == "crm.customer.email"
        assert tab.text("#results .why").endswith("column \u00b7 exact name")
        tab.press("Enter")
        tab.until("document.querySelector('tbody.chosen.open')")
        assert tab.text("h1") == "crm.customer"
        assert "email" in tab.text("tbody.chosen")
        tab.value("history.back()")
        tab.until("document.querySelector('#results')?.dataset.query === 'email'")
        assert tab.value("document.querySelector('#search').value") == "email"


@each_case("form", FORMS)
def test_facets_narrow_a_search_and_are_in_its_address(chromium: Chromium, forms: dict[str, str], form: str) -> None:
    with looking(chromium, forms[form], "#/search/order?what=columns") as tab:
        tab.until("document.querySelector('#results li')")
        links = tab.value("[...document.querySelectorAll('#results > li > a')].map(link => link.getAttribute('href'))")
        assert links
        assert all(link.count("/") == 3 for link in links)
        assert tab.value("document.querySelector('select[name=what]').value") == "columns"


def test_the_served_page_ranks_tables_as_the_terminal_does(chromium: Chromium, forms: dict[str, str]) -> None:
    with looking(chromium, forms["served"]) as tab:
        for query in ("client", "orders of a customer", "product"):
            ranked = tab.value(
                "fetch('v1/tools/search_tables', {method: 'POST', headers: {'content-type': 'application/json'},"
                f" body: JSON.stringify({{query: {json.dumps(query)}, limit: 20}})}})"
                ".then(answer => answer.json()).then(found => found.tables.map(table => table.name))"
            )
            visit(tab, f"#/search/{query}")
            listed = (
                "[...document.querySelectorAll('#results > li > a')].map(link => link.getAttribute('href').split('/'))"
                ".filter(parts => parts.length === 3).map(parts => decodeURIComponent(parts[2]))"
            )
            tab.until(f"{listed}.slice(0, {len(ranked)}).join() === {json.dumps(','.join(ranked))}")


@each_case("form", FORMS)
def test_a_join_is_found_and_its_sql_is_there_to_copy(chromium: Chromium, forms: dict[str, str], form: str) -> None:
    with looking(chromium, forms[form], "#/join") as tab:
        for field, typed in (("#from", "crm.customer"), ("#to", "shop.sales.order_line")):
            tab.value(f"document.querySelector('{field}').focus()")
            tab.type(typed)
        tab.click("form.ask button")
        tab.until("document.querySelector('main pre')")
        assert "JOIN sales.order_line" in tab.text("main pre")


@each_case("form", FORMS)
def test_a_diagram_zooms_and_pans_and_what_is_clicked_opens(
    chromium: Chromium, forms: dict[str, str], form: str
) -> None:
    with looking(chromium, forms[form], VIEWS["domain"]) as tab:
        tab.until("document.querySelector('main .g-drawing svg[viewBox]')")
        whole = view_box(tab)
        tab.click("button[aria-label='Zoom in']")
        nearer = view_box(tab)
        assert nearer[2] < whole[2]
        tab.value("document.querySelector('main .g-drawing svg').closest('[tabindex]').focus()")
        tab.press("+")
        assert view_box(tab)[2] < nearer[2]
        tab.press("ArrowDown")
        assert view_box(tab)[1] > nearer[1]
        tab.press("0")
        tab.click("main .g-drawing svg a")
        tab.until("document.querySelector('main h1').innerText.startsWith('sales.')")


def test_what_is_dragged_is_moved_and_not_opened(chromium: Chromium, forms: dict[str, str]) -> None:
    with looking(chromium, forms["static"], VIEWS["domain"]) as tab:
        tab.until("document.querySelector('main .g-drawing svg[viewBox]')")
        tab.value("document.querySelector('main .g-drawing svg').scrollIntoView({block: 'center'})")
        before = view_box(tab)
        x, y = tab.value(
            "(({x, y, width, height}) => [x + width / 2, y + height / 2])"
            "(document.querySelector('main .g-drawing svg a rect').getBoundingClientRect())"
        )
        tab.mouse("mousePressed", x, y)
        for offset in (10, 20, 30):
            tab.mouse("mouseMoved", x + offset, y)
        tab.mouse("mouseReleased", x + 30, y)
        assert view_box(tab) != before
        assert tab.text("h1") == "Sales"


def test_back_returns_to_where_the_reader_was(chromium: Chromium, forms: dict[str, str]) -> None:
    with looking(chromium, forms["static"], VIEWS["table"]) as tab:
        tab.resize(1280, 500)
        tab.until("document.querySelector('main .g-drawing svg[viewBox]')")
        tab.value("window.scrollTo(0, 400)")
        tab.until("window.scrollY === 400")
        visit(tab, VIEWS["domain"])
        assert tab.value("window.scrollY") == 0
        tab.value("history.back()")
        tab.until("document.querySelector('main h1').innerText === 'sales.order_line' && window.scrollY === 400")


def test_a_search_for_two_tables_offers_their_join(chromium: Chromium, forms: dict[str, str]) -> None:
    with looking(chromium, forms["static"], "#/search/customer%20order_line") as tab:
        tab.click("main a.button")
        tab.until("document.querySelector('main pre')")
        assert "JOIN sales.order_line" in tab.text("main pre")


def test_a_section_is_reached_again_by_the_same_link(chromium: Chromium, forms: dict[str, str]) -> None:
    with looking(chromium, forms["static"], VIEWS["table"]) as tab:
        tab.resize(1280, 500)
        for _ in range(2):
            tab.value("document.querySelector('.tabs a[href$=\"section=joins\"]').click()")
            tab.until("document.activeElement.id === 'join-with' && window.scrollY > 300")
            # A reader's wheel ends the scrolling after a page that still grows.
            tab.value(
                "(window.dispatchEvent(new Event('wheel')), window.scrollTo(0, 0), document.activeElement.blur())"
            )
            tab.until("window.scrollY === 0")


def test_another_generation_of_the_index_loads_the_page_again(chromium: Chromium, forms: dict[str, str]) -> None:
    tab = chromium.open(f"{forms['served']}#/domain/shop/sales")
    tab.until(SHOWN)
    tab.value(
        "(window.isOld = true, (real => { window.fetch = async (...asked) => { const answer = await real(...asked);"
        " return new Response(await answer.text(), {headers: {'X-Tribal-Generation': 'newer'}}); }; })(window.fetch))"
    )
    tab.value("location.hash = '#/table/shop.stock.product'")

    def is_loaded_again() -> bool:
        # Nothing is answered while the page is loaded.
        with suppress(AssertionError):
            return tab.value(f"!window.isOld && Boolean({SHOWN})") is True
        return False

    wait_until(is_loaded_again)
    assert tab.text("h1") == "stock.product"


@each_case("scheme", ["light", "dark"])
def test_the_drawer_lists_every_table_by_keyboard(chromium: Chromium, forms: dict[str, str], scheme: str) -> None:
    with looking(chromium, forms["static"], scheme=scheme) as tab:
        tab.value("document.querySelector('button.menu').focus()")
        tab.press("Enter")
        tab.until("document.querySelector('dialog[open]')")
        tab.value("document.querySelectorAll('dialog .fold').forEach(fold => fold.click())")
        tab.until("document.querySelectorAll('dialog ul ul a').length === 13")
        assert heard(tab) == []
        tab.press("Escape")
        tab.until("!document.querySelector('dialog')")


def test_the_map_is_opened_and_searched_by_keyboard(chromium: Chromium, forms: dict[str, str]) -> None:
    with looking(chromium, forms["static"], VIEWS["map"]) as tab:
        tab.value("document.querySelector('.g-drawing [aria-expanded]').focus()")
        tab.press("Enter")
        tab.until("document.querySelector('.g-drawing [aria-expanded=true]')")
        tab.value("document.querySelector('.g-find').focus()")
        tab.type("order_line")
        tab.until("document.querySelector('.g-said').innerText.startsWith('sales.order_line')")
        assert "order_line" in tab.value("document.querySelector('.g-found').textContent")
        assert heard(tab) == []
        tab.press("Enter")
        tab.until("document.querySelector('main h1').innerText === 'sales.order_line'")


def test_a_diagram_is_changed_and_exported_by_keyboard_and_has_a_list_of_the_same(
    chromium: Chromium, forms: dict[str, str]
) -> None:
    def press(text: str) -> None:
        tab.value(f"[...document.querySelectorAll('.g-tools button')].find(one => one.innerText === {text!r}).focus()")
        tab.press("Enter")

    with looking(chromium, forms["static"], VIEWS["table"]) as tab:
        boxes = "document.querySelectorAll('.g-drawing rect.g-box').length"
        one_step = tab.value(boxes)
        press("2 steps")
        tab.until(f"{boxes} > {one_step}")
        press("All columns")
        tab.until("document.querySelector('.g-drawing').textContent.includes('int')")
        tab.value("document.querySelector('.g-export summary').focus()")
        tab.press("Enter")
        for name, ending in (("SVG", "svg"), ("Mermaid", "mmd"), ("DBML", "dbml")):
            tab.value(f"document.querySelector('[aria-label=\"Download {name}\"]').focus()")
            tab.press("Enter")
            tab.until(f"/^Saved .*[.]{ending}$/.test(document.querySelector('.g-menu [role=status]').innerText)")
        tab.press("Escape")
        tab.value("document.querySelector('.g-list summary').focus()")
        tab.press("Enter")
        tab.until("document.querySelector('.g-list li')")
        assert tab.value("document.querySelectorAll('.g-list > ul > li').length") == tab.value(boxes)
        lines = tab.value("document.querySelectorAll('.g-drawing path.g-line').length")
        assert tab.value("document.querySelectorAll('.g-list li li').length") == lines


def test_pickers_work_by_keyboard(chromium: Chromium, forms: dict[str, str]) -> None:
    with looking(chromium, forms["static"], VIEWS["search"]) as tab:
        tab.until("document.querySelector('#results mark')")
        tab.value("document.querySelector('.facets select').focus()")
        tab.press("ArrowDown")
        tab.until("location.hash.includes('?')")
        visit(tab, "#/join")
        # The first empty field has the focus.
        tab.until("document.activeElement.id === 'from'")
        tab.type("crm.customer")
        tab.value("document.querySelector('#to').focus()")
        tab.type("sales.order_line")
        tab.press("Enter")
        tab.until("document.querySelector('main pre')")


def test_the_search_is_reached_from_anywhere(chromium: Chromium, forms: dict[str, str]) -> None:
    with looking(chromium, forms["static"], VIEWS["table"]) as tab:
        for key in ("/", "Ctrl+k"):
            tab.value("document.activeElement.blur()")
            tab.press(key)
            assert tab.value("document.activeElement.id") == "search"


@verify_all_but(1, "scheme", ["light", "dark"])
@each_case("form", FORMS)
def test_a_screen_reader_finds_nothing_wrong_and_no_view_scrolls_to_the_side(
    chromium: Chromium, forms: dict[str, str], form: str, scheme: str
) -> None:
    with looking(chromium, forms[form], scheme=scheme) as tab:
        wrong = {}
        for width in WIDTHS:
            tab.resize(width, 844)
            for name, address in VIEWS.items():
                visit(tab, address)
                found = heard(tab)
                if tab.value("document.documentElement.scrollWidth") > width:
                    found.append("scrolls to the side")
                wrong[f"{name} at {width}"] = found
        assert {name: found for name, found in wrong.items() if found} == {}


@each_case("scheme", ["light", "dark"])
def test_a_part_that_cannot_be_loaded_is_reported(chromium: Chromium, forms: dict[str, str], scheme: str) -> None:
    tab = chromium.open(f"{forms['served']}#/table/shop.crm.customer", scheme=scheme)
    tab.until("document.querySelector('main h1')")
    tab.value("window.fetch = () => Promise.reject(new Error('no network'))")
    visit(tab, "#/table/shop.stock.product")
    assert tab.text("h1") == "Not loaded"
    assert "no network" in tab.text("main")
    assert heard(tab) == []
