"""What files depend on and name in SQL."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tribal.capabilities.knowledge.policies.collecting import named, suffixes
from tribal.capabilities.knowledge.policies.dependencies import dependencies_of
from tribal.capabilities.knowledge.policies.evidence import CollectedNames, SourceFile
from tribal.sql.statements import references_in

PACKAGE = {"dependencies": {"pg": "^8", "db": "npm:mysql2@^3"}, "devDependencies": {"@types/node": "20"}}
LOCK: dict[str, Any] = {"packages": {"": {}, "node_modules/pg": {}, "node_modules/a/node_modules/@b/c": {}}}
OLD_LOCK: dict[str, Any] = {"dependencies": {"pg": {"dependencies": {"pg-types": {}}}}}
PYPROJECT = """
[build-system]
requires = ["hatchling>=1"]
[project]
dependencies = ["Flask[async]>=2", "psycopg ; python_version > '3'"]
[project.optional-dependencies]
aws = ["boto3"]
[dependency-groups]
dev = ["pytest", {include-group = "other"}]
[tool.poetry.dependencies]
python = "^3.11"
requests = "*"
[tool.poetry.group.dev.dependencies]
black = "*"
"""
REQUIREMENTS = """# comment
-r other.txt
--hash=sha256:aa
Flask==2.0 ; python_version > "3"  # why
zope.interface>=5 \\
    --hash=sha256:bb
