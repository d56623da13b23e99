"""`tribal diff --impact` says what a change affects, over a real PostgreSQL."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.edges.cli.tribal_command import contents, tribal
from tests.plugins.postgres import FreshDatabase, administer

SHOP = """
CREATE TABLE invoice (id int PRIMARY KEY, cents int NOT NULL, note text,
  status text CHECK (status IN ('open', 'void')));
CREATE VIEW open_invoice AS SELECT id, status FROM invoice;
CREATE VIEW open_ids AS SELECT id FROM open_invoice;
CREATE TABLE leaves (id int PRIMARY KEY);
CREATE TABLE unrelated (id int PRIMARY KEY);
"""
ANNOTATIONS = """\
metrics:
  - {name: net revenue, description: What we billed., expression: sum(cents), tables: [invoice]}
  - {name: invoices, description: How many., expression: count(*), tables: [invoice]}
terms:
  - {name: void, definition: Not to be paid., tables: [leaves], columns: [invoice.status]}
"""
BILLED = "-- question: What did we bill?\nSELECT sum(cents) FROM invoice WHERE status <> 'void';\n"
COUNTED = "-- question: How many are void?\nSELECT count(*) FROM invoice WHERE status = 'void';\n"
POLICY = """\
---
id: in-cents
title: Amounts are in cents
summary: Never show public.invoice in euros.
---
"""


@pytest.fixture
def project(tmp_path: Path, fresh_database: FreshDatabase) -> Path:
    settings = {
        "databases": [{"name": "shop", "dsn": fresh_database(SHOP)}],
        "identity": {"project": "shop"},
        "memory": {},
        "knowledge": {"repository": "decisions"},
    }
    (tmp_path / "databases.yaml").write_text(json.dumps(settings))
    (tmp_path / "annotations").mkdir()
    (tmp_path / "annotations" / "shop.yaml").write_text(ANNOTATIONS)
    (tmp_path / "queries").mkdir()
    (tmp_path / "queries" / "billed.sql").write_text(BILLED)
    (tmp_path / "queries" / "counted.sql").write_text(COUNTED)
    policies = tmp_path / "decisions" / "projects" / "shop" / "policies"
    policies.mkdir(parents=True)
    (policies / "in-cents.md").write_text(POLICY)
    run(tmp_path)
    synced = tribal("sync", cwd=tmp_path)
    assert synced.returncode == 0, synced.stderr
    remembered = tribal("remember", "public.invoice is closed at noon", "--layer", "project", cwd=tmp_path)
    assert remembered.returncode == 0, remembered.stderr
    return tmp_path


def run(project: Path) -> None:
    ran = tribal("run", "--no-samples", cwd=project)
    assert ran.returncode == 0, ran.stderr


def sql(project: Path, statement: str) -> None:
    administer(json.loads((project / "databases.yaml").read_text())["databases"][0]["dsn"], statement)


def impact(project: Path, *options: str) -> dict[str, list[str]]:
    """What is affected, by table and changed part."""
    ran = tribal("diff", "--impact", "--json", *options, cwd=project)
    assert ran.returncode == 0, ran.stderr
    listed: list[dict[str, Any]] = json.loads(ran.stdout)["impact"]
    return {
        " ".join(filter(None, [each["table"], each["fate"], each["what"], each["name"], *each["aspects"]])): [
            one["name"] if one["kind"] != "memory" else "memory" for one in each["affected"]
        ]
        for each in listed
    }


def test_a_query_is_listed_when_its_column_changes_its_type_and_when_it_is_dropped(project: Path) -> None:
    (first,) = (path.name for path in (project / "progress" / "runs").iterdir() if path.is_dir())
    users = ["queries/billed.sql", "net revenue", "in-cents", "memory"]

    sql(project, "ALTER TABLE invoice ALTER cents TYPE bigint")
    before = contents(project)
    assert impact(project) == {"shop.public.invoice changed column cents type": users}
    assert contents(project) == before
    shown = tribal("diff", "--impact", "--exit-code", cwd=project)
    assert shown.returncode == 1
    lines = shown.stdout.splitlines()
    assert lines[lines.index("Affected:") + 1 : -1] == [
        "~ shop.public.invoice, column cents: type",
        "    ~ query queries/billed.sql: What did we bill?",
        "    ~ metric net revenue: What we billed.",
        "    ~ policy in-cents: Amounts are in cents: Never show public.invoice in euros.",
    ]

    run(project)
    assert impact(project) == {}
    assert impact(project, "--since", first) == {"shop.public.invoice changed column cents type": users}

    sql(project, "ALTER TABLE invoice DROP COLUMN cents")
    assert impact(project) == {"shop.public.invoice changed column cents": users}
    run(project)
    assert impact(project, "--since", first) == {"shop.public.invoice changed column cents": users}


def test_what_uses_a_table_is_listed_with_the_views_over_views_and_what_is_new_affects_nothing(project: Path) -> None:
    sql(
        project,
        "ALTER TABLE invoice ADD sent_at date; CREATE TABLE comes (id int); CREATE INDEX ON invoice (cents);"
        "COMMENT ON TABLE invoice IS 'Bills.'; DROP TABLE unrelated; ALTER TABLE invoice ALTER note SET DEFAULT 'x'",
    )
    assert impact(project) == {"shop.public.invoice changed column note default": ["in-cents", "memory"]}

    sql(
        project,
        "ALTER TABLE invoice ALTER status SET NOT NULL; ALTER TABLE invoice DROP CONSTRAINT invoice_status_check",
    )
    of_status = [
        "shop.public.open_invoice",
        "shop.public.open_ids",
        "queries/billed.sql",
        "queries/counted.sql",
        "void",
    ]
    found = impact(project)
    assert found["shop.public.invoice changed column status nullable"] == [*of_status, "in-cents", "memory"]
    assert found["shop.public.invoice changed check invoice_status_check"][2:6] == [
        "queries/billed.sql", "queries/counted.sql", "net revenue", "invoices"
    ]  # fmt: skip

    sql(project, "DROP TABLE invoice CASCADE")
    assert impact(project)["shop.public.invoice dropped table"] == [
        *of_status[:4], "net revenue", "invoices", "void", "in-cents", "memory"
    ]  # fmt: skip


def test_what_names_a_table_that_was_renamed_is_listed_in_each_spelling_and_what_names_others_is_not(
    project: Path,
) -> None:
    sql(
        project,
        "CREATE TABLE payment (id int PRIMARY KEY, invoice_id int REFERENCES invoice, paid date);"
        "CREATE VIEW paid AS SELECT id, paid FROM payment",
    )
    for text in ("invoice.cents is net", "invoice is final on Monday", "see the invoice table", "We invoice daily"):
        assert tribal("remember", text, "--layer", "project", cwd=project).returncode == 0
    run(project)
    first = max(path.name for path in (project / "progress" / "runs").iterdir() if path.is_dir())
    sql(project, "ALTER TABLE invoice RENAME TO bill")
    views, queries = ["shop.public.open_invoice", "shop.public.open_ids"], ["queries/billed.sql", "queries/counted.sql"]
    rest = ["net revenue", "invoices", "void", "in-cents", *["memory"] * 4]
    found = impact(project)
    assert found.pop("shop.public.invoice dropped table") == [*views, *queries, *rest]
    assert list(found) == ["shop.public.open_invoice changed view definition"], "and no key to what was renamed"
    run(project)
    run(project)
    assert impact(project, "--since", first)["shop.public.invoice dropped table"] == [*queries, *rest]


def test_of_what_names_columns_only_that_of_the_changed_column_is_listed(project: Path) -> None:
    assert tribal("remember", "invoice.note is free text", "--layer", "project", cwd=project).returncode == 0
    sql(project, "ALTER TABLE invoice ALTER cents TYPE bigint, ALTER note SET DEFAULT 'x'")
    found = impact(project)
    assert found["shop.public.invoice changed column cents type"][-2:] == ["in-cents", "memory"]
    assert found["shop.public.invoice changed column note default"] == ["in-cents", "memory", "memory"]
