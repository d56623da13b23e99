"""`tribal check` says what works, what is missing and what to do next."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.edges.cli.tribal_command import tribal
from tests.plugins.postgres import FreshDatabase, administer, login, unique_name

READY = "Ready. Next: `tribal run`."


def write(folder: Path, text: str) -> None:
    (folder / "databases.yaml").write_text(text, encoding="utf-8")


def test_a_database_that_can_be_read_is_ready_to_run(tmp_path: Path, shop_dsn: str) -> None:
    write(tmp_path, f"databases: [{{name: shop, dsn: '{shop_dsn}'}}]\n")
    ran = tribal("check", cwd=tmp_path)
    assert (ran.returncode, ran.stdout.splitlines()[-1]) == (0, READY)
    assert json.loads(tribal("check", "--json", cwd=tmp_path).stdout)["next_step"] == READY
    elsewhere = tribal("check", shop_dsn, "--project", tmp_path / "..", cwd=tmp_path)
    assert elsewhere.stdout.splitlines()[-1].startswith("Ready. Next: `tribal run postgresql://")


def test_a_database_without_tables_is_not_called_ready(tmp_path: Path, fresh_database: FreshDatabase) -> None:
    ran = tribal("check", fresh_database(""), cwd=tmp_path)
    assert "  tables: none\n" in ran.stdout
    assert ran.stdout.splitlines()[-1].startswith("Nothing to document: no table is visible. Correct the database")


def test_missing_grants_leave_it_ready_in_part(tmp_path: Path, fresh_database: FreshDatabase) -> None:
    role = unique_name("reader")
    dsn = fresh_database("CREATE TABLE open (id int)")
    administer(dsn, f"CREATE ROLE {role} LOGIN PASSWORD 'pw'")
    try:
        ran = tribal("check", login(dsn, role, "pw"), cwd=tmp_path)
        assert ran.returncode == 1
        assert "GRANT SELECT" in ran.stdout
        assert ran.stdout.splitlines()[-1].startswith("Ready in part: `tribal run ")
    finally:
        administer(dsn, f"DROP OWNED BY {role}; DROP ROLE {role}")


def test_every_database_is_checked_although_one_lacks_its_password(
    tmp_path: Path, shop_dsn: str, closed_port: int
) -> None:
    write(
        tmp_path,
        "databases:\n"
        "  - {name: locked, dsn: 'postgresql://u@127.0.0.1:1/d', password_secret: SHOP_PASSWORD}\n"
        f"  - {{name: silent, dsn: 'postgresql://u@127.0.0.1:{closed_port}/d'}}\n"
        f"  - {{name: shop, dsn: '{shop_dsn}'}}\n",
    )
    ran = tribal("check", cwd=tmp_path)
    assert ran.returncode == 3
    lines = ran.stdout.splitlines()
    assert [line for line in lines if line.startswith("✗ locked: the secret 'SHOP_PASSWORD'")]
    assert [line for line in lines if line.startswith("✓ shop: PostgreSQL")]
    assert lines[-2:] == [
        "3 databases: 1 can be read, 2 cannot be reached.",
        "Not ready: first fix locked, silent (✗ above), then run `tribal check` again.",
    ]


def test_folders_and_secrets_that_the_file_names_are_looked_for(tmp_path: Path) -> None:
    sections = """\
databases: []
knowledge: {repository: decisions, token_secret: DECISIONS_TOKEN}
contribution:
  repositories:
    - {name: clone, path: migrations, databases: [shop]}
    - {name: online, url: https://github.com/acme/shop, write_secret: WRITER, databases: [shop]}
"""
    write(tmp_path, sections)
    ran = tribal("check", "--json", cwd=tmp_path)
    assert ran.returncode == 1
    found = {each["section"]: each["missing"] for each in json.loads(ran.stdout)["sections"]}
    assert "DECISIONS_TOKEN" in found["knowledge"]
    assert "migrations' does not exist" in found["contribution.repositories.clone"]
    assert "WRITER" in found["contribution.repositories.online"]

    secrets = {"DECISIONS_TOKEN": "x", "WRITER": "github_pat_writes"}
    without_folder = tribal("check", cwd=tmp_path, **secrets).stdout
    assert "the folder does not exist; create it, or correct `knowledge.repository`" in without_folder
    (tmp_path / "decisions").mkdir()
    (tmp_path / "migrations").mkdir()
    lines = tribal("check", cwd=tmp_path, **secrets).stdout.splitlines()
    assert [line for line in lines if line.startswith("✓")] == [
        f"✓ knowledge: {tmp_path / 'decisions'}",
        "✓ contribution.repositories.online: https://github.com/acme/shop",
    ]
    assert [line for line in lines if "is not the root of a git repository" in line]
    assert lines[-1] == "Not ready: first fix contribution.repositories.clone (✗ above), then run `tribal check` again."


def test_packages_that_a_section_needs_are_named_with_the_command_that_installs_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # An installation whose extra has a package that this one lacks.
    metadata = tmp_path / "site" / "tribal_knowledge-0.0.1.dist-info" / "METADATA"
    metadata.parent.mkdir(parents=True)
    metadata.write_text(
        "Metadata-Version: 2.4\nName: tribal-knowledge\nVersion: 0.0.1\n"
        'Requires-Dist: pydantic>=2; extra == "chat"\nRequires-Dist: no-such-parser>=1; extra == "chat"\n'
    )
    monkeypatch.syspath_prepend(tmp_path / "site")
    write(tmp_path, "databases: []\nchat: {audit: true}\ncollections: [{name: catalog}]\n")
    assert tribal("check", cwd=tmp_path).returncode == 0, "nothing can be uploaded to the catalog"
    write(tmp_path, "databases: []\ncollections: [{name: handbook}]\n")
    ran = tribal("check", cwd=tmp_path)
    assert ran.returncode == 1
    name, problem, last = ran.stdout.splitlines()
    assert name == "✗ chat: optional packages"
    assert problem.startswith("  no-such-parser is not installed; run: ")
    assert problem.endswith("pip install 'tribal-knowledge[chat]'")
    assert last == "Not ready: first fix chat (✗ above), then run `tribal check` again."


def test_a_login_by_iam_names_the_package_that_it_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "tribal.adapters.aws.rds_tokens", raising=False)
    monkeypatch.setitem(sys.modules, "botocore.exceptions", None)
    write(tmp_path, "databases: [{name: shop, dsn: 'postgresql://u@h/d?sslmode=verify-full', auth: rds_iam}]\n")
    ran = tribal("check", cwd=tmp_path)
    assert ran.returncode == 2
    assert "but a login by IAM needs it; run: " in ran.stdout.replace("\n", " ")
    assert "pip install 'tribal-knowledge[aws]'" in ran.stdout.replace("\n", " ")


def test_a_schema_of_another_version_is_noted(tmp_path: Path) -> None:
    assert tribal("init", "--editor-schema", cwd=tmp_path).returncode == 0
    write(tmp_path, "databases: []\n")
    assert "another version" not in tribal("check", cwd=tmp_path).stderr
    (tmp_path / "databases.schema.json").write_text("{}")
    ran = tribal("check", cwd=tmp_path)
    assert (ran.returncode, "`tribal init --editor-schema` renews it" in ran.stderr) == (0, True)
