"""One object that the server cannot render costs itself, not the database."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.edges.cli.tribal_command import tribal
from tests.plugins.postgres import FreshDatabase, OpenCatalog, connected
from tribal.adapters.postgres import texts
from tribal.adapters.postgres.queries import TEXT_KINDS
from tribal.ports import BrokenTexts

# Dropping what an object needs, without what depends on it: the catalog forgets that anything does.
BROKEN_VIEW = """
CREATE TABLE keep (id int PRIMARY KEY, name text DEFAULT 'x'); CREATE TABLE gone (id int, z int);
CREATE VIEW v_whole AS SELECT id FROM keep; CREATE VIEW v_broken AS SELECT id, z FROM gone;
DELETE FROM pg_depend WHERE refobjid = 'gone'::regclass AND classid = 'pg_rewrite'::regclass; DROP TABLE gone;
"""
BROKEN_FUNCTION = """
CREATE FUNCTION f(int) RETURNS int IMMUTABLE LANGUAGE sql AS 'SELECT $1';
CREATE DOMAIN positive AS int CONSTRAINT is_positive CHECK (f(VALUE) > 0);
CREATE TABLE holed (a int DEFAULT f(1), b int DEFAULT 2, c positive, CONSTRAINT c1 CHECK (f(b) > 0), CHECK (b > 0));
CREATE INDEX holed_f ON holed (f(a)); CREATE INDEX holed_b ON holed ((b + 1));
CREATE TABLE keep (id int PRIMARY KEY DEFAULT 7, n int CHECK (n > 0));
DELETE FROM pg_depend WHERE refobjid = 'f(int)'::regprocedure; DROP FUNCTION f(int);
"""


def test_a_broken_view_is_named_and_everything_else_is_read(
    fresh_database: FreshDatabase, open_catalog: OpenCatalog
) -> None:
    contents = open_catalog(fresh_database(BROKEN_VIEW)).read()
    keep, broken, whole = contents.tables
    assert keep.columns[1].default_value == "'x'::text"
    assert whole.view_definition == "SELECT id\n   FROM public.keep"
    assert [column.name for column in broken.columns] == ["id", "z"]
    assert broken.view_definition == "-- (not read: the server cannot render it, SQLSTATE XX000)"
    assert contents.broken == (BrokenTexts("public", "v_broken", ("the definition",), "XX000"),)
    assert contents.changed == contents.locked == frozenset()


def test_of_a_table_whose_function_is_missing_all_other_texts_are_read(
    fresh_database: FreshDatabase, open_catalog: OpenCatalog
) -> None:
    contents = open_catalog(fresh_database(BROKEN_FUNCTION)).read()
    holed, keep = contents.tables
    assert keep.columns[0].default_value == "7"
    assert [check.expression for check in keep.checks] == ["(n > 0)"]
    (found,) = contents.broken
    assert (found.table, found.sqlstate) == ("holed", "XX000")
    assert set(found.texts) >= {"the default of 'a'", "check 'c1'", "check 'c: is_positive'", "index 'holed_f'"}
    assert len(holed.columns) == 3


def test_the_search_for_broken_objects_has_a_limit_beyond_which_texts_are_not_read(
    fresh_database: FreshDatabase, open_catalog: OpenCatalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(texts, "MOST_STATEMENTS", 3)
    contents = open_catalog(fresh_database(BROKEN_VIEW)).read()
    assert {table.table_name for table in contents.tables} == {"keep", "v_whole", "v_broken"}
    assert "v_broken" in {each.table for each in contents.broken}
    assert "not asked for" in {each.sqlstate for each in contents.broken}


def test_the_search_takes_a_few_statements_for_each_broken_object(
    fresh_database: FreshDatabase, open_catalog: OpenCatalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = "; ".join(f"CREATE VIEW w{number} AS SELECT {number} AS n" for number in range(500))
    # All, both halves of 503 objects nine times, and each kind of text of the one that is left.
    monkeypatch.setattr(texts, "MOST_STATEMENTS", 1 + 2 * 9 + len(TEXT_KINDS))
    contents = open_catalog(fresh_database(f"{BROKEN_VIEW}; {many}")).read()
    assert [each.table for each in contents.broken] == ["v_broken"]


def test_check_finds_a_broken_view_before_a_run_and_excluding_it_ends_every_warning(
    tmp_path: Path, fresh_database: FreshDatabase
) -> None:
    dsn = fresh_database(BROKEN_VIEW)
    configuration = tmp_path / "databases.yaml"
    configuration.write_text(f"databases: [{{name: shop, dsn: '{dsn}'}}]")
    checked = tribal("check", cwd=tmp_path)
    assert checked.returncode == 1
    assert "the definition of 'public.v_broken' (SQLSTATE XX000)" in checked.stdout
    ran = tribal("run", "--json", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    record = json.loads(ran.stdout)
    assert (record["tables_documented"], record["tables_failed"]) == (3, 0)
    (error,) = [error for error in record["errors"] if error["code"] == "PLAN_DEFINITION_BROKEN"]
    assert "'public.v_broken'" in error["message"]
    assert "exclude: {tables: [public.v_broken]}" in error["message"]

    configuration.write_text(f"databases: [{{name: shop, dsn: '{dsn}', exclude: {{tables: [v_broken]}}}}]")
    assert tribal("check", cwd=tmp_path).returncode == 0
    ran = tribal("run", "--json", cwd=tmp_path)
    assert (ran.returncode, json.loads(ran.stdout)["errors"]) == (0, [])


def test_a_lock_next_to_a_broken_view_costs_the_locked_table_its_texts_and_no_other(
    fresh_database: FreshDatabase, open_catalog: OpenCatalog
) -> None:
    dsn = fresh_database(f"{BROKEN_VIEW} CREATE TABLE busy (id int CHECK (id > 0))")
    with connected(dsn) as other:
        other.run("BEGIN")
        other.run("LOCK TABLE busy IN ACCESS EXCLUSIVE MODE")
        contents = open_catalog(dsn, lock_timeout_seconds=0.1).read()
    assert contents.locked == {("public", "busy")}
    assert [each.table for each in contents.broken] == ["v_broken"]
    assert "FROM public.keep" in str(contents.tables[-1].view_definition)
