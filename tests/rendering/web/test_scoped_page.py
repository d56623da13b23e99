"""A caller with a scope learns nothing of hidden tables from any view of the served page."""

from __future__ import annotations

from pathlib import Path

import pytest

from servers.chromium import Chromium
from tests.edges.cli.tribal_command import tribal
from tests.edges.http.served import Served
from tests.edges.mcp.asked import index_project
from tests.rendering.web.browser import SHOWN
from tests.rendering.web.sites import crawl, heard

pytestmark = pytest.mark.xdist_group("chromium")

HIDDEN = ("crm", "stock", "warehouse", "hr.", "employee", "Leave", "web", "visit", "customers", "region")


def test_no_view_shows_a_hidden_table(chromium: Chromium, tmp_path: Path) -> None:
    index_project(tmp_path)
    token = tribal("token", "create", "ada", "--scope", "shop.sales", cwd=tmp_path).stdout.strip()
    with Served(tmp_path, "--require-token") as server:
        tab = chromium.open(f"{server.address}/")
        tab.until("document.querySelector('#token')")
        assert heard(tab) == []
        tab.value("document.querySelector('#token').focus()")
        tab.type(token)
        tab.press("Enter")
        tab.until(f"document.querySelector('#search') && {SHOWN}")
        texts, _ = crawl(tab)
        assert "3 tables and views in 1 domain of one PostgreSQL database" in texts["#/"]
        assert {"#/database/shop", "#/domain/shop/sales", "#/map", "#/table/shop.sales.order_line"} <= set(texts)
        # No link leads nowhere.
        assert [address for address, text in texts.items() if "Not found" in text] == []
        assert [(address, word) for address, text in texts.items() for word in HIDDEN if word in text] == []
