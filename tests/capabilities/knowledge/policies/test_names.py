"""What files name in SQL."""

from __future__ import annotations

from tests.cases import each_case
from tribal.capabilities.knowledge.policies.collecting import named, suffixes
from tribal.capabilities.knowledge.policies.evidence import CollectedNames
from tribal.sql.statements import references_in


def names_in(sql: str, dialect: str = "postgres", file: str | None = None) -> tuple[CollectedNames, CollectedNames]:
    return named(references_in(sql, dialect), file, suffixes)


@each_case(
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


@each_case(
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


@each_case("sql", ["SELECT (" * 2_000, "\\copy t from x", "SELECT 'open", "MAKE TABLE t"])
def test_sql_that_is_not_understood_is_reported(sql: str) -> None:
    found, _ = names_in(sql)
    assert found.unread
    assert not found.named


def test_snowflake_folds_its_names_upwards() -> None:
    assert [each.name for each in names_in("select * from Sales.Orders", "snowflake")[0].named] == ["SALES.ORDERS"]
