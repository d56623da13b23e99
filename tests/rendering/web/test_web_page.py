"""The HTML page: whole in itself, and closed to whatever a database holds."""

from __future__ import annotations

import hashlib
import json
import re
from base64 import b64encode
from html.parser import HTMLParser
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import ROOT
from tests.cases import each_case
from tests.fakes.catalogs import column, table
from tests.sample_shop.documented import TABLES, Shop
from tribal.errors import StoreUnwritable
from tribal.identity import locations
from tribal.rendering.web.page import GRAPH_SCRIPT, PAGE_SCRIPT, html_page, is_intact_page, source
from tribal.rendering.web.records import encoded

PAGE = locations.DOCS + locations.SITE_PAGE
MADE_FROM = "a" * 64
MOST_SCRIPT = 300_000
"""Characters of script in the one file."""
HOSTILE = (
    "</script><script>alert(1)</script>",
    "<!-- <script>",
    "]]><![CDATA[",
    "<img src=x onerror=alert(1)>",
    "\u2028\u2029\u202e\u0000\r\n\t\\\"'&amp;",
    "javascript:alert(1)",
)


class Parsed(HTMLParser):
    """The elements of a page, its scripts and styles, and what refers to something outside."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[str] = []
        self.attributes: list[tuple[str, str, str | None]] = []
        self.texts: list[tuple[str, str]] = []
        self.island = ""
        self._inside: tuple[str, bool] | None = None
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        self.attributes.extend((tag, name, value) for name, value in attrs)
        if tag in ("script", "style"):
            self._inside = (tag, ("type", "application/json") in attrs)
            if not self._inside[1]:
                self.texts.append((tag, ""))

    def handle_endtag(self, tag: str) -> None:
        if tag in ("script", "style"):
            self._inside = None

    def handle_data(self, data: str) -> None:
        if self._inside is None:
            return
        if self._inside[1]:
            self.island += data
        else:
            tag, text = self.texts[-1]
            self.texts[-1] = (tag, text + data)

    @property
    def records(self) -> list[dict[str, Any]]:
        value: list[dict[str, Any]] = json.loads(self.island)
        return value


def page_of(*records: dict[str, Any]) -> str:
    return b"".join(line + b"\n" for line in html_page(records, MADE_FROM)).decode()


def page_in(shop: Shop) -> Parsed:
    return Parsed(shop.memory.get(PAGE).data.decode())


def test_the_page_refers_to_nothing_outside_itself() -> None:
    page = Parsed(page_of())
    for tag, name, value in page.attributes:
        assert name not in ("src", "srcset", "action", "data"), (tag, name)
        assert not name.startswith("on"), (tag, name)
        if name == "href":
            assert value is not None
            assert value.startswith("#")
    assert not {"link", "img", "iframe", "object", "embed", "base"} & set(page.elements)
    assert not re.search(r"https?://(?!www\.w3\.org/(?:2000/svg|1999/xhtml|1998/Math/MathML)\b)", page_of())
    # The script can ask a server; of this page the policy forbids it.
    assert not re.search(r"url\(|@import|XMLHttpRequest|WebSocket", page_of())


def test_every_file_of_the_page_is_on_it() -> None:
    page = page_of()
    folder = files("tribal.rendering.web")
    sources = [source for source in folder.iterdir() if source.name.endswith((".js", ".css"))]
    assert sorted(source.name for source in sources) == ["graph.js", "page.css", "page.js"]
    for each in sources:
        assert page.count(each.read_text(encoding="utf-8")) == 1, each.name


def test_the_script_of_the_page_is_small() -> None:
    scripts = [source(name) for name in (PAGE_SCRIPT, GRAPH_SCRIPT)]
    assert sum(map(len, scripts)) <= MOST_SCRIPT
    # The licences of what is in a bundle come with it.
    for script, package in zip(scripts, ("preact", "@dagrejs/dagre"), strict=True):
        assert package in script[:60]
        assert "Copyright (c)" in script[:200]


def test_the_policy_allows_our_own_script_and_style_by_their_hashes_and_nothing_else() -> None:
    page = Parsed(page_of())
    (policy,) = [value for tag, name, value in page.attributes if tag == "meta" and value and "default-src" in value]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    hashes = [f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" for _, text in page.texts]
    assert [tag for tag, _ in page.texts] == ["style", "script", "script"]
    assert rules == {
        "default-src": "'none'",
        "script-src": " ".join(hashes[1:]),
        "style-src": hashes[0],
        "base-uri": "'none'",
        "form-action": "'none'",
    }


def test_the_script_puts_data_on_the_page_as_text_alone() -> None:
    for path in (ROOT / "page" / "src").rglob("*.ts*"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|DOMParser", text
        ), path
        assert not re.search(r"\bstyle=", text), path


@each_case("text", HOSTILE)
def test_no_text_leaves_the_island_of_data(text: str) -> None:
    plain, page = Parsed(page_of()), Parsed(page_of({"t": "table", "n": text, text: [text]}))
    assert page.records == [{"t": "table", "n": text, text: [text]}]
    assert page.elements == plain.elements
    assert page.texts == plain.texts


@given(st.text())
def test_any_text_comes_back_as_it_was_and_on_one_line(text: str) -> None:
    line = encoded({"n": text})
    assert json.loads(line) == {"n": text}
    assert b"<" not in line
    assert b"\n" not in line


def test_a_run_puts_every_database_domain_and_table_on_the_page() -> None:
    shop = Shop()
    manifest = shop.run()
    records = page_in(shop).records
    assert [record["t"] for record in records].count("catalog") == 1
    assert [record["n"] for record in records if record["t"] == "database"] == ["shop"]
    assert [record["n"] for record in records if record["t"] == "domain"] == ["audit", "billing", "sales"]
    tables = {record["n"]: record for record in records if record["t"] == "table"}
    assert set(tables) == {f"shop.{t.schema_name}.{t.table_name}" for t in TABLES}
    orders = tables["shop.sales.orders"]
    assert (orders["b"], orders["d"], orders["l"]) == ("shop", "sales", "sales.orders")
    assert [c[0] for c in orders["c"]] == ["id", "qty", "customer_id"]
    assert [relation[:2] for relation in orders["e"]] == [["shop.sales.customer", 1], ["shop.billing.invoice", 0]]
    assert orders["e"][0][6].startswith("SELECT")
    assert manifest.total_files == len(set(shop.contents(locations.DOCS)) - {locations.MANIFEST_FILE})


def test_hostile_names_and_comments_reach_the_page_as_data() -> None:
    name = 'sales.</script><script>alert("x")</script>\n\u202e'
    shop = Shop([table(name, column(HOSTILE[1], "text", comment=HOSTILE[0]), comment=HOSTILE[3])])
    shop.run()
    page = page_in(shop)
    assert page.elements == Parsed(page_of()).elements
    (record,) = [record for record in page.records if record["t"] == "table"]
    assert record["s"] == HOSTILE[3]
    assert [c[0] for c in record["c"]] == ["id", HOSTILE[1]]


def test_an_unchanged_run_leaves_the_page_and_a_changed_table_renews_it() -> None:
    shop = Shop()
    shop.run()
    shop.forget_writes()
    shop.run()
    assert PAGE not in shop.store.written
    shop.replace(table("audit.change_log", column("op", "text"), comment="Every change."))
    shop.run()
    assert shop.store.written.count(PAGE) == 1
    assert "Every change." in {record["s"] for record in page_in(shop).records if record["t"] == "table"}


def test_a_dropped_table_leaves_the_page() -> None:
    shop = Shop()
    shop.run()
    shop.drop("audit.change_log")
    shop.run()
    assert not [record for record in page_in(shop).records if record.get("n") == "shop.audit.change_log"]


@each_case("damage", [b"", b"<html>", None])
def test_a_page_that_someone_changed_or_removed_is_rewritten(damage: bytes | None) -> None:
    shop = Shop()
    shop.run()
    good = shop.memory.get(PAGE).data
    if damage is None:
        shop.memory.delete(PAGE)
    else:
        shop.memory.put(PAGE, damage or good.replace(b"Who buys.", b"Who lies."))
    shop.run()
    assert shop.memory.get(PAGE).data == good


def test_a_run_that_dies_before_the_page_is_whole_leaves_the_old_one_and_the_next_makes_up_for_it() -> None:
    shop = Shop()
    shop.run()
    old = shop.memory.get(PAGE).data
    shop.replace(table("audit.change_log", comment="Every change."))
    outline = shop.plan()
    shop.document(outline)
    shop.store.writes_left = 0
    with pytest.raises(StoreUnwritable):
        shop.finish(outline)
    assert shop.memory.get(PAGE).data == old
    shop.store.writes_left = None
    shop.finish(outline)
    assert b"Every change." in shop.memory.get(PAGE).data


def test_the_seal_tells_any_change_and_another_origin() -> None:
    lines = list(html_page([{"t": "catalog", "n": "x"}], MADE_FROM))
    assert is_intact_page(lines, MADE_FROM)
    assert not is_intact_page(lines, "b" * 64)
    assert not is_intact_page(lines[:-1], MADE_FROM)
    assert not is_intact_page([*lines[:3], b"more", *lines[3:]], MADE_FROM)
    assert not is_intact_page([], MADE_FROM)
