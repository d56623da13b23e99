"""The main job on the sample company, through the real command: from a live database to answers."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import jsonschema
import pytest

import tribal_contracts as contracts
from tests.capabilities.retrieval.generated_joins import generated_joins
from tests.edges.cli.tribal_command import Json, contents, tribal
from tests.plugins.postgres import FreshDatabase, administer, connected
from tribal.app.local import local_application
from tribal.settings import load_settings
from tribal_contracts.schemas import json_schema

pytestmark = pytest.mark.xdist_group("whole-way")

EPOCH = "1767225600"

SPEC_FILES = {
    "progress/documentation-plan.json": "documentation-plan",
    "progress/documenter-progress.json": "documenter-progress",
    "progress/work_units/*/progress.json": "work-unit-progress",
    "docs/documentation-manifest.json": "documentation-manifest",
    "progress/indexer-progress.json": "indexer-progress",
}
OUR_FILES = {
    "progress/work_units/*/result.json": "unit-result",
    "progress/lease.json": "lease-record",
    "progress/runs/latest-plan.json": "run-outline",
    "progress/source.json": "source-record",
    "progress/coverage.json": "coverage-record",
    "progress/runs/*/run.json": "run-record",
    "progress/runs/*/plan.json": "documentation-plan",
    "progress/runs/*/outline.json": "run-outline",
    "progress/runs/*/units/*.json": "work-unit",
    "progress/runs/*/catalog/*.json": "catalog-reading",
    "catalog/*/latest.json": "catalog-reading",
    "catalog/*/statistics.json": "catalog-statistics",
    "catalog/*/inferred-keys.json": "inferred-keys",
    "catalog/*/lineage.json": "database-lineage",
    "catalog/*/slices/*.json": "catalog-slice",
    "docs/overview.json": "overview-document",
    "docs/*/overview.json": "overview-document",
    "docs/*/*/domain.json": "domain-document",
    "docs/*/*/relationships.json": "relationships-document",
    "docs/*/*/*.*.json": "table-document",
}


@pytest.fixture(scope="module")
def company(tmp_path_factory: pytest.TempPathFactory, company_dsn: str) -> Path:
    """A project in which the sample company was documented and indexed once; only to be read."""
    folder = tmp_path_factory.mktemp("company")
    ran = tribal("run", company_dsn, cwd=folder, SOURCE_DATE_EPOCH=EPOCH)
    assert ran.returncode == 0, ran.stderr
    return folder


@pytest.fixture
def project(company: Path, tmp_path: Path) -> Path:
    """A copy of that project to change."""
    return Path(shutil.copytree(company, tmp_path / "project"))


def answer(folder: Path, *arguments: object) -> Json:
    ran = tribal(*arguments, "--json", cwd=folder)
    assert ran.returncode == 0, ran.stderr
    value: Json = json.loads(ran.stdout)
    return value


def test_every_file_of_the_run_is_where_it_belongs_and_keeps_its_contract(company: Path) -> None:
    found = {pattern: list(company.glob(pattern)) for pattern in (*SPEC_FILES, *OUR_FILES)}
    assert [pattern for pattern, paths in found.items() if not paths] == []
    broken = {}
    for pattern, schema in (*SPEC_FILES.items(), *OUR_FILES.items()):
        validator = jsonschema.Draft7Validator(json_schema(schema))
        for path in found[pattern]:
            broken[path] = [error.message for error in validator.iter_errors(json.loads(path.read_bytes()))]
    assert {path: errors for path, errors in broken.items() if errors} == {}


def test_no_json_file_is_without_a_contract(company: Path) -> None:
    known = {path for pattern in (*SPEC_FILES, *OUR_FILES) for path in company.glob(pattern)}
    assert [path for path in company.rglob("*.json") if path not in known] == []


def test_snapshots_are_a_head_and_one_table_a_line(company: Path) -> None:
    (snapshot,) = company.glob("catalog/*/snapshots/*.jsonl")
    head, *tables = snapshot.read_bytes().splitlines()
    assert contracts.CatalogSnapshot.from_json(head).table_count == len(tables)
    names = [(table.schema_name, table.table_name) for table in map(contracts.CatalogTable.from_json, tables)]
    assert names == sorted(names)


def test_the_index_is_where_the_specification_says_and_holds_every_table(company: Path) -> None:
    with sqlite3.connect(company / "data" / "tribal-knowledge.db") as connection:
        kinds = dict(connection.execute("SELECT doc_type, count(*) FROM documents GROUP BY doc_type"))
    manifest = contracts.DocumentationManifest.from_json(
        (company / "docs" / "documentation-manifest.json").read_bytes()
    )
    assert kinds["table"] == sum(file.type == "table" for file in manifest.indexable_files) >= 40
    assert set(kinds) == {"table", "column", "domain", "relationship"}


MEANT = {
    "unpaid invoices": "company.billing.invoice",
    "who works here": "company.people.employee",
    "stock in each warehouse": "company.stock.stock_level",
    "tickets of a customer": "company.support.ticket",
}


def test_search_finds_the_table_that_a_person_means(company: Path) -> None:
    answers = {question: answer(company, "search", question, "--limit", 5) for question in MEANT}
    names = {question: [table["name"] for table in found["tables"]] for question, found in answers.items()}
    assert {question: names[question] for question, table in MEANT.items() if table not in names[question]} == {}
    assert [found for found in answers.values() if not found["total_matches"] >= len(found["tables"]) == 5] == []


def test_a_join_is_sql_that_runs(company: Path, company_dsn: str) -> None:
    found = answer(company, "join", "crm.customer", "billing.payment", "--max-hops", 5)
    assert found["path_found"]
    administer(company_dsn, f"EXPLAIN {found['sql_snippet']}")


def test_the_sql_of_generated_joins_runs(company: Path, company_dsn: str) -> None:
    app = local_application(load_settings(project=company, environment={}))
    with closing(app), connected(company_dsn) as server:
        joins = list(generated_joins(app, 200))
        for join in joins:
            server.run(f"EXPLAIN {join.sql_snippet}")
    assert len(joins) == 200
    assert max(join.hop_count or 0 for join in joins) > 3


def test_a_table_is_found_by_the_shortest_name_that_is_unique(company: Path) -> None:
    assert answer(company, "table", "stock_level")["schema"]["name"] == "company.stock.stock_level"


def test_domains_are_listed_and_shown(company: Path) -> None:
    names = [domain["name"] for domain in answer(company, "domains")["domains"]]
    assert {"billing", "crm", "people", "sales", "stock", "support"} <= set(names)
    overview = answer(company, "domain", "billing")
    assert overview["er_diagram"].startswith("erDiagram")
    assert "company.billing.invoice" in [table["name"] for table in overview["tables"]]


def test_answers_are_plain_in_a_pipe(company: Path) -> None:
    commands = [["search", "x"], ["table", "billing.invoice"], ["domains"], ["domain", "crm"]]
    ended = [tribal(*command, cwd=company) for command in commands]
    assert [ran.args for ran in ended if ran.returncode != 0 or not ran.stdout.strip()] == []
    assert [ran.args for ran in ended if "\x1b" in ran.stdout + ran.stderr] == []


def test_a_second_run_finds_nothing_changed_and_writes_nothing_but_its_own_record(
    project: Path, company_dsn: str
) -> None:
    before = {path: path.stat().st_mtime_ns for path in project.rglob("*") if path.is_file()}
    ran = tribal("run", company_dsn, cwd=project, SOURCE_DATE_EPOCH=EPOCH)
    assert ran.returncode == 0, ran.stderr
    assert "0 tables documented" in ran.stdout
    after = {path: path.stat().st_mtime_ns for path in project.rglob("*") if path.is_file()}
    changed = {path.relative_to(project).as_posix() for path in after if before.get(path) != after[path]}
    # SQLite keeps its locks in the two files next to an index that someone reads.
    volatile = ("progress/runs/", "progress/lease.json", "data/tribal-knowledge.db-")
    assert {name for name in changed if not name.startswith(volatile)} == set()


def test_two_runs_of_the_same_database_give_the_same_bytes(company: Path, tmp_path: Path, company_dsn: str) -> None:
    ran = tribal("run", company_dsn, cwd=tmp_path, SOURCE_DATE_EPOCH=EPOCH)
    assert ran.returncode == 0, ran.stderr
    volatile = ("progress/runs/", "progress/lease.json", "data/", ".tribal/")
    assert contents(tmp_path, *volatile) == contents(company, *volatile)


def test_a_document_that_someone_deleted_is_written_again(project: Path, company_dsn: str) -> None:
    page = project / "docs" / "company" / "billing" / "billing.invoice.md"
    text = page.read_bytes()
    page.unlink()
    ran = tribal("run", company_dsn, cwd=project, SOURCE_DATE_EPOCH=EPOCH)
    assert ran.returncode == 0, ran.stderr
    assert page.read_bytes() == text
    assert "1 table documented" in ran.stdout


def test_only_the_selected_domain_is_documented(project: Path, company_dsn: str) -> None:
    ran = tribal("document", company_dsn, "--domain", "billing", "--force", "--json", cwd=project)
    assert ran.returncode == 0, ran.stderr
    plan = contracts.DocumentationPlan.from_json((project / "progress" / "documentation-plan.json").read_bytes())
    expected = sum(len(unit.tables) for unit in plan.work_units if unit.domain == "billing")
    assert json.loads(ran.stdout)["tables_documented"] == expected > 0


def test_an_unknown_work_unit_is_refused_with_those_that_there_are(project: Path, company_dsn: str) -> None:
    ran = tribal("document", company_dsn, "--work-unit", "nope", cwd=project)
    assert ran.returncode == 2
    assert "company_billing" in ran.stderr


def test_without_samples_no_row_is_read(tmp_path: Path, company_dsn: str) -> None:
    ran = tribal("run", company_dsn, "--no-samples", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    documents = [json.loads(path.read_bytes()) for path in tmp_path.glob("docs/*/*/*.*.json")]
    assert documents
    assert not any(document["samples_taken"] for document in documents)
    assert not any("samples" in column for document in documents for column in document["columns"])


def test_a_changed_table_is_documented_again_and_a_dropped_one_leaves_docs_and_index(
    tmp_path: Path, fresh_database: FreshDatabase
) -> None:
    dsn = fresh_database(
        "CREATE TABLE kept (id int PRIMARY KEY); CREATE TABLE changed (id int PRIMARY KEY);"
        "CREATE TABLE dropped (id int PRIMARY KEY)"
    )
    assert tribal("run", dsn, cwd=tmp_path).returncode == 0
    kept = next(tmp_path.glob("docs/**/public.kept.json"))
    before = kept.read_bytes()
    administer(dsn, "ALTER TABLE changed ADD COLUMN added_later text; DROP TABLE dropped")
    ran = tribal("run", dsn, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert "1 table" in ran.stdout
    assert kept.read_bytes() == before
    assert b"added_later" in next(tmp_path.glob("docs/**/public.changed.json")).read_bytes()
    assert list(tmp_path.glob("docs/**/public.dropped.*")) == []
    missing = tribal("table", "public.dropped", cwd=tmp_path)
    assert missing.returncode == 7


def test_a_table_that_fails_is_recorded_the_others_are_documented_and_it_can_be_retried_alone(
    tmp_path: Path, fresh_database: FreshDatabase
) -> None:
    dsn = fresh_database("CREATE TABLE stays (id int PRIMARY KEY); CREATE TABLE leaves (id int PRIMARY KEY)")
    assert tribal("plan", dsn, cwd=tmp_path).returncode == 0
    administer(dsn, "DROP TABLE leaves")
    failed = tribal("document", dsn, "--json", cwd=tmp_path)
    assert failed.returncode == 1, failed.stderr
    record = json.loads(failed.stdout)
    assert (record["status"], record["tables_documented"], record["tables_failed"]) == ("partial", 1, 1)
    assert [error["code"] for error in record["errors"]] == ["DOC_TABLE_GONE"]
    manifest = json.loads((tmp_path / "docs" / "documentation-manifest.json").read_bytes())
    assert manifest["status"] == "partial"
    assert "DOC_TABLE_GONE" in tribal("status", cwd=tmp_path).stdout
    assert tribal("index", dsn, cwd=tmp_path).returncode == 0
    assert tribal("table", "stays", cwd=tmp_path).returncode == 0
    administer(dsn, "CREATE TABLE leaves (id int PRIMARY KEY)")
    retried = tribal("document", dsn, "--retry-failed", "--json", cwd=tmp_path)
    assert retried.returncode == 0, retried.stderr
    assert json.loads(retried.stdout)["tables_documented"] == 1


def test_a_persons_words_win_and_survive(tmp_path: Path, fresh_database: FreshDatabase) -> None:
    dsn = fresh_database("CREATE TABLE thing (id int PRIMARY KEY, x1 int)")
    assert tribal("run", dsn, cwd=tmp_path).returncode == 0
    name = dsn.rpartition("/")[2]
    annotations = tmp_path / "annotations" / f"{name}.yaml"
    annotations.parent.mkdir()
    annotations.write_text(
        "tables:\n  public.thing:\n    description: Our own word.\n    columns: {x1: A secret number.}\n"
    )
    for _ in range(2):
        assert tribal("run", dsn, cwd=tmp_path).returncode == 0
    shown = answer(tmp_path, "table", "thing")["schema"]
    assert shown["description"] == "Our own word."
    assert {column["name"]: column["description"] for column in shown["columns"]}["x1"] == "A secret number."


def test_only_the_last_runs_leave_records_and_the_latest_plan_can_still_be_documented(
    tmp_path: Path, fresh_database: FreshDatabase
) -> None:
    dsn = fresh_database("CREATE TABLE t (id int PRIMARY KEY)")
    (tmp_path / "databases.yaml").write_text(f"databases: [{{name: shop, dsn: '{dsn}'}}]\nruns_kept: 2\n")
    assert tribal("plan", cwd=tmp_path).returncode == 0
    (planned,) = (path.name for path in (tmp_path / "progress/runs").iterdir() if path.is_dir())
    for _ in range(3):
        documented = tribal("document", cwd=tmp_path)
        assert documented.returncode == 0, documented.stderr
    runs = [path.name for path in (tmp_path / "progress/runs").iterdir() if path.is_dir()]
    assert len(runs) == 2
    assert planned in runs
