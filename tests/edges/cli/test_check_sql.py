"""`tribal check-sql` names file, line and column, and its exit code says whether there is an error."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.edges.cli.tribal_command import tribal
from tests.edges.mcp.asked import index_project


@pytest.fixture(name="project", scope="module")
def project_fixture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    project = tmp_path_factory.mktemp("project")
    index_project(project)
    (project / "right.sql").write_text("SELECT cust_id FROM crm.customer\n")
    (project / "wrong.sql").write_text("SELECT cust_id,\n  cust_idx\nFROM crm.customer\n")
    return project


def test_findings_are_printed_with_their_place_and_the_exit_code_tells_errors(project: Path) -> None:
    right = tribal("check-sql", "right.sql", "--database", "shop", cwd=project)
    assert (right.returncode, right.stdout) == (0, "0 errors, 0 warnings in 1 file\n"), right.stderr
    wrong = tribal("check-sql", "right.sql", "wrong.sql", "--database", "shop", cwd=project)
    assert wrong.returncode == 1
    lines = wrong.stdout.splitlines()
    assert lines[0].startswith("wrong.sql:2:3: error: there is no column cust_idx in crm.customer")
    assert lines[1:] == ["    perhaps: cust_id", "1 error, 0 warnings in 2 files"]


def test_json_and_sarif_hold_the_same_findings(project: Path) -> None:
    as_json = json.loads(tribal("check-sql", "wrong.sql", "--database", "shop", "--json", cwd=project).stdout)
    assert (as_json["valid"], [each["file"] for each in as_json["files"]]) == (False, ["wrong.sql"])
    (finding,) = as_json["files"][0]["findings"]
    log = json.loads(tribal("check-sql", "wrong.sql", "--database", "shop", "--sarif", cwd=project).stdout)
    (result,) = log["runs"][0]["results"]
    region = result["locations"][0]["physicalLocation"]["region"]
    assert (result["ruleId"], result["level"]) == (finding["code"], finding["severity"])
    assert (region["startLine"], region["startColumn"]) == (finding["line"], finding["column"])


def test_wrong_usage_says_what_to_change(project: Path) -> None:
    for arguments, said in (
        (["right.sql"], "say which one the SQL is for: shop, web"),
        (["nothing.sql", "--database", "shop"], "cannot read nothing.sql"),
        (["right.sql", "--database", "shop", "--json", "--sarif"], "not both"),
    ):
        finished = tribal("check-sql", *arguments, cwd=project)
        assert finished.returncode == 2, finished.stderr
        assert said in " ".join(finished.stderr.split())
