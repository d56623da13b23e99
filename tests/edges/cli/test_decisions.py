"""`tribal decisions` lists, finds and shows; `tribal status` says how current decisions are. Old names still work."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.edges.cli.tribal_command import Json, tribal
from tribal_demo import DECISIONS


@pytest.fixture(name="project")
def project_fixture(tmp_path: Path) -> Path:
    settings = "identity: {project: company}\nknowledge: {repository: decisions}\ndatabases: []\n"
    (tmp_path / "databases.yaml").write_text(settings)
    shutil.copytree(DECISIONS, tmp_path / "decisions/projects/company")
    said(tmp_path, "sync")
    return tmp_path


def said(project: Path, *command: str) -> str:
    ran = tribal(*command, cwd=project)
    assert (ran.returncode, ran.stderr) == (0, "")
    return ran.stdout


def ids(project: Path, *command: str) -> list[str]:
    answer: Json = json.loads(said(project, "decisions", *command, "--json"))
    return [item["id"] for item in answer["items"]]


def test_an_id_shows_one_and_anything_else_lists_or_finds_some(project: Path) -> None:
    listed = said(project, "decisions").splitlines()
    numbered = [line for line in listed if not line.startswith("   ")]
    assert numbered[0] == "1. 0001-one-database  adr, project, accepted"
    assert len(numbered) == 5
    assert (
        said(project, "decisions", "no-mysql").splitlines()[0].startswith("No database other than PostgreSQL  policy")
    )
    assert ids(project, "which database do new services use")[0] == "0001-one-database"
    # One word that is no id is searched for, too.
    assert "no-mysql" in ids(project, "PostgreSQL")
    assert said(project, "decisions", "elephants") == "No decision or policy matches.\n"


def test_filters_narrow_the_list_even_where_the_word_is_an_id(project: Path) -> None:
    assert ids(project, "--type", "adr") == ["0001-one-database", "0002-void-invoices-stay"]
    assert ids(project, "no-mysql", "--type", "policy")[0] == "no-mysql"
    assert ids(project, "--status", "draft") == []
    assert ids(project, "--layer", "company") == []
    assert len(ids(project, "--limit", "2")) == 2
    wrong = tribal("decisions", "--type", "rule", cwd=project)
    assert (wrong.returncode, "'adr', 'policy', 'pattern' or 'spec'" in wrong.stderr) == (2, True)


def test_parts_of_an_item_are_for_an_id_which_has_to_exist(project: Path) -> None:
    whole: Json = json.loads(said(project, "decisions", "no-mysql", "--json"))
    assert ("constraints" in whole["item"], "history" in whole) == (True, False)
    parts = ("--no-include-constraints", "--include-history", "--json")
    bare: Json = json.loads(said(project, "decisions", "no-mysql", *parts))
    assert ("constraints" in bare["item"], "history" in bare) == (False, True)
    typo = tribal("decisions", "no-mysq", "--include-history", cwd=project)
    assert (typo.returncode, typo.stderr) == (7, "error: Knowledge item 'no-mysq' not found\nDid you mean no-mysql?\n")


def test_old_names_print_the_same_and_are_not_in_the_help(project: Path) -> None:
    assert said(project, "knowledge") == said(project, "decisions")
    assert said(project, "decision", "no-mysql") == said(project, "decisions", "no-mysql")
    assert said(project, "sync-status").startswith("healthy, last synced ")
    commands = [line.split()[0] for line in said(project, "--help").splitlines() if line.startswith("  ")]
    assert "decisions" in commands
    assert not {"knowledge", "decision", "sync-status"} & {*commands}


def test_the_status_says_when_decisions_were_synced_and_what_failed(project: Path) -> None:
    assert said(project, "status").splitlines()[-1].endswith(" ago, 0 unusable files")
    broken = project / "decisions/projects/company/policies/broken.md"
    broken.write_text("---\nid: broken\ntype: rule\n---\n# Broken\n")
    assert tribal("sync", cwd=project).returncode == 1
    *_, line, reason = said(project, "status").splitlines()
    assert line.startswith("decisions: not healthy, last synced ")
    assert line.endswith(" ago, 1 unusable file")
    assert reason.startswith("    projects/company/policies/broken.md:3: ")
    answer: Json = json.loads(said(project, "status", "--json"))
    assert (answer["sync"]["healthy"], answer["sync"]["failedItems"]) == (False, 1)


def test_a_status_is_silent_about_decisions_where_there_is_no_source_of_them(tmp_path: Path) -> None:
    assert "decisions" not in said(tmp_path, "status")
    assert "sync" not in json.loads(said(tmp_path, "status", "--json"))


def test_a_status_names_a_damaged_record_of_syncs(project: Path) -> None:
    (project / "progress/sync.json").write_text("{")
    assert "decisions: unknown: progress/sync.json is damaged" in said(project, "status")
