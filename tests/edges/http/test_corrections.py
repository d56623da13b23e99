"""Corrections over HTTP: shown first, written when agreed to, and never what someone did not look at."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.cases import each_case
from tests.edges.cli.tribal_command import tribal
from tests.edges.http.served import Served
from tests.edges.mcp.asked import index_project

# Starts `tribal serve`.
pytestmark = pytest.mark.slow

Said = Mapping[str, str]
ORDERS = {"table": "shop.crm.customer", "words": "Whoever bought once."}


@pytest.fixture(name="shared", scope="module")
def shared_fixture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    index_project(folder)
    return folder


@pytest.fixture(name="project")
def project_fixture(shared: Path) -> Iterator[Path]:
    """A project without corrections."""
    yield shared
    shutil.rmtree(shared / "annotations", ignore_errors=True)


@pytest.fixture(name="writing", scope="module")
def writing_fixture(shared: Path) -> Iterator[Served]:
    with Served(shared, "--write") as server:
        yield server


@pytest.fixture(name="server")
def server_fixture(writing: Served, project: Path) -> Served:
    """A server of a project without corrections."""
    return writing


RIGHTS = ("--right", "annotations:write", "--right", "documentation:read")
TOKENS = {"ada": ("shop.crm", RIGHTS), "bob": ("shop", RIGHTS), "eve": ("shop", ())}


@pytest.fixture(name="guarded", scope="module")
def guarded_fixture(shared: Path) -> Iterator[Served]:
    """A server of several processes that asks for tokens."""
    with Served(shared, "--require-token", "--workers", 2) as server:
        yield server


@pytest.fixture(name="bearing", scope="module")
def bearing_fixture(shared: Path) -> dict[str, Said]:
    """The header of each user."""
    made = {
        name: tribal("token", "create", name, "--scope", scope, *rights, cwd=shared)
        for name, (scope, rights) in TOKENS.items()
    }
    return {name: {"authorization": f"Bearer {each.stdout.strip()}"} for name, each in made.items()}


def _preview(server: Served, correction: Said = ORDERS, headers: Said | None = None) -> httpx2.Response:
    return server.client.post("/v1/corrections/preview", json=dict(correction), headers=headers)


def _agreed(server: Served, token: str, correction: Said = ORDERS, headers: Said | None = None) -> httpx2.Response:
    return server.client.post("/v1/corrections", json={**correction, "token": token}, headers=headers)


def _refused(answer: httpx2.Response) -> tuple[int, str]:
    told: Any = answer.json()
    assert told["success"] is False
    return answer.status_code, told["error"]["code"]


def test_a_correction_is_shown_then_written_then_waits_for_the_next_run(server: Served, project: Path) -> None:
    shown = _preview(server).json()
    assert shown["file"] == "annotations/shop.yaml"
    assert shown["difference"].splitlines()[2:] == [
        "@@ -0,0 +1,3 @@",
        "+tables:",
        "+  crm.customer:",
        "+    description: Whoever bought once.",
    ]
    assert not (project / "annotations").exists()
    assert _agreed(server, shown["token"]).json() == {"success": True, "file": "annotations/shop.yaml"}
    waiting = server.client.get("/v1/corrections", params={"table": "crm.customer"}).json()
    assert waiting == {"success": True, "description": "Whoever bought once.", "columns": {}, "writable": True}
    assert (project / "annotations/shop.yaml").read_text().endswith("description: Whoever bought once.\n")


def test_what_was_not_shown_is_not_written(server: Served, project: Path) -> None:
    token = _preview(server).json()["token"]
    assert _refused(_agreed(server, token, {**ORDERS, "words": "Something else."})) == (409, "HTTP_OUTDATED")
    assert _refused(_agreed(server, "")) == (409, "HTTP_OUTDATED")
    (project / "annotations").mkdir()
    (project / "annotations/shop.yaml").write_text("description: Somebody was here.\n")
    assert _refused(_agreed(server, token)) == (409, "HTTP_OUTDATED")
    assert (project / "annotations/shop.yaml").read_text() == "description: Somebody was here.\n"


def test_one_token_writes_once(server: Served) -> None:
    token = _preview(server).json()["token"]
    assert _agreed(server, token).status_code == 200
    assert _refused(_agreed(server, token)) == (409, "HTTP_OUTDATED")


def test_without_write_no_one_corrects_anything(project: Path) -> None:
    with Served(project) as server:
        assert _refused(_preview(server))[0] == 403
        assert _refused(_agreed(server, "x"))[0] == 403


def test_a_token_with_the_right_may_and_its_scope_bounds_what_it_is_shown(
    project: Path, bearing: dict[str, Said], guarded: Served
) -> None:
    (project / "annotations").mkdir()
    (project / "annotations/shop.yaml").write_text("tables:\n  sales.order:\n    description: Secret words.\n")
    shown = _preview(guarded, headers=bearing["ada"]).json()
    assert "Secret" not in shown["difference"]
    assert _agreed(guarded, shown["token"], headers=bearing["ada"]).status_code == 200
    assert _refused(_preview(guarded, {"table": "sales.order", "words": "x"}, bearing["ada"]))[0] == 404
    whole = {"database": "shop", "words": "The shop."}
    assert _refused(_preview(guarded, whole, bearing["ada"]))[0] == 403
    assert _refused(_preview(guarded, headers=bearing["eve"]))[0] == 403


def test_another_caller_cannot_use_the_token_of_one(project: Path, bearing: dict[str, Said], guarded: Served) -> None:
    shown = _preview(guarded, headers=bearing["ada"]).json()["token"]
    assert _refused(_agreed(guarded, shown, headers=bearing["bob"])) == (409, "HTTP_OUTDATED")
    # Whichever process is asked knows it.
    assert _preview(guarded, headers=bearing["ada"]).json()["token"] == shown
    assert _agreed(guarded, shown, headers=bearing["ada"]).status_code == 200


def test_a_page_of_another_site_cannot_write(server: Served, project: Path) -> None:
    token = _preview(server).json()["token"]
    assert _refused(_agreed(server, token, headers={"origin": "https://evil.example"}))[0] == 403
    assert not (project / "annotations").exists()


@each_case(
    ("correction", "status"),
    [
        ({"table": "no.such", "words": "x"}, 404),
        ({"table": "crm.customer", "column": "no_such", "words": "x"}, 400),
        ({"table": "crm.customer", "domain": "crm", "words": "x"}, 400),
        ({"table": "crm.customer", "said": "title", "words": "x"}, 400),
        ({"database": "shop", "said": "title", "words": "x"}, 400),
        ({"database": "nowhere", "words": "x"}, 404),
        ({"database": "shop", "domain": "no-such", "words": "x"}, 404),
        ({"words": "x"}, 400),
        ({"table": "crm.customer"}, 400),
        ({"table": "crm.customer", "words": "x" * 4_001}, 400),
        ({"table": "crm.customer", "words": "x", "more": "y"}, 400),
    ],
)
def test_what_cannot_be_corrected_is_reported(server: Served, correction: dict[str, str], status: int) -> None:
    assert _refused(_preview(server, correction))[0] == status


def test_words_about_a_column_a_domain_and_a_database_reach_the_next_run(server: Served, project: Path) -> None:
    corrections: list[dict[str, str]] = [
        {"table": "crm.customer", "column": "cust_id", "words": "Never given twice."},
        {"database": "shop", "domain": "customers", "said": "title", "words": "Who buys"},
        {"database": "shop", "words": "Everything that is sold."},
    ]
    for correction in corrections:
        assert _agreed(server, _preview(server, correction).json()["token"], correction).status_code == 200
    text = (project / "annotations/shop.yaml").read_text()
    assert [line.strip() for line in text.splitlines()] == [
        "tables:",
        "crm.customer:",
        "columns:",
        "cust_id: Never given twice.",
        "domains:",
        "customers:",
        "title: Who buys",
        "description: Everything that is sold.",
    ]
