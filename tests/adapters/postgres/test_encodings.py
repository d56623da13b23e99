"""Text in any encoding: what is not text costs itself, and neither the table nor the database."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.edges.cli.tribal_command import tribal
from tests.plugins.postgres import OpenCatalog, administer, unique_name
from tribal.adapters.postgres.catalog import PostgresCatalog
from tribal_demo.server.postgres import EmbeddedServer

EncodedDatabase = Callable[[str, str], str]


@pytest.fixture
def encoded_database(postgres_server: EmbeddedServer) -> Iterator[EncodedDatabase]:
    """Makes databases of an encoding and returns their DSN; `~XX` in the SQL is a byte."""
    with ExitStack() as databases:

        def make(encoding: str, sql: str) -> str:
            name = unique_name("encoded")
            kind = f"ENCODING '{encoding}' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0"
            administer(postgres_server.dsn(), f"CREATE DATABASE {name} {kind}")
            databases.callback(administer, postgres_server.dsn(), f"DROP DATABASE {name} WITH (FORCE)")
            for statement in sql.split(";\n"):
                # Only a string constant with escapes can carry any byte over a connection in UTF-8.
                text = statement.replace("\\", "\\\\").replace("'", "''").replace("~", "\\x")
                administer(postgres_server.dsn(name), f"DO $do$ BEGIN EXECUTE E'{text}'; END $do$")
            return postgres_server.dsn(name)

        yield make


BYTES = """\
CREATE TYPE mood AS ENUM ('fr~f6hlich', 'gut');
CREATE TABLE plain (id int PRIMARY KEY, note text DEFAULT 'K~f6ln', "gr~f6sse" int, feeling mood);
COMMENT ON TABLE plain IS '~e9t~e9 of customers';
COMMENT ON COLUMN plain.note IS 'any ~ff note';
CREATE TABLE child (plain_id int REFERENCES plain, CHECK (plain_id::text <> 'M~fcller'));
COMMENT ON TABLE child IS 'Caf~c3~a9';
CREATE TABLE "t~fcr" (id int, plain_id int REFERENCES plain);
CREATE INDEX ON plain ("gr~f6sse");
CREATE VIEW seen AS SELECT id, 'Stra~dfe' AS kind FROM plain;
INSERT INTO plain VALUES (1, 'B~e4r', 7, 'gut'), (2, 'Caf~c3~a9', 8, 'fr~f6hlich')"""


@pytest.fixture
def catalog(encoded_database: EncodedDatabase, open_catalog: OpenCatalog) -> PostgresCatalog:
    return open_catalog(encoded_database("SQL_ASCII", BYTES))


def test_an_invalid_byte_costs_its_text_and_nothing_else(catalog: PostgresCatalog) -> None:
    contents = catalog.read()
    tables = {table.table_name: table for table in contents.tables}
    assert set(tables) == {"plain", "child", "seen"}
    plain = tables["plain"]
    assert plain.comment == "\ufffdt\ufffd of customers"
    assert tables["child"].comment == "Café"
    assert [(column.name, column.comment) for column in plain.columns] == [
        ("id", None),
        ("note", "any \ufffd note"),
        ("feeling", None),
    ]
    assert plain.columns[1].default_value == "'K\ufffdln'::text"
    assert plain.columns[2].enum_values == ["fr\ufffdhlich", "gut"]
    assert "'M\ufffdller'" in tables["child"].checks[0].expression
    assert "Stra\ufffde" in str(tables["seen"].view_definition)
    assert [key.references_table for key in tables["child"].foreign_keys] == ["plain"]
    assert [index.columns for index in plain.indexes] == [["id"]]
    assert {"the comment on public.plain", "the comment on public.plain.note"} <= set(contents.unreadable_texts)
    assert any(place.startswith("the name of a table") for place in contents.unreadable_texts)
    contents.tables[0].to_json()


def test_samples_and_presence_work_next_to_such_bytes(catalog: PostgresCatalog) -> None:
    tables = {table.table_name: table for table in catalog.read().tables}
    sample = catalog.sample(tables["plain"], 5)
    assert sample.rows == (("1", "B\ufffdr", "gut"), ("2", "Café", "fr\ufffdhlich"))
    assert catalog.presence([("public", "plain"), ("public", "Café"), ("public", "tür")]) == {
        ("public", "plain"): "present",
        ("public", "Café"): "gone",
        ("public", "tür"): "gone",
    }
    report = catalog.access()
    assert report.tables_total == 4
    str(report).encode()


def test_a_connection_is_read_in_utf8_again_in_a_database_that_has_an_encoding(
    encoded_database: EncodedDatabase, open_catalog: OpenCatalog
) -> None:
    sql = """CREATE TABLE "t~fcr" ("gr~f6sse" text);
