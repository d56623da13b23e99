"""Locks and missing grants, through the real command: reported, and no document suffers for long."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.edges.cli.tribal_command import contents, tribal
from tests.plugins.postgres import FreshDatabase, administer, connected, login, unique_name

EPOCH = "1767225600"
# What names the plan, and the plan names its warnings.
VOLATILE = ("progress/", "data/", "docs/documentation-manifest.json", ".tribal/")
SHOP = """
CREATE TABLE held (
  id int PRIMARY KEY, v int DEFAULT 1, doubled int GENERATED ALWAYS AS (v * 2) STORED, CONSTRAINT c CHECK (v > 0));
CREATE INDEX held_next ON held ((v + 1)) WHERE v > 10;
CREATE VIEW of_held AS SELECT id, v FROM held WHERE v > 1;
CREATE TABLE free (id int PRIMARY KEY, held_id int REFERENCES held, CHECK (id > 0));
INSERT INTO held (id) SELECT generate_series(1, 5);
"""


def configure(folder: Path, dsn: str) -> None:
    limits = "limits: {lock_timeout_seconds: 0.3, sample_timeout_seconds: 1}"
    (folder / "databases.yaml").write_text(f"databases:\n  - {{name: shop, dsn: '{dsn}', {limits}}}\n")


@contextmanager
def locked(dsn: str, table: str) -> Iterator[None]:
    with connected(dsn) as other:
        other.run(f"BEGIN; LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
        yield
        other.run("ROLLBACK")


@contextmanager
def a_new_role(dsn: str) -> Iterator[str]:
    role = unique_name("nobody")
    administer(dsn, f"CREATE ROLE {role} LOGIN PASSWORD 'pw'")
    try:
        yield role
    finally:
        administer(dsn, f"DROP OWNED BY {role}; DROP ROLE {role}")


def codes(output: str) -> list[str]:
    return [error["code"] for error in json.loads(output)["errors"]]


def test_a_lock_held_during_a_whole_run_is_reported_and_changes_no_document(
    tmp_path: Path, fresh_database: FreshDatabase
) -> None:
    dsn = fresh_database(SHOP)
    configure(tmp_path, dsn)
    assert tribal("run", cwd=tmp_path, SOURCE_DATE_EPOCH=EPOCH).returncode == 0
    before = contents(tmp_path, *VOLATILE)
    with locked(dsn, "held"):
        ran = tribal("run", "--json", cwd=tmp_path, SOURCE_DATE_EPOCH=EPOCH)
    assert ran.returncode == 0, ran.stderr
    record = json.loads(ran.stdout)
    assert (record["tables_documented"], record["tables_unchanged"]) == (0, 3)
    assert codes(ran.stdout) == ["PLAN_TABLE_LOCKED", "PLAN_TABLE_LOCKED"]
    assert "'public.held'" in record["errors"][0]["message"]
    assert contents(tmp_path, *VOLATILE) == before


def test_what_changed_next_to_a_locked_table_is_documented_and_the_table_itself_when_the_lock_is_gone(
    tmp_path: Path, fresh_database: FreshDatabase
) -> None:
    dsn = fresh_database(SHOP)
    configure(tmp_path, dsn)
    assert tribal("run", cwd=tmp_path, SOURCE_DATE_EPOCH=EPOCH).returncode == 0
    administer(dsn, "COMMENT ON TABLE held IS 'Held by somebody.'; COMMENT ON TABLE free IS 'Free for all.'")
    with locked(dsn, "held"):
        during = tribal("run", "--json", cwd=tmp_path, SOURCE_DATE_EPOCH=EPOCH)
    assert during.returncode == 0, during.stderr
    pages = {path.name: path for path in tmp_path.glob("docs/shop/*/public.*.md")}
    assert "Free for all." in pages["public.free.md"].read_text()
    assert "Held by somebody." not in pages["public.held.md"].read_text()
    after = tribal("run", "--json", cwd=tmp_path, SOURCE_DATE_EPOCH=EPOCH)
    assert codes(after.stdout) == []
    assert "Held by somebody." in pages["public.held.md"].read_text()


def test_a_table_that_is_locked_when_it_is_read_first_is_documented_as_far_as_it_can_be_read(
    tmp_path: Path, fresh_database: FreshDatabase
) -> None:
    dsn = fresh_database(SHOP)
    configure(tmp_path, dsn)
    with locked(dsn, "held"):
        first = tribal("run", "--json", cwd=tmp_path, SOURCE_DATE_EPOCH=EPOCH)
    assert first.returncode == 0, first.stderr
    assert set(codes(first.stdout)) == {"PLAN_TABLE_LOCKED", "DOC_SAMPLING_TIMEOUT"}
    (page,) = tmp_path.glob("docs/shop/*/public.held.md")
    assert "not read: the table was locked" in page.read_text()
    assert tribal("run", cwd=tmp_path, SOURCE_DATE_EPOCH=EPOCH).returncode == 0
    assert "not read" not in page.read_text()
    assert "(v > 0)" in page.read_text()


def test_a_role_that_may_select_from_nothing_gets_documents_without_samples_and_the_grants_that_it_lacks(
    tmp_path: Path, fresh_database: FreshDatabase
) -> None:
    dsn = fresh_database(SHOP)
    with a_new_role(dsn) as role:
        ran = tribal("run", login(dsn, role, "pw"), "--json", cwd=tmp_path)
        assert "Traceback" not in ran.stderr
        assert json.loads(ran.stdout)["tables_failed"] == 0, ran.stdout
        documents = [json.loads(path.read_bytes()) for path in tmp_path.glob("docs/*/*/public.*.json")]
        assert sorted(document["table"] for document in documents) == ["free", "held", "of_held"]
        assert not any(document["samples_taken"] for document in documents if document["kind"] == "table")
        check = tribal("check", login(dsn, role, "pw"), cwd=tmp_path)
        assert check.returncode == 1
        assert f"TO {role};" in check.stdout


def test_a_role_that_may_use_no_schema_is_reported_and_nothing_is_overwritten(
    tmp_path: Path, fresh_database: FreshDatabase
) -> None:
    dsn = fresh_database(SHOP + "REVOKE ALL ON SCHEMA public FROM PUBLIC")
    configure(tmp_path, dsn)
    assert tribal("run", cwd=tmp_path, SOURCE_DATE_EPOCH=EPOCH).returncode == 0
    before = contents(tmp_path / "docs")
    with a_new_role(dsn) as role:
        configure(tmp_path, login(dsn, role, "pw"))
        ran = tribal("run", cwd=tmp_path, SOURCE_DATE_EPOCH=EPOCH)
    assert ran.returncode == 6, ran.stderr
    assert "'public'" in ran.stderr
    assert contents(tmp_path / "docs") == before