git+https://example.org/x.git#egg=own
./local
"""
YARN = (
    '"@babel/core@^7.0.0", "@babel/core@^7.1.0":\n  version "7"\n\nlodash@^4:\n  version "4"\n"left@npm:1":\n  v: 1\n'
)
PNPM = (
    "lockfileVersion: '9.0'\n\npackages:\n\n  '@babel/core@7.0.0':\n    resolution: {}\n  lodash@4.17.21:\n    x: {}\n"
)


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("web/package.json", json.dumps(PACKAGE), ["pg", "db", "mysql2", "@types/node"]),
        ("package-lock.json", json.dumps(LOCK), ["pg", "@b/c"]),
        ("npm-shrinkwrap.json", json.dumps(OLD_LOCK), ["pg", "pg-types"]),
        ("pyproject.toml", PYPROJECT, ["hatchling", "Flask", "psycopg", "boto3", "pytest", "requests", "black"]),
        ("requirements-dev.txt", REQUIREMENTS, ["Flask", "zope.interface", "own"]),
        ("poetry.lock", '[[package]]\nname = "attrs"\n', ["attrs"]),
        ("uv.lock", 'version = 1\n[[package]]\nname = "anyio"\n', ["anyio"]),
        ("Pipfile", '[packages]\nrequests = "*"\n', ["requests"]),
        ("Pipfile.lock", '{"default": {"requests": {}}, "develop": {"pytest": {}}}', ["requests", "pytest"]),
        ("yarn.lock", YARN, ["@babel/core", "lodash", "left"]),
        ("pnpm-lock.yaml", PNPM, ["@babel/core", "lodash"]),
        ("settings.toml", '[project]\ndependencies = ["no"]\n', []),
    ],
)
def test_dependencies_are_read_of_what_package_managers_write(path: str, text: str, expected: list[str]) -> None:
    found = dependencies_of(SourceFile(path, text))
    assert [each.name for each in found.named] == expected
    assert not found.unread


def test_a_dependency_is_named_as_indexes_of_packages_normalize_it_and_has_its_line() -> None:
    first, second = dependencies_of(SourceFile("requirements.txt", "Zope.Interface\nruamel_yaml==1\n")).named
    assert (first.spellings, first.line) == (("Zope.Interface", "zope-interface"), 1)
    assert (second.spellings, second.line) == (("ruamel_yaml", "ruamel-yaml"), 2)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("package.json", "{"),
        ("package.json", "[]"),
        ("package.json", '{"dependencies": 5}'),
        ("pyproject.toml", "= 1"),
        ("pyproject.toml", "project = 3"),
        ("uv.lock", "[[package]]\nversion = 1\n"),
        ("pnpm-lock.yaml", "lockfileVersion: 5.4\n"),
        ("package.json", '{"a":' * 5_000),
    ],
)
def test_a_file_of_dependencies_that_is_damaged_is_reported(path: str, text: str) -> None:
    found = dependencies_of(SourceFile(path, text))
    assert [(each.file, each.targets) for each in found.unread] == [(path, frozenset({"dependency"}))]


def names_in(sql: str, dialect: str = "postgres", file: str | None = None) -> tuple[CollectedNames, CollectedNames]:
    return named(references_in(sql, dialect), file, suffixes)


@pytest.mark.parametrize(
    ("sql", "tables"),
    [
        ("SELECT * FROM a JOIN s.b USING (x)", ["a", "s.b"]),
        ("WITH a AS (SELECT * FROM b) SELECT * FROM a", ["b"]),
        ("WITH a AS (SELECT * FROM a) SELECT * FROM a", ["a"]),
        ("WITH a AS (SELECT 1), b AS (SELECT * FROM a) SELECT * FROM b, c", ["c"]),
        ("WITH b AS (SELECT * FROM a), a AS (SELECT 1) SELECT * FROM b, a", ["a"]),
        ("WITH RECURSIVE a AS (SELECT 1 UNION ALL SELECT * FROM a) SELECT * FROM a", []),
        ("SELECT * FROM (WITH a AS (SELECT 1) SELECT * FROM a) x, a", ["a"]),
        ("WITH a AS (SELECT 1) SELECT * FROM s.a", ["s.a"]),
        ("SELECT * FROM x WHERE EXISTS (SELECT 1 FROM y)", ["x", "y"]),
        ("INSERT INTO a (x) SELECT x FROM b", ["a", "b"]),
        ("UPDATE a SET x = 1 FROM b WHERE a.y = b.y", ["a", "b"]),
        ("DELETE FROM a USING b", ["a", "b"]),
        ("CREATE TABLE s.a (id int REFERENCES b (id))", ["s.a", "b"]),
        ("CREATE VIEW v AS SELECT * FROM a", ["v", "a"]),
        ("DROP TABLE IF EXISTS a", ["a"]),
        ("ALTER TABLE a ADD COLUMN x int", ["a"]),
        ("CREATE INDEX i ON a (x)", ["a"]),
        ("CREATE SCHEMA s", []),
        ("SELECT * FROM generate_series(1, 2) AS g", []),
        ("SELECT 'FROM a' -- FROM b\n", []),
        ('SELECT * FROM "Odd"."Name" o', ["Odd.Name"]),
        ("SELECT * FROM Folded", ["folded"]),
        ("GRANT ALL ON a TO b", ["a"]),
        ("BEGIN; SELECT 1 FROM a; COMMIT;", ["a"]),
        ("", []),
    ],
)
def test_the_tables_that_sql_names(sql: str, tables: list[str]) -> None:
    found, _ = names_in(sql)
    assert sorted({each.name for each in found.named}) == sorted(tables)
    assert not found.unread


@pytest.mark.parametrize(
    ("sql", "columns"),
    [
        ("SELECT x FROM s.a", ["s.a.x"]),
        ("SELECT o.x, p.y FROM a o JOIN b p ON o.id = p.id", ["a.x", "b.y", "a.id", "b.id"]),
        ("SELECT x FROM a, b", ["x"]),
        ("SELECT c.x FROM (SELECT x FROM a) c", ["x", "a.x"]),
        ("SELECT sum(x) AS total FROM a ORDER BY total", ["a.x"]),
        ("CREATE TABLE a (id int, NetCents int)", ["a.id", "a.netcents"]),
        ("UPDATE a SET x = 1", ["a.x"]),
        ("SELECT * FROM a", []),
    ],
)
def test_the_columns_that_sql_names(sql: str, columns: list[str]) -> None:
    assert sorted({each.name for each in names_in(sql)[1].named}) == sorted(columns)


def test_lines_are_those_of_the_file_and_what_cannot_be_parsed_hides_nothing_else() -> None:
    text = "SELECT 1 FROM a;\n\nSELECT FROM WHERE (;\nSELECT 1\nFROM b;\n"
    found, _ = names_in(text, file="q.sql")
    assert [(each.name, each.line) for each in found.named] == [("a", 1), ("b", 5)]
    assert [(each.file, each.line) for each in found.unread] == [("q.sql", 3)]


@pytest.mark.parametrize("sql", ["SELECT (" * 2_000, "\\copy t from x", "SELECT 'open", "MAKE TABLE t"])
def test_sql_that_is_not_understood_is_reported(sql: str) -> None:
    found, _ = names_in(sql)
    assert found.unread
    assert not found.named


def test_snowflake_folds_its_names_upwards() -> None:
    assert [each.name for each in names_in("select * from Sales.Orders", "snowflake")[0].named] == ["SALES.ORDERS"]
