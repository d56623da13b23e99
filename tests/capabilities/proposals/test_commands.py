"""`tribal propose`, `tribal proposals` and what `tribal status` says of them."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.capabilities.proposals.shop import CUSTOMER, TEXT, opened, proposed
from tests.edges.cli.terminal import Dialogue
from tests.edges.cli.tribal_command import tribal
from tests.edges.mcp.asked import index_project
from tests.sample_shop.indexed import shop_tables


@pytest.fixture(name="folder")
def folder_fixture(tmp_path: Path) -> Path:
    index_project(tmp_path)
    return tmp_path


def printed(folder: Path, *arguments: object) -> Any:
    ran = tribal(*arguments, "--json", cwd=folder)
    assert ran.returncode == 0, ran.stderr + ran.stdout
    return json.loads(ran.stdout)


def propose(folder: Path, description: str = TEXT, *more: str) -> str:
    return str(printed(folder, "propose", CUSTOMER, description, *more)["id"])


def test_a_proposal_is_listed_shown_and_accepted(folder: Path) -> None:
    proposal = propose(folder)
    assert printed(folder, "proposals")["total"] == 1
    listed = tribal("proposals", cwd=folder).stdout
    for part in (proposal, CUSTOMER, "before: People and companies who buy from us.", f"after:  {TEXT}"):
        assert part in listed
    shown = tribal("proposals", "show", proposal, cwd=folder).stdout
    assert f"Next: `tribal proposals accept {proposal}` or `tribal proposals reject {proposal}`" in shown
    accepted = tribal("proposals", "accept", proposal, "--yes", cwd=folder)
    assert accepted.returncode == 0
    assert accepted.stdout.startswith(f"{CUSTOMER} now:\n    People and companies who buy from us.\n")
    assert f"+    description: {TEXT}" in accepted.stdout
    assert (folder / "annotations/shop.yaml").read_text().endswith(f"    description: {TEXT}\n")
    assert tribal("proposals", cwd=folder).stdout == "No proposal is waiting.\n"


def test_a_proposal_is_accepted_with_a_better_text(folder: Path) -> None:
    proposal = propose(folder, "Their name.", "--column", "name")
    answer = printed(folder, "proposals", "accept", proposal, "--yes", "--text", "Their legal name.")
    assert answer == {"success": True, "id": proposal, "outcome": "edited", "file": "annotations/shop.yaml"}
    assert "name: Their legal name." in (folder / "annotations/shop.yaml").read_text()
    assert tribal("proposals", "accept", propose(folder), "--text", " ", cwd=folder).returncode == 2
    assert tribal("proposals", "accept", propose(folder), "--text", "x" * 4_001, cwd=folder).returncode == 2


def test_a_terminal_shows_what_is_there_now_and_asks_before_the_text_is_written(folder: Path) -> None:
    proposal = propose(folder)
    (folder / "annotations").mkdir()
    file = folder / "annotations/shop.yaml"
    file.write_text("tables:\n  crm.customer:\n    description: Written since.\n")
    before = file.read_bytes()
    for answer in ("n", "y"):
        with Dialogue("proposals", "accept", proposal, cwd=folder) as dialogue:
            shown = dialogue.until("Write it? [y/N]: ").replace("\r\n", "\n")
            assert f"{CUSTOMER} now:\n    Written since.\n" in shown
            assert f"-    description: Written since.\n+    description: {TEXT}\n" in shown
            assert file.read_bytes() == before
            dialogue.type(f"{answer}\n")
            code, shown = dialogue.end()
        assert (code == 0, f"{proposal} is accepted" in shown) == (answer == "y", answer == "y"), shown
        assert (file.read_bytes() == before) == (answer == "n")
    assert TEXT in file.read_text()


def test_without_a_terminal_nothing_is_written_unless_it_is_confirmed_beforehand(folder: Path) -> None:
    proposal = propose(folder)
    for more in ((), ("--json",)):
        refused = tribal("proposals", "accept", proposal, *more, cwd=folder)
        assert refused.returncode == 2
        assert "nothing was written: confirm on a terminal, or with --yes" in " ".join(refused.stderr.split())
        assert refused.stdout == ""
    assert not (folder / "annotations").exists()
    assert printed(folder, "proposals")["total"] == 1


def test_a_proposal_is_rejected_once(folder: Path) -> None:
    proposal = propose(folder)
    assert tribal("proposals", "reject", proposal, cwd=folder).stdout == f"{proposal} is rejected.\n"
    again = tribal("proposals", "reject", proposal, cwd=folder)
    assert (again.returncode, "was rejected" in again.stderr) == (4, True)
    missing = tribal("proposals", "show", "prop_x", cwd=folder)
    assert (missing.returncode, "`tribal proposals` lists" in missing.stderr) == (7, True)


def test_a_proposal_for_a_table_that_is_gone_says_what_to_do(folder: Path) -> None:
    proposal = propose(folder)
    index_project(folder, [table for table in shop_tables() if table.name != CUSTOMER])
    refused = tribal("proposals", "accept", proposal, cwd=folder)
    assert refused.returncode == 7
    assert f"`tribal proposals reject {proposal}`" in refused.stderr
    assert tribal("proposals", "reject", proposal, cwd=folder).returncode == 0


def test_a_column_that_is_gone_is_reported_and_the_proposal_stays(folder: Path) -> None:
    proposal = propose(folder, "Their name.", "--column", "name")
    tables = [
        table
        if table.name != CUSTOMER
        else table.model_copy(update={"columns": [each for each in table.columns if each.name != "name"]})
        for table in shop_tables()
    ]
    index_project(folder, tables)
    refused = tribal("proposals", "accept", proposal, "--yes", cwd=folder)
    assert (refused.returncode, "has no column 'name'" in refused.stderr) == (7, True)
    assert printed(folder, "proposals")["total"] == 1


def test_a_terminal_shows_hostile_texts_without_obeying_them(folder: Path) -> None:
    with closing(opened(folder)) as app:
        proposal = proposed(app, description="First\u202eenil\r[bold red]x[/]\n\n# head \u200b")["id"]
    for ran in (tribal("proposals", cwd=folder), tribal("proposals", "show", proposal, cwd=folder)):
        assert ran.returncode == 0
        assert not {"\u202e", "\r", "\u200b"} & {*ran.stdout}
        assert "[bold red]x[/]" in ran.stdout


def test_the_status_says_what_waits_only_when_something_does(folder: Path) -> None:
    assert "waiting" not in tribal("status", cwd=folder).stdout
    first = propose(folder)
    propose(folder, "Another text.")
    assert tribal("status", cwd=folder).stdout.splitlines()[-1] == "waiting: 2 proposals (`tribal proposals`)"
    assert printed(folder, "status")["waiting"]["proposals"] == 2
    tribal("proposals", "reject", first, cwd=folder)
    assert tribal("status", cwd=folder).stdout.splitlines()[-1] == "waiting: 1 proposal (`tribal proposals`)"


def test_the_profile_refuses_to_accept_and_says_why(folder: Path) -> None:
    refused = tribal("--profile", "dev", "proposals", "accept", "prop_x", cwd=folder)
    assert refused.returncode == 2
    assert "proposals accept does not work with --profile: the environment takes no corrections" in refused.stderr