COMMENT ON TABLE "t~fcr" IS '~e9t~e9';
INSERT INTO "t~fcr" VALUES ('~df')"""
    catalog = open_catalog(encoded_database("LATIN1", sql))
    (table,) = catalog.read().tables
    assert (table.table_name, table.comment, table.columns[0].name) == ("tür", "été", "grösse")
    assert catalog.sample(table, 1).rows == (("ß",),)
    assert catalog.presence([("public", "tür")]) == {("public", "tür"): "present"}
    assert catalog.read().unreadable_texts == ()


UNDEFINED = """\
CREATE TABLE good (id int PRIMARY KEY, note text DEFAULT 'gr~81');
COMMENT ON TABLE good IS 'bad byte ~81, caf~e9';
CREATE TABLE "t~fcr" (id int PRIMARY KEY, note text);
CREATE TABLE "x~81" (id int);
CREATE VIEW seen AS SELECT id, 'Stra~dfe ~81' AS kind FROM good;
INSERT INTO good VALUES (1, 'B~e4r ~81');
INSERT INTO "t~fcr" VALUES (1, 'B~e4r ~81')"""


def test_a_byte_that_the_encoding_of_the_database_does_not_define_costs_itself(
    encoded_database: EncodedDatabase, open_catalog: OpenCatalog
) -> None:
    catalog = open_catalog(encoded_database("WIN1252", UNDEFINED))
    contents = catalog.read()
    good, seen, other = contents.tables
    assert (good.comment, good.columns[1].default_value) == ("bad byte \ufffd, café", "'gr\ufffd'::text")
    assert "'Straße \ufffd'" in str(seen.view_definition)
    assert other.table_name == "tür"
    assert {"the comment on public.good", "the name of a table ('x\ufffd')"} <= set(contents.unreadable_texts)
    assert catalog.sample(other, 1).rows == (("1", "Bär \ufffd"),)
    assert catalog.presence([("public", "tür")]) == {("public", "tür"): "present"}
    assert catalog.access().tables_total == 4


@pytest.mark.parametrize(("encoding", "undefined"), [("ISO_8859_8", "~fb"), ("WIN1255", "~d9"), ("EUC_JP", "~a9~a1")])
def test_a_character_that_has_no_equivalent_in_unicode_costs_itself_in_any_encoding(
    encoding: str, undefined: str, encoded_database: EncodedDatabase, open_catalog: OpenCatalog
) -> None:
    sql = f"CREATE TABLE good (id int);\nCOMMENT ON TABLE good IS 'bad {undefined}.'"
    (table,) = open_catalog(encoded_database(encoding, sql)).read().tables
    assert str(table.comment).replace("\ufffd\ufffd", "\ufffd") == "bad \ufffd."


def test_samples_of_several_tables_at_once_are_taken_next_to_such_bytes(
    encoded_database: EncodedDatabase, open_catalog: OpenCatalog
) -> None:
    dsn = encoded_database("WIN1252", UNDEFINED)
    tables = [table for table in open_catalog(dsn).read().tables if table.kind == "table"] * 4
    fresh = open_catalog(dsn, connections=4)
    with ThreadPoolExecutor(8) as pool:
        samples = set(pool.map(lambda table: fresh.sample(table, 1).rows, tables))
    assert samples == {(("1", "Bär \ufffd"),)}


def test_a_run_shows_the_one_comment_with_a_byte_that_its_encoding_does_not_define(
    encoded_database: EncodedDatabase, tmp_path: Path
) -> None:
    sql = """CREATE TABLE good (id int PRIMARY KEY);
COMMENT ON TABLE good IS 'bad byte ~81';
CREATE TABLE other (id int PRIMARY KEY)"""
    ran = tribal("run", "--json", encoded_database("WIN1252", sql), cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    record = json.loads(ran.stdout)
    assert record["tables_documented"] == 2
    (error,) = record["errors"]
    assert (error["code"], "the comment on public.good" in error["message"]) == ("PLAN_TEXT_UNREADABLE", True)
    (page,) = (tmp_path / "docs").rglob("public.good.md")
    assert "bad byte \ufffd" in page.read_text("utf-8")


def test_a_run_documents_the_rest_and_says_what_was_left_out(encoded_database: EncodedDatabase, tmp_path: Path) -> None:
    ran = tribal("run", "--json", encoded_database("SQL_ASCII", BYTES), cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    record = json.loads(ran.stdout)
    assert record["tables_documented"] == 3
    (error,) = record["errors"]
    assert error["code"] == "PLAN_TEXT_UNREADABLE"
    assert "the comment on public.plain" in error["message"]
    for page in (tmp_path / "docs").rglob("*.md"):
        page.read_text("utf-8")
