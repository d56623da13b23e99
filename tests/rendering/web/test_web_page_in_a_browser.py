"""The HTML page in a real browser: what a reader sees and does, while it asks for nothing and complains of nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from demo.samples import SAMPLES
from servers.chromium import Chromium, Tab
from tests.fakes.catalogs import column, table
from tests.rendering.web.browser import reading
from tests.sample_shop.documented import Shop
from tribal.identity import locations

pytestmark = pytest.mark.xdist_group("chromium")

SAMPLE_PAGE = (SAMPLES / locations.SITE_PAGE).as_uri()
HOSTILE = "</script><img src=//example.org/x onerror=alert(1)><script>alert(2)</script>"
READABLE_CONTRAST = 4.5
"""Source: https://www.w3.org/TR/WCAG22/#contrast-minimum"""


def test_a_reader_searches_and_opens_what_was_found_with_the_keyboard_alone(chromium: Chromium) -> None:
    with reading(chromium, SAMPLE_PAGE) as tab:
        tab.resize(1280, 800)
        tab.press("/")
        tab.type("invoice line")
        assert re.fullmatch(r"\d+ tables? found", tab.text("#found"))
        assert tab.text("#results li a") == "billing.invoice_line"
        assert tab.value("document.getElementById('tree').checkVisibility()") is False
        tab.follow("Enter")
        assert tab.text("h1") == "billing.invoice_line"
        assert tab.value("document.activeElement.tagName") == "H1"
        tab.press("/")
        tab.press("Escape")
        assert tab.text("#found") == ""
        assert tab.value("document.getElementById('tree').checkVisibility()") is True


def test_a_table_is_opened_by_its_address_with_its_columns_and_its_keys_drawn(chromium: Chromium) -> None:
    with reading(chromium, f"{SAMPLE_PAGE}#/table/company.billing.invoice") as tab:
        assert tab.text("h1") == "billing.invoice"
        assert tab.value("document.title").startswith("billing.invoice")
        assert "net_cents" in tab.text("table[aria-label=Columns]")
        assert tab.text("aside a[aria-current]") == "billing.invoice"
        assert drawn(tab) == {"boxes": True, "own": "billing.invoice", "arrows": True}


def test_a_domain_is_opened_by_its_address_with_the_keys_between_its_tables_drawn(chromium: Chromium) -> None:
    with reading(chromium, f"{SAMPLE_PAGE}#/domain/company/sales") as tab:
        assert tab.text("main table a").startswith("sales.")
        assert drawn(tab) == {"boxes": True, "own": None, "arrows": True}


def test_an_address_of_nothing_says_so(chromium: Chromium) -> None:
    with reading(chromium, f"{SAMPLE_PAGE}#/table/company.billing.%E0%A4%A") as tab:
        assert tab.text("h1") == "Not found"


def test_the_page_is_light_or_dark_as_its_reader_prefers_and_readable_in_both(chromium: Chromium) -> None:
    grounds = {}
    for scheme in ("light", "dark"):
        with reading(chromium, SAMPLE_PAGE, scheme=scheme) as tab:
            ground, *inks = (
                brightness(tab.value(f"getComputedStyle(document.querySelector('{element}')).{style}"))
                for element, style in (("body", "backgroundColor"), ("body", "color"), ("main a", "color"))
            )
            assert min(contrast(ground, ink) for ink in inks) >= READABLE_CONTRAST
            grounds[scheme] = ground
    assert grounds["light"] > 0.9
    assert grounds["dark"] < 0.1


def test_hostile_comments_are_read_as_they_are_and_nothing_of_them_runs(chromium: Chromium, tmp_path: Path) -> None:
    shop = Shop([table("sales.customer", column("email", "text", comment=HOSTILE), comment=HOSTILE)])
    shop.run()
    page = tmp_path / locations.SITE_PAGE
    page.write_bytes(shop.memory.get(locations.DOCS + locations.SITE_PAGE).data)
    with reading(chromium, f"{page.as_uri()}#/table/shop.sales.customer") as tab:
        assert tab.text(".about") == HOSTILE
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
    """What the diagram on a page holds: boxes and arrows that take up room, and the table that it is about."""
    drawing = "main .drawing svg"
    sized = "every(part => part.getBoundingClientRect().width > 5)"
    found: dict[str, object] = {
        name: tab.value(f"(all => all.length > 1 && all.{sized})([...document.querySelectorAll('{drawing} {part}')])")
        for name, part in (("boxes", "rect"), ("arrows", "path.edge"))
    }
    return {**found, "own": tab.value(f"document.querySelector('{drawing} .own text')?.textContent")}


def brightness(color: str) -> float:
    """The relative luminance of a computed color, from 0 for black to 1 for white.

    Source: https://www.w3.org/TR/WCAG22/#dfn-relative-luminance
    """
    parts = [int(part) / 255 for part in re.findall(r"\d+", color)[:3]]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: float, other: float) -> float:
    """How far apart two luminances are, from 1 to 21."""
    return (max(one, other) + 0.05) / (min(one, other) + 0.05)
