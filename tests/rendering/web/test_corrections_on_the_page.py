"""A person corrects a description on the served page, by real clicks and keys."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from servers.chromium import Chromium, Tab
from tests.cases import verify_all_but
from tests.edges.http.served import Served
from tests.edges.mcp.asked import index_project
from tests.rendering.web.sites import heard
from tests.waiting import wait_until

pytestmark = pytest.mark.xdist_group("chromium")

TABLE = "#/table/shop.crm.customer"
HOSTILE = "<img src=x onerror=alert(1)> Whoever bought once."


@pytest.fixture(name="project")
def project_fixture(tmp_path: Path) -> Path:
    index_project(tmp_path)
    return tmp_path


@pytest.fixture(name="server")
def server_fixture(project: Path) -> Iterator[Served]:
    with Served(project, "--write") as server:
        yield server


def _shows(tab: Tab, selector: str) -> str:
    """The text of an element, once the page has it."""
    wait_until(lambda: tab.value(f"Boolean(document.querySelector({json.dumps(selector)}))"))
    return tab.text(selector)


def _write(tab: Tab, text: str) -> None:
    tab.value("document.querySelector('#words').focus()")
    tab.value("document.querySelector('#words').select()")
    tab.type(text)


def _click(tab: Tab, selector: str) -> None:
    tab.value(f"document.querySelector({json.dumps(selector)}).click()")


def test_words_are_shown_as_a_change_then_written_then_wait_for_the_next_run(
    chromium: Chromium, server: Served, project: Path
) -> None:
    tab = chromium.open(f"{server.address}/{TABLE}")
    _shows(tab, "form.correct")
    _write(tab, HOSTILE)
    _click(tab, "form.correct button[type=submit]")
    assert HOSTILE in _shows(tab, ".difference .added:last-child")
    assert not (project / "annotations").exists()
    _click(tab, ".proposal button")
    assert (
        _shows(tab, ".corrections [role=status]")
        == "Written to annotations/shop.yaml. It appears here after the next run."
    )
    assert HOSTILE in _shows(tab, ".corrections dd")
    assert HOSTILE in (project / "annotations/shop.yaml").read_text()
    assert tab.problems == []


@verify_all_but(1, "place", ["table/shop.crm.customer", "database/shop", "domain/shop/customers"])
def test_a_screen_reader_finds_nothing_wrong_with_the_form_and_the_change(
    chromium: Chromium, server: Served, place: str
) -> None:
    tab = chromium.open(f"{server.address}/#/{place}")
    _shows(tab, "form.correct")
    assert heard(tab) == []
    _write(tab, "What we sell by.")
    _click(tab, "form.correct button[type=submit]")
    assert "+description: What we sell by." in _shows(tab, ".difference").replace("+    ", "+").replace("+  ", "+")
    assert heard(tab) == []
    _click(tab, ".proposal button")
    _shows(tab, ".corrections dd")
    assert heard(tab) == []


def test_a_change_that_someone_else_made_meanwhile_is_reported_and_kept(
    chromium: Chromium, server: Served, project: Path
) -> None:
    tab = chromium.open(f"{server.address}/#/domain/shop/customers")
    _shows(tab, "form.correct")
    _write(tab, "Who buys.")
    _click(tab, "form.correct button[type=submit]")
    _shows(tab, ".difference")
    (project / "annotations").mkdir()
    (project / "annotations/shop.yaml").write_text("description: Theirs.\n")
    _click(tab, ".proposal button")
    assert "preview the correction again" in _shows(tab, "[role=alert]")
    assert (project / "annotations/shop.yaml").read_text() == "description: Theirs.\n"


def test_who_may_only_read_is_shown_the_file_and_sees_what_waits(chromium: Chromium, project: Path) -> None:
    (project / "annotations").mkdir()
    (project / "annotations/shop.yaml").write_text("tables:\n  crm.customer:\n    description: Whoever bought.\n")
    with Served(project) as server:
        tab = chromium.open(f"{server.address}/{TABLE}")
        assert _shows(tab, ".corrections dd") == "Whoever bought."
        assert "annotations/shop.yaml" in _shows(tab, ".corrections .foot")
        assert tab.value("document.querySelector('form.correct')") is None
