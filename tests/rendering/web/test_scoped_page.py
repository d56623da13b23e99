"""A caller with a scope learns nothing of hidden tables from any view of the served page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from servers.chromium import Chromium, Tab
from tests.edges.cli.tribal_command import tribal
from tests.edges.http.served import Served
from tests.edges.mcp.asked import index_project
from tests.rendering.web.browser import SHOWN
from tests.rendering.web.sites import crawl, heard, visit

pytestmark = pytest.mark.xdist_group("chromium")

HIDDEN = ("crm", "stock", "warehouse", "hr.", "employee", "Leave", "web", "visit", "customers", "region")


def test_no_view_shows_a_hidden_table(chromium: Chromium, tmp_path: Path) -> None:
    index_project(tmp_path)
    token = tribal("token", "create", "ada", "--scope", "shop.sales", cwd=tmp_path).stdout.strip()
    with Served(tmp_path, "--require-token") as server:
        tab = chromium.open(f"{server.address}/")
        tab.until("document.querySelector('#token')")
        assert heard(tab) == []
        give(tab, token)
        texts, _ = crawl(tab)
        assert "3 tables and views in 1 domain of one PostgreSQL database" in texts["#/"]
        assert {"#/database/shop", "#/domain/shop/sales", "#/map", "#/table/shop.sales.order_line"} <= set(texts)
        # No link leads nowhere.
        assert [address for address, text in texts.items() if "Not found" in text] == []
        assert [(address, word) for address, text in texts.items() for word in HIDDEN if word in text] == []


def give(tab: Tab, token: str) -> None:
    """Enter a token, and wait for the first view."""
    tab.until("document.querySelector('#token')")
    tab.value("document.querySelector('#token').focus()")
    tab.type(token)
    tab.press("Enter")
    tab.until(f"document.querySelector('#search') && {SHOWN}")


def test_what_others_suggested_asked_and_marked_about_hidden_tables_is_hidden(
    chromium: Chromium, tmp_path: Path
) -> None:
    index_project(tmp_path)
    (tmp_path / "exam.txt").write_text("which customers live in which region?\n")
    tribal("interrogate", "--questions", "exam.txt", cwd=tmp_path)
    tribal("interrogate", "what is a customer?", cwd=tmp_path)
    with Served(tmp_path, "--write") as server:
        hidden = server.ask(tool="propose_description", table="shop.crm.customer", description="Zeppelins.").json()
        text = "Lines of orders."
        seen = server.ask(tool="propose_description", table="shop.sales.order_line", description=text).json()
        marked: dict[str, Any] = {
            "question": "who is a customer?",
            "why": "Zeppelins.",
            "tables": ["shop.crm.customer"],
        }
        mark = server.ask(tool="mark_answer", **marked).json()["mark"]
    rights = ("documentation:read", "annotations:write", "annotations:propose", "interrogation:read")
    chosen = [part for right in (*rights, "interrogation:start") for part in ("--right", right)]
    token = tribal("token", "create", "ada", "--scope", "shop.sales", *chosen, cwd=tmp_path).stdout.strip()
    with Served(tmp_path, "--require-token") as server:
        tab = chromium.open(f"{server.address}/")
        give(tab, token)
        tab.until("document.querySelector('main').innerText.includes('1 proposal to accept or reject')")
        views = ("ask", "definitions", "exam", "coverage", "changes", "todo", "proposals", "contributions")
        for address in (*(f"#/{view}" for view in views), "#/table/shop.sales.order_line"):
            visit(tab, address)
            shown = tab.text("body")
            assert [word for word in (*HIDDEN, "Zeppelins") if word in shown] == [], address
        visit(tab, "#/proposals")
        tab.until("document.querySelectorAll('.proposal').length === 1")
        assert text in tab.text(".proposal")
        visit(tab, "#/exam")
        assert "No exam was taken yet, or you may not see exams" in tab.text("main")
        visit(tab, "#/coverage")
        assert "Over the last runs" not in tab.text("main")
        headers = {"authorization": f"Bearer {token}"}
        gone = server.client.delete(f"/v1/proposals/{hidden['id']}", headers=headers)
        missing = server.client.delete(f"/v1/proposals/{hidden['id'][:-1]}0", headers=headers)
        assert (gone.status_code, missing.status_code) == (404, 404)
        assert server.ask(token, "close_mark", mark=mark).status_code == 404
        assert server.client.delete(f"/v1/proposals/{seen['id']}", headers=headers).status_code == 200
        assert server.ask(token, "mark_answer", **marked).status_code == 404
