"""`tribal comply` names item, file and line, and its exit code says whether something blocks."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.capabilities.knowledge.syncing.house import ADR_042, write
from tests.edges.cli.tribal_command import tribal as run_tribal
from tests.edges.mcp.asked import index_project

SETTINGS = "identity: {org: acme, project: shop}\nknowledge: {repository: decisions}\ndatabases: []\n"
NAMES = """---
id: names
title: Names of tables
constraints:
  - {operator: must_match, target: table, pattern: '[a-z0-9_]+'}
  - {operator: must_not_use, target: table, pattern: 'crm\\.customer', severity: block, message: "Ask the\\n service"}
---
So.
"""
LICENSED = """---
id: licensed
title: A licence
severity: block
constraints:
  - {operator: must_exist, target: file, pattern: LICENSE}
---
So.
"""
GIT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@b",
}
GIT |= {"GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}


@pytest.fixture(name="project")
def project_fixture(tmp_path: Path) -> Path:
    project = tmp_path / "project"
    write(project, {"databases.yaml": SETTINGS, "decisions/orgs/acme/adrs/adr-042-database-selection.md": ADR_042})
    write(project, {"decisions/projects/shop/policies/names.md": NAMES})
    said("sync", cwd=project)
    return project


def said(*arguments: str, cwd: Path) -> str:
    """What a command prints that ends well."""
    finished = run_tribal(*arguments, cwd=cwd)
    assert finished.returncode in (0, 1), finished.stderr
    return finished.stdout


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, env={**os.environ, **GIT})


def test_each_violation_is_a_line_with_its_place_and_the_last_one_sums_up(project: Path) -> None:
    write(project / "code", {"package.json": '{"dependencies": {\n"pg": "8",\n"mysql2": "3"}}\n'})
    write(project / "code", {"sql/a b.sql": 'SELECT 1;\n\nSELECT * FROM "Odd" JOIN crm.customer ON true;\n'})
    found = run_tribal("comply", "code", cwd=project)
    assert found.returncode == 1
    assert found.stdout.splitlines() == [
        "code/sql/a b.sql:3: block: Ask the service [names: Names of tables]",
        "code/package.json:3: block: MySQL not allowed for new services per ADR-042. Use PostgreSQL instead."
        " [adr-042-database-selection: Database Selection for New Services]",
        "code/sql/a b.sql:3: warn: table 'Odd' does not match '[a-z0-9_]+' [names: Names of tables]",
        "BLOCKED: 2 block, 1 warn, 0 info in 2 files, by 4 constraints of 2 items",
    ]


def test_what_is_missing_is_found_where_the_whole_project_is_checked(project: Path) -> None:
    write(project / "decisions/projects/shop/policies", {"licensed.md": LICENSED})
    said("sync", cwd=project)
    write(project / "code", {"requirements.txt": "psycopg==3\n"})
    assert "no file matches 'LICENSE'" in run_tribal("comply", ".", cwd=project).stdout
    for part in ("code", "code/requirements.txt"):
        assert run_tribal("comply", part, cwd=project).returncode == 0
    write(project, {"LICENSE": "Apache-2.0\n"})
    assert run_tribal("comply", ".", cwd=project).returncode == 0


def test_globs_mean_the_same_whichever_part_of_a_project_or_checkout_is_checked(project: Path, tmp_path: Path) -> None:
    constraint = "{operator: must_not_use, target: table, pattern: odd, appliesTo: {glob}}"
    rule = f"---\nid: q\ntitle: Q\nconstraints: [{constraint}]\n---\n"
    for number, glob in enumerate(("'queries/**'", "'queries/*.sql'", "'*.sql'")):
        text = rule.replace("{glob}", glob).replace("id: q", f"id: q{number}")
        write(project / "decisions/projects/shop/policies", {f"q{number}.md": text})
    said("sync", cwd=project)
    checkout = tmp_path / "checkout"
    for root in (project, checkout):
        write(root, {"queries/a.sql": "SELECT * FROM odd;\n"})
    git(checkout, "init", "-q")
    for root in (project, checkout):
        for part in (".", "queries", "queries/a.sql"):
            found = said("comply", part, "--project", str(project), cwd=root).splitlines()
            assert sum(line.startswith("queries/a.sql:1: ") for line in found) == 3, (root, part)


def test_only_named_items_and_severities_are_reported_and_all_are_counted(project: Path) -> None:
    write(project / "code", {"a.sql": 'SELECT * FROM "Odd";\n'})
    result = run_tribal("comply", "code/a.sql", "--min-severity", "block", cwd=project)
    assert result.stdout == "passed: 0 block, 1 warn, 0 info in 1 file, by 4 constraints of 2 items\n"
    only = run_tribal("comply", "code/a.sql", "--item", "adr-042-database-selection", cwd=project)
    assert only.stdout == "passed: 0 block, 0 warn, 0 info in 1 file, by 2 constraints of 1 item\n"
    unknown = run_tribal("comply", "code/a.sql", "--item", "adr-42", cwd=project)
    assert (unknown.returncode, "not found" in unknown.stderr) == (7, True)


def test_what_git_says_changed_is_checked_alone(project: Path, tmp_path: Path) -> None:
    code = tmp_path / "code"
    write(code, {"old.sql": 'SELECT * FROM "Old";\n', ".gitignore": "made/\n", "gone.sql": 'SELECT * FROM "Gone";\n'})
    git(code, "init", "-q")
    git(code, "add", ".")
    git(code, "commit", "-qm", "first")
    (code / "gone.sql").unlink()
    write(code, {"new name\u00e9.sql": 'SELECT * FROM "New";\n', "made/x.sql": 'SELECT * FROM "Made";\n'})
    write(code, {"staged.sql": 'SELECT * FROM "Staged";\n'})
    git(code, "add", "staged.sql")
    options = ("--changed", "--project", str(project))
    assert [line.split(":")[0] for line in said("comply", *options, cwd=code).splitlines()] == [
        "new name\u00e9.sql",
        "staged.sql",
        "passed",
    ]
    git(code, "add", ".")
    git(code, "commit", "-qm", "second")
    assert "in 0 files" in said("comply", *options, cwd=code)
    assert "in 2 files" in said("comply", *options, "--since", "HEAD~1", cwd=code)
    refused = run_tribal("comply", *options, "--since", "--output=x", cwd=code)
    assert (refused.returncode, "git has no commit" in refused.stderr) == (2, True)
    outside = run_tribal("comply", *options, cwd=tmp_path)
    assert (outside.returncode, "not in a checkout" in outside.stderr) == (2, True)
    # A folder of a checkout has what git has, and no more, unless git ignores all of it.
    assert "made" not in said("comply", str(code), "--project", str(project), cwd=tmp_path)
    assert "made/x.sql:1: " in said("comply", "made", "--project", str(project), cwd=code)


def test_documented_tables_are_checked_and_what_sql_names_is_looked_up_among_them(tmp_path: Path) -> None:
    index_project(tmp_path)
    write(tmp_path, {"databases.yaml": SETTINGS, "decisions/projects/shop/policies/names.md": NAMES})
    said("sync", cwd=tmp_path)
    found = run_tribal("comply", "--tables", "shop.crm.*", cwd=tmp_path)
    assert found.returncode == 1
    assert found.stdout.splitlines()[0] == (
        "block: Ask the service (table 'shop.crm.customer' is not allowed) [names: Names of tables]"
    )
    nothing = run_tribal("comply", "--tables", "shop.nowhere.*", cwd=tmp_path)
    assert (nothing.returncode, "no documented table" in nothing.stderr) == (0, True)
    # Two databases have a table `customer`, so that its name alone says too little.
    write(tmp_path / "code", {"one.sql": "SELECT * FROM customer;\n", "two.sql": "SELECT * FROM crm.customer;\n"})
    result = run_tribal("comply", "code/one.sql", "code/two.sql", cwd=tmp_path).stdout
    assert [line.split(":")[0] for line in result.splitlines()] == ["code/two.sql", "BLOCKED"]


def test_what_cannot_be_read_is_reported_and_proves_no_absence(project: Path) -> None:
    write(project / "decisions/projects/shop/policies", {"licensed.md": LICENSED})
    said("sync", cwd=project)
    code = project / "code"
    write(code, {"requirements.txt": "psycopg==3\n", "big.txt": "x" * (1 << 20) + "y"})
    (code / "bytes.sql").write_bytes(b"SELECT '\xff';\r\n")
    (code / "picture.sql").write_bytes(b"\x89PNG\0\0")
    (code / "link.sql").symlink_to(code / "bytes.sql")
    os.mkfifo(code / "pipe.sql")
    searched = "---\nid: code\ntitle: C\nconstraints: [{operator: must_not_use, target: code, pattern: y}]\n---\n"
    write(project / "decisions/projects/shop/policies", {"code.md": searched})
    said("sync", cwd=project)
    found = run_tribal("comply", "code", cwd=project)
    assert found.returncode == 1, found.stdout
    assert "code/big.txt: warn: cannot be evaluated: it is larger than 1,048,576 bytes [code: C]" in found.stdout
    assert "code/picture.sql: warn: cannot be evaluated: it is not text [code: C]" not in found.stdout
    # A file of SQL that is no text may name any table.
    assert "code/picture.sql: warn: cannot be evaluated: it is not text [names: Names of tables]" in found.stdout
    assert "code/picture.sql: block: cannot be evaluated: it is not text; fix the file, exclude" in found.stdout
    assert "'code/big.txt' was not checked: it is larger than 1,048,576 bytes" in found.stderr
    assert "'code/link.sql' was not checked: it is a link" in found.stderr
    assert "'code/pipe.sql' was not checked: it is not a file" in found.stderr


def test_a_blocking_policy_blocks_on_a_file_that_it_cannot_read_unless_it_says_otherwise(project: Path) -> None:
    policy = project / "decisions/projects/shop/policies/names.md"
    write(project / "code", {"a.sql": "SELECT 1;\nSELECT FROM WHERE (;\n", "other.py": "def (:\n", "Cargo.toml": "= 1"})
    strict = run_tribal("comply", "code", "--item", "names", cwd=project)
    assert strict.returncode == 1
    reason = "cannot be evaluated: cannot parse the SQL as PostgreSQL near 'WHERE'"
    remedy = "fix the file, exclude it with `appliesTo`, or put `unreadable: warn` into the policy"
    assert strict.stdout.splitlines()[0] == f"code/a.sql:2: block: {reason}; {remedy} [names: Names of tables]"
    assert "other.py" not in strict.stdout
    policy.write_text(NAMES.replace("id: names", "id: names\nunreadable: warn"))
    said("sync", cwd=project)
    softened = run_tribal("comply", "code", "--item", "names", cwd=project)
    assert softened.returncode == 0
    assert softened.stdout.splitlines()[0] == f"code/a.sql:2: warn: {reason} [names: Names of tables]"
    assert json.loads(said("decisions", "names", "--json", cwd=project))["item"]["unreadable"] == "warn"
    policy.write_text(NAMES.replace("id: names", "id: names\nunreadable: info"))
    refused = run_tribal("sync", cwd=project)
    assert "names.md:3: unreadable: must be one of block, warn" in refused.stdout + refused.stderr


def test_sql_is_read_in_the_dialect_of_the_databases_of_the_project(project: Path) -> None:
    write(project / "code", {"path.sql": "select x:a.b::string from crm.customer", "both.sql": "select 1 from Odd"})
    entry = "  - {name: shop, type: TYPE, dsn_secret: shop, database: shop}\n"

    def messages(*types: str) -> list[str]:
        entries = "".join(entry.replace("TYPE", each).replace("name: shop", f"name: {each}") for each in types)
        settings = SETTINGS.replace("databases: []", f"databases:\n{entries}" if types else "databases: []")
        write(project, {"databases.yaml": settings})
        found = json.loads(run_tribal("comply", "code", "--item", "names", "--json", cwd=project).stdout)
        return sorted(each["message"].partition(";")[0] for each in found["violations"])

    assert messages("postgres")[-1] == "cannot be evaluated: cannot parse the SQL as PostgreSQL near '.'"
    upper = ["Ask the\n service", "table 'CRM.CUSTOMER' does not match '[a-z0-9_]+'", "table 'ODD' does not match"]
    assert [each.startswith(text) for each, text in zip(messages("snowflake"), upper, strict=True)] == [True] * 3
    for types in (("postgres", "snowflake"), ()):
        assert messages(*types) == upper[:2]


def test_the_log_for_code_hosts_names_rules_and_places(project: Path) -> None:
    write(project / "code", {"a b#\u00e9.sql": 'SELECT * FROM "Odd";\n'})
    first = json.loads(said("comply", "code/a b#\u00e9.sql", "--format", "sarif", cwd=project))
    (run,) = first["runs"]
    (result,) = run["results"]
    assert (first["version"], run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"]) == ("2.1.0", result["ruleId"])
    assert result["level"] == "warning"
    (location,) = result["locations"]
    assert location["physicalLocation"] == {
        "artifactLocation": {"uri": "code/a%20b%23%C3%A9.sql"},
        "region": {"startLine": 1},
    }
    write(project / "code", {"a b#\u00e9.sql": '\n\nSELECT * FROM "Odd";\n'})
    moved = json.loads(said("comply", "code/a b#\u00e9.sql", "--format", "sarif", cwd=project))["runs"][0]["results"][0]
    assert moved["partialFingerprints"] == result["partialFingerprints"]
    assert moved["locations"][0]["physicalLocation"]["region"] == {"startLine": 3}


def test_the_log_for_code_hosts_has_the_same_paths_wherever_the_command_runs(project: Path, tmp_path: Path) -> None:
    write(project / "code", {"sql/a.sql": 'SELECT * FROM "Odd";\n'})
    for here, named in ((project, "code"), (project / "code", "sql/a.sql"), (tmp_path, str(project / "code" / "sql"))):
        log = json.loads(said("comply", named, "--format", "sarif", "--project", str(project), cwd=here))
        (location,) = log["runs"][0]["results"][0]["locations"]
        assert location["physicalLocation"]["artifactLocation"] == {"uri": "code/sql/a.sql"}


def test_constraints_that_apply_to_no_file_are_noted_in_every_format_and_do_not_fail(project: Path) -> None:
    constraint = "{operator: must_not_use, target: import, pattern: pickle, severity: block, appliesTo: GLOB}"
    policy = f"---\nid: glob\ntitle: G\nconstraints: [{constraint}]\n---\n"
    write(project / "code", {"src/a.py": "import pickle\n"})

    def checked(glob: str, *options: str) -> subprocess.CompletedProcess[str]:
        write(project, {"decisions/projects/shop/policies/glob.md": policy.replace("GLOB", f"'{glob}'")})
        said("sync", cwd=project)
        return run_tribal("comply", "code", "--item", "glob", *options, cwd=project)

    for glob in ("src", "src/", "/code/src/**", "code/src", "!docs/**"):
        assert checked(glob).returncode == 1, glob
    note = "appliesTo 'src/**' of glob matches none of the checked files, but '**/src/**' does"
    text = checked("src/**")
    assert (text.returncode, text.stderr) == (0, f"note: {note}\n")
    assert json.loads(checked("src/**", "--json").stdout)["warnings"] == [note]
    assert checked("src/**", "--format", "sarif").stderr == f"note: {note}\n"
    assert "constraint applies to none of the checked files: glob (appliesTo 'x/')" in checked("x/").stderr
    refused = run_tribal("sync", cwd=project)
    write(project, {"decisions/projects/shop/policies/glob.md": policy.replace("GLOB", "'src\\api'")})
    refused = run_tribal("sync", cwd=project)
    assert "glob.md:4: constraint 1: appliesTo: the glob" in refused.stdout + refused.stderr
    assert "has a backslash; write / between folders" in refused.stdout + refused.stderr


def test_a_file_whose_name_holds_a_line_break_is_reported_in_one_line(project: Path) -> None:
    write(project / "code", {"a\nblock: all fine.sql": 'SELECT * FROM "Odd";\n'})
    assert len(said("comply", "code", "--item", "names", cwd=project).splitlines()) == 2


def test_what_cannot_be_done_says_what_to_do(tmp_path: Path, project: Path) -> None:
    nowhere = run_tribal("comply", "nowhere", cwd=project)
    assert (nowhere.returncode, "no such file or folder" in nowhere.stderr) == (2, True)
    unsynced = run_tribal("comply", ".", cwd=tmp_path)
    assert (unsynced.returncode, "tribal sync" in unsynced.stderr) == (7, True)
    wrong = run_tribal("comply", ".", "--format", "xml", cwd=project)
    assert (wrong.returncode, "sarif" in wrong.stderr) == (2, True)
    (project / "empty").mkdir()
    assert run_tribal("comply", "empty", "--item", "names", cwd=project).returncode == 0
