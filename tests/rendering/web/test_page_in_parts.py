"""The page whose data comes in parts, from files and from a server: what a reader sees and does in a real browser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from servers.chromium import Chromium
from tests.cases import each_case, verify_all_but
from tests.rendering.web.sites import both_forms, heard, looking

pytestmark = pytest.mark.xdist_group("chromium")

FORMS = ("static", "served")
VIEWS = {
    "start": "#/",
    "database": "#/database/shop",
    "domain": "#/domain/shop/sales",
    "table": "#/table/shop.sales.order_line",
    "map": "#/map",
    "joins": "#/join/shop.crm.customer/shop.stock.product",
    "changes": "#/changes",
    "state": "#/state",
    "todo": "#/todo",
}


@pytest.fixture(name="forms", scope="module")
def forms_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    with both_forms(tmp_path_factory.mktemp("project")) as addresses:
        yield addresses


@each_case("form", FORMS)
def test_the_first_view_asks_for_the_catalog_alone(chromium: Chromium, forms: dict[str, str], form: str) -> None:
    with looking(chromium, forms[form]) as tab:
        assert "13 tables" in tab.text("main")
        asked = [address.rpartition("/")[2] for address in tab.requests]
        assert sorted(asked) == sorted(
            [
                "index.html" if form == "static" else "",
                "page.js",
                "page.css",
                "catalog.js" if form == "static" else "catalog",
            ]
        )


@each_case("form", FORMS)
def test_a_table_is_found_by_a_column_that_was_not_there_at_first(
    chromium: Chromium, forms: dict[str, str], form: str
) -> None:
    with looking(chromium, forms[form]) as tab:
        tab.press("/")
        tab.type("email")
        tab.until("document.querySelector('#results .why')")
        assert tab.text("#results li a") == "crm.customer in shop"
        assert tab.text("#results .why").endswith("by its columns")
        tab.follow("Enter")
        tab.until("document.querySelector('main h1').innerText === 'crm.customer'")
        assert "email" in tab.text("table[aria-label=Columns]")


def test_what_names_do_not_tell_is_found_by_its_meaning_when_served(chromium: Chromium, forms: dict[str, str]) -> None:
    with looking(chromium, forms["served"]) as tab:
        tab.press("/")
        tab.type("client")
        tab.until("[...document.querySelectorAll('#results .why')].some(why => why.innerText.endsWith('by meaning'))")
        assert "customer" in tab.text("#results")


@each_case("form", FORMS)
def test_a_join_is_found_and_its_sql_is_there_to_copy(chromium: Chromium, forms: dict[str, str], form: str) -> None:
    with looking(chromium, forms[form], "#/join") as tab:
        for field, typed in (("#from", "crm.customer"), ("#to", "shop.sales.order_line")):
            tab.value(f"document.querySelector('{field}').focus()")
            tab.type(typed)
        tab.click("form.ask button")
        tab.until("document.querySelector('main pre')")
        assert "JOIN sales.order_line" in tab.text("main pre")
        assert ("declared keys alone" in tab.text("main")) is (form == "static")


@each_case("form", FORMS)
def test_a_drawing_zooms_and_pans_and_what_is_clicked_opens(
    chromium: Chromium, forms: dict[str, str], form: str
) -> None:
    def shown() -> list[float]:
        return [
            float(part) for part in tab.value("document.querySelector('.drawing svg').getAttribute('viewBox')").split()
        ]

    with looking(chromium, forms[form], VIEWS["domain"]) as tab:
        whole = shown()
        tab.click("button[aria-label='Zoom in']")
        nearer = shown()
        assert nearer[2] < whole[2]
        tab.value("document.querySelector('.drawing').focus()")
        tab.press("+")
        assert shown()[2] < nearer[2]
        tab.press("ArrowDown")
        assert shown()[1] > nearer[1]
        tab.press("0")
        assert shown() == pytest.approx(whole)
        tab.click(".drawing a text")
        tab.until("document.querySelector('main h1').innerText.startsWith('sales.')")


def test_what_is_dragged_is_moved_and_not_opened(chromium: Chromium, forms: dict[str, str]) -> None:
    with looking(chromium, forms["static"], VIEWS["domain"]) as tab:
        before = tab.value("document.querySelector('.drawing svg').getAttribute('viewBox')")
        tab.value("document.querySelector('.drawing').scrollIntoView({block: 'center'})")
        x, y = tab.value(
            "(({x, y, width, height}) => [x + width / 2, y + height / 2])"
            "(document.querySelector('.drawing a rect').getBoundingClientRect())"
        )
        tab.mouse("mousePressed", x, y)
        for offset in (10, 20, 30):
            tab.mouse("mouseMoved", x + offset, y)
        tab.mouse("mouseReleased", x + 30, y)
        assert tab.value("document.querySelector('.drawing svg').getAttribute('viewBox')") != before
        assert tab.text("h1") == "Sales"


@verify_all_but(1, "scheme", ["light", "dark"])
@pytest.mark.parametrize("view", VIEWS)
def test_a_screen_reader_finds_nothing_wrong(chromium: Chromium, forms: dict[str, str], view: str, scheme: str) -> None:
    with looking(chromium, forms["static"], VIEWS[view], scheme=scheme) as tab:
        assert heard(tab) == []
        tab.resize(360, 740)
        assert heard(tab) == []
        # A phone scrolls down, and not to the side.
        assert tab.value("document.documentElement.scrollWidth") <= 360
