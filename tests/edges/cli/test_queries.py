"""Metrics, terms and verified queries of a project, from its files to the answers, over a real PostgreSQL."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.edges.cli.tribal_command import tribal
from tests.plugins.postgres import FreshDatabase, administer
from tribal_contracts import Definitions

SHOP = """
CREATE TABLE invoice (id int PRIMARY KEY, cents int NOT NULL, status text CHECK (status IN ('open', 'void')));
CREATE TABLE unrelated (id int PRIMARY KEY);
"""
ANNOTATIONS = """\
domains:
  invoice:
    owner: Finance
tables:
  public.invoice:
    owner: Ada
metrics:
  - name: net revenue
    description: What we billed, without void invoices.
    expression: sum(cents)
    filters: ["status <> 'void'"]
    tables: [invoice]
    synonyms: [turnover]
terms:
  - name: churned
    definition: Has not bought for a year.
    tables: [invoice]
"""
QUERY = """\
-- question: What did we bill?
-- verified: 2026-01-01

SELECT sum(cents) FROM invoice WHERE status <> 'void';
"""


@pytest.fixture
def project(tmp_path: Path, fresh_database: FreshDatabase) -> Path:
    (tmp_path / "databases.yaml").write_text(json.dumps({"databases": [{"name": "shop", "dsn": fresh_database(SHOP)}]}))
    (tmp_path / "annotations").mkdir()
    (tmp_path / "annotations" / "shop.yaml").write_text(ANNOTATIONS)
    (tmp_path / "queries" / "billing").mkdir(parents=True)
    (tmp_path / "queries" / "billing" / "billed.sql").write_text(QUERY)
    (tmp_path / "queries" / "scratch.sql").write_text("SELECT 1")
    run(project=tmp_path)
    return tmp_path


def run(project: Path) -> Definitions:
    ran = tribal("run", "--no-samples", cwd=project)
    assert ran.returncode == 0, ran.stderr
    return Definitions.from_json((project / "docs" / "definitions.json").read_bytes())


def listed(project: Path) -> dict[str, Any]:
    ran = tribal("queries", "--json", cwd=project)
    assert ran.returncode == 0, ran.stderr
    (query,) = json.loads(ran.stdout)["queries"]
    found: dict[str, Any] = query
    return found


def sql(project: Path, statement: str) -> None:
    administer(json.loads((project / "databases.yaml").read_text())["databases"][0]["dsn"], statement)


def test_a_query_is_changed_when_its_column_changes_its_type_and_broken_when_that_is_dropped(project: Path) -> None:
    assert listed(project)["status"] == "current"

    sql(project, "COMMENT ON COLUMN invoice.cents IS 'In euro cents.'")
    assert run(project).queries[0].status == "current"

    sql(project, "ALTER TABLE invoice ALTER cents TYPE bigint")
    (query,) = run(project).queries
    assert query.status == "changed"
    assert [(each.name, each.changed) for each in query.changes] == [("shop.public.invoice", ["cents"])]

    sql(project, "ALTER TABLE invoice DROP COLUMN cents")
    found = run(project)
    (query,), (metric,) = found.queries, found.metrics
    assert (query.status, metric.status) == ("broken", "stale")
    assert (query.problems[0].line, query.changes[0].removed) == (4, ["cents"])
    linted = tribal("lint", cwd=project)
    assert linted.returncode == 1
    assert "queries/billing/billed.sql:4: broken: the query: " in linted.stdout
    assert "annotations/shop.yaml:8: broken: the metric 'net revenue': " in linted.stdout
    refused = tribal("queries", "verify", project / "queries" / "billing" / "billed.sql", cwd=project)
    assert (refused.returncode, "cents" in refused.stdout) == (1, True)
    assert (project / "queries" / "billing" / "billed.sql").read_text() == QUERY


def test_a_changed_query_answers_its_question_and_says_to_check_it(project: Path) -> None:
    sql(project, "ALTER TABLE invoice ADD COLUMN sent_on date")
    assert run(project).queries[0].status == "changed"
    asked = tribal("ask", "What did we bill?", cwd=project)
    assert "A verified query answers “What did we bill?”, verified on 2026-01-01" in asked.stdout
    assert "Its tables have changed since: check it." in asked.stdout
    assert "SELECT sum(cents) FROM invoice WHERE status <> 'void';" in asked.stdout


def test_verifying_a_changed_query_makes_it_current_also_twice_a_day(project: Path) -> None:
    file = project / "queries" / "billing" / "billed.sql"
    for type_name in ("bigint", "numeric"):
        sql(project, f"ALTER TABLE invoice ALTER cents TYPE {type_name}")
        assert run(project).queries[0].status == "changed"
        strict = tribal("lint", "--strict", cwd=project)
        assert (
            f"{file.relative_to(project)}:1: changed: since the query was verified, shop.public.invoice has changed"
            in (strict.stdout)
        )
        ran = tribal("queries", "verify", file, cwd=project, SOURCE_DATE_EPOCH="1767312000")
        assert ran.returncode == 0, ran.stderr
        assert file.read_text() == QUERY.replace("2026-01-01", "2026-01-02")
        assert run(project).queries[0].status == "current"


def test_a_third_run_changes_nothing(project: Path) -> None:
    run(project)
    before = (project / "docs" / "definitions.json").stat()
    run(project)
    after = (project / "docs" / "definitions.json").stat()
    assert (before.st_mtime_ns, before.st_ino) == (after.st_mtime_ns, after.st_ino)


def test_a_metric_brings_up_its_tables_and_owners_are_shown(project: Path) -> None:
    found = tribal("search", "what is our turnover", "--json", cwd=project)
    assert "warnings" not in json.loads(found.stdout)
    first = json.loads(found.stdout)["tables"][0]
    assert (first["name"], first["reasons"][0]) == ("shop.public.invoice", "the metric 'net revenue' uses it")
    shown = tribal("table", "invoice", cwd=project)
    assert "owner Ada" in shown.stdout
    assert "owner Ada" in next((project / "docs").rglob("*public.invoice.md")).read_text()
    assert "(Ada)" in tribal("todo", cwd=project).stdout
    assert json.loads(tribal("lint", "--json", cwd=project).stdout)["findings"][0]["owner"] == "Ada"


def test_bad_files_are_listed_with_their_lines_and_the_others_keep_working(project: Path) -> None:
    (project / "queries" / "no_question.sql").write_text("-- owner: Ada\nSELECT 1")
    (project / "queries" / "elsewhere.sql").write_text("-- question: what?\n-- database: nowhere\nSELECT 1")
    ran = tribal("queries", cwd=project)
    assert ran.returncode == 0
    lines = ran.stdout.splitlines()
    assert [line.split()[0] for line in lines[:2]] == ["status", "current"]
    assert lines[2:] == [
        "queries/elsewhere.sql:1: there is no documented database 'nowhere'; the names are shop",
        "queries/no_question.sql:1: the header has no question; add `-- question: ` and the question that the SQL"
        " answers",
        "1 verified query; 1 SQL file without a header ignored.",
    ]
    assert len(run(project).unusable) == 2
