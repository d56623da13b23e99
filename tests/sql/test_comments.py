"""Servers and tools read the same text from a written comment; scripts are read as a server reads them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pg8000.native import Connection

from tests.capabilities.contribution.recipes.sql_texts import HOSTILE, NAMES, TEXTS
from tests.cases import each_case
from tests.plugins.postgres import FreshDatabase, connected
from tribal.sql.comments import (
    CommentKind,
    CommentTarget,
    SchemaChange,
    changes_in,
    comment_statement,
    find_difference,
)
from tribal.sql.dialect import quote_identifier
from tribal_contracts import DatabaseType

DIALECTS: tuple[DatabaseType, ...] = ("postgres", "snowflake")
TABLE = CommentTarget("TABLE", ("app", "t"))
KINDS: tuple[CommentKind, ...] = ("TABLE", "VIEW", "MATERIALIZED VIEW", "COLUMN")


def written(text: str | None, dialect: DatabaseType = "postgres", *marks: str) -> str:
    target = CommentTarget("TABLE", ("APP", "T")) if dialect == "snowflake" else TABLE
    return comment_statement(target, text, dialect, marks)


def comments_in(sql: str, dialect: DatabaseType = "postgres") -> dict[tuple[str | None, ...], str | None]:
    schema = "PUBLIC" if dialect == "snowflake" else "public"
    found = changes_in(sql, dialect, schema)
    return {(*each.relation, each.column): each.text for each in found if each.action == "comment"}


@each_case(
    "text, sql",
    [
        ("Invoices; -- 100 %", "'Invoices; -- 100 %'"),
        ("it's", "'it''s'"),
        ("C:\\", r"E'C:\\'"),
        ("two\nlines", r"E'two\nlines'"),
        ("${user}", r"E'\x24{user}'"),
        ("\x1b[31m \u202e \U000e0041", r"E'\x1B[31m \u202E \U000E0041'"),
        (None, "NULL"),
    ],
)
def test_a_text_is_escaped_only_where_it_could_be_read_differently(text: str | None, sql: str) -> None:
    assert written(text) == f"COMMENT ON TABLE app.t IS {sql};"


def test_snowflake_has_its_own_escapes_and_no_null() -> None:
    assert written("C:\\ it's \U000e0041", "snowflake") == (r"COMMENT ON TABLE APP.T IS 'C:\\ it''s \uDB40\uDC41';")
    assert written(None, "snowflake") == "COMMENT ON TABLE APP.T IS '';"


def test_names_are_quoted_where_the_server_would_change_them() -> None:
    column = CommentTarget("COLUMN", ("billing", "Order Line", 'a"b'))
    assert comment_statement(column, "x", "postgres") == """COMMENT ON COLUMN billing."Order Line"."a""b" IS 'x';"""


@each_case("text", ["a\x00b", "half \ud800"])
def test_a_text_that_no_database_stores_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="the text contains"):
        written(text)


@each_case("name", ["two\nlines", "\u202eabc", "${x}", "{{ x }}", "a;b"])
def test_a_name_that_a_tool_would_act_on_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="the name contains"):
        comment_statement(CommentTarget("TABLE", ("app", name)), "x", "postgres", (";",))


@given(TEXTS, st.lists(NAMES, min_size=2, max_size=3), st.sampled_from(DIALECTS), st.sampled_from([(), (";", "--")]))
def test_what_was_written_is_one_line_without_marks_that_parser_and_reader_understand(
    text: str, names: list[str], dialect: DatabaseType, marks: tuple[str, ...]
) -> None:
    for kind in KINDS if len(names) == 2 else KINDS[-1:]:
        if (kind == "COLUMN") != (len(names) == 3):
            continue
        target = CommentTarget(kind, tuple(names))
        statement = comment_statement(target, text, dialect, marks)
        assert len(statement.splitlines()) == 1
        literal = statement.partition(" IS ")[2].removesuffix(";")
        assert not [mark for mark in ("${", "{{", "{%", *marks) if mark in literal]
        assert find_difference(statement, target, text, dialect) is None
        column = names[2] if kind == "COLUMN" else None
        assert changes_in(statement, dialect, "") == [SchemaChange("comment", (names[0], names[1]), column, text)]


def test_a_difference_of_kind_name_or_text_is_found() -> None:
    statement = written("a\\b")
    assert find_difference(statement, TABLE, "a\\b", "postgres") is None
    assert find_difference(statement, CommentTarget("VIEW", TABLE.name), "a\\b", "postgres") is not None
    assert find_difference(statement, CommentTarget("TABLE", ("app", "T")), "a\\b", "postgres") is not None
    assert find_difference(statement, TABLE, "a\\c", "postgres") == "its text differs"
    assert find_difference(statement + statement, TABLE, "a\\b", "postgres") == "it is 2 statements"
    assert find_difference("SELECT 'a'", TABLE, "a", "postgres") == "it is not a comment"
    assert find_difference("SELECT 1", TABLE, "a", "postgres") == "it does not end with a literal"
    assert find_difference(written(None), TABLE, None, "postgres") is None


def _read_back(connection: Connection, sql: str) -> str:
    connection.run(sql)
    return str((connection.run("SELECT obj_description('app.t'::regclass)") or [[None]])[0][0])


def test_postgres_stores_the_same_text_whether_or_not_strings_conform(
    fresh_database: FreshDatabase,
) -> None:
    with connected(fresh_database("CREATE SCHEMA app; CREATE TABLE app.t (id int)")) as connection:
        for conforming in ("on", "off"):
            connection.run(f"SET standard_conforming_strings = {conforming}")
            for text in HOSTILE:
                for marks in ((), (";", "--", "%", ":")):
                    assert _read_back(connection, written(text, "postgres", *marks)) == text


def test_postgres_stores_any_text_that_is_written(fresh_database: FreshDatabase) -> None:
    with connected(fresh_database("CREATE SCHEMA app; CREATE TABLE app.t (id int)")) as connection:

        @settings(max_examples=200, deadline=None)
        @given(TEXTS)
        def stores(text: str) -> None:
            assert _read_back(connection, written(text)) == text

        stores()


LITERALS = (
    "'a''b'",
    r"'C:\new'",
    r"E'tab\tline\n\\ \' '' \x41\101\u0041\U0001F600 \xc3\xa9 \uD83D\uDE00 \q'",
    r"U&'d\0061t\+000061 \\'",
    "U&'d!0061ta' UESCAPE '!'",
    "$$it's; \\n$$",
    "$x$a $$ b$x$",
    "'one '\n  'two'",
)


def test_literals_of_postgres_are_read_as_postgres_reads_them(fresh_database: FreshDatabase) -> None:
    with connected(fresh_database("CREATE SCHEMA app; CREATE TABLE app.t (id int)")) as connection:
        for literal in LITERALS:
            sql = f"COMMENT ON TABLE app.t IS {literal}"
            assert comments_in(sql) == {("app", "t", None): _read_back(connection, sql)}, literal


@each_case(
    "literal, text",
    [(r"'a\'b\\ \x41\u0042\103\n'", "a'b\\ ABC\n"), ("$$it's \\n$$", "it's \\n"), ("''", None)],
)
def test_literals_of_snowflake_are_read(literal: str, text: str | None) -> None:
    assert comments_in(f"COMMENT IF EXISTS ON TABLE s.t IS {literal}", "snowflake") == {("S", "T", None): text}


def test_only_comments_on_tables_views_and_columns_are_read() -> None:
    script = """
    -- COMMENT ON TABLE no IS 'line';
    /* COMMENT ON TABLE no IS 'block'; /* nested */ COMMENT ON TABLE no IS 'x'; */
    SELECT 'COMMENT ON TABLE no IS ''literal'';';
    CREATE FUNCTION f() RETURNS void AS $f$ BEGIN COMMENT ON TABLE no IS 'body'; END $f$ LANGUAGE plpgsql;
    COMMENT ON FUNCTION f() IS 'function'; COMMENT ON SCHEMA s IS 'schema'; COMMENT ON TABLE;
    COMMENT ON COLUMN c IS 'x';
    COMMENT ON TABLE T1 IS 'one'; comment on view "V 1" is 'two'; COMMENT ON MATERIALIZED VIEW db.s.m IS 'three';
    COMMENT ON COLUMN s.t."C" IS 'four'; COMMENT ON COLUMN t.c IS NULL; COMMENT ON FOREIGN TABLE ft IS 'five'
    """
    assert comments_in(script) == {
        ("public", "t1", None): "one",
        ("public", "V 1", None): "two",
        ("s", "m", None): "three",
        ("s", "t", "C"): "four",
        ("public", "t", "c"): None,
        ("public", "ft", None): "five",
    }


def test_rows_of_copy_and_commands_of_psql_hide_nothing() -> None:
    script = (
        "\\connect other\nCOPY app.t (a) FROM stdin;\nit's COMMENT ON TABLE no IS 'row';\n\\.\n"
        "\\echo done\nCOMMENT ON TABLE app.t IS 'yes';"
    )
    assert [(each.relation, each.text, each.line) for each in changes_in(script, "postgres", "public")] == [
        (("app", "t"), "yes", 6)
    ]


def test_the_schema_of_unqualified_names_follows_the_search_path() -> None:
    script = """
    CREATE TABLE a (); SET search_path TO "$user", App, public; CREATE TABLE b (); SET search_path = 's'; DROP VIEW c
    """
    assert [each.relation for each in changes_in(script, "postgres", "public")] == [
        ("public", "a"),
        ("app", "b"),
        ("s", "c"),
    ]
    script = "USE ROLE x; create table a (i int); USE SCHEMA db.s; create table b (i int); USE db.r; drop table c"
    assert [each.relation for each in changes_in(script, "snowflake", "PUBLIC")] == [
        ("PUBLIC", "A"),
        ("S", "B"),
        ("R", "C"),
    ]


@each_case(
    "sql, change",
    [
        ("CREATE UNLOGGED TABLE IF NOT EXISTS s.t (id int)", ("create", ("s", "t"))),
        ("CREATE OR REPLACE RECURSIVE VIEW v AS SELECT 1", ("create", ("public", "v"))),
        ("CREATE MATERIALIZED VIEW IF NOT EXISTS m AS SELECT 1", ("create", ("public", "m"))),
        ("DROP MATERIALIZED VIEW IF EXISTS m CASCADE", ("drop", ("public", "m"))),
    ],
)
def test_relations_are_created_and_dropped(sql: str, change: tuple[str, tuple[str, str]]) -> None:
    assert [each[:2] for each in changes_in(sql, "postgres", "public")] == [change]


@each_case(
    "sql", ["CREATE TEMP TABLE t (id int)", "CREATE GLOBAL TEMPORARY TABLE t (id int)", "CREATE INDEX i ON t (id)"]
)
def test_temporary_tables_and_other_objects_are_not_created(sql: str) -> None:
    assert changes_in(sql, "postgres", "public") == []


def test_renames_and_dropped_columns_are_read() -> None:
    script = """
    ALTER TABLE IF EXISTS ONLY s.a RENAME TO b; ALTER VIEW v SET SCHEMA s; ALTER TABLE t RENAME COLUMN c TO "D";
    ALTER TABLE t RENAME CONSTRAINT k TO l; ALTER TABLE t DROP CONSTRAINT k, ALTER c DROP NOT NULL;
    ALTER TABLE t ADD COLUMN n numeric(4, 2), DROP COLUMN IF EXISTS c CASCADE
    """
    t = ("public", "t")
    assert changes_in(script, "postgres", "public") == [
        SchemaChange("rename", ("s", "a"), new_relation=("s", "b"), line=2),
        SchemaChange("rename", ("public", "v"), new_relation=("s", "v"), line=2),
        SchemaChange("rename", t, "c", new_column="D", line=2),
        SchemaChange("drop", t, "c", line=4),
    ]


def test_inline_comments_of_snowflake_are_read() -> None:
    script = """
    CREATE TRANSIENT TABLE s.t (
        a NUMBER(10, 2) NOT NULL COMMENT 'first', "b" VARCHAR COMMENT $$sec'ond$$, PRIMARY KEY (a) COMMENT 'no'
    ) CLUSTER BY (a) COMMENT = 'table';
    CREATE VIEW s.v (x COMMENT 'column') COMMENT = 'view' AS SELECT 'y' AS comment;
    ALTER TABLE s.u SET COMMENT = 'set'; ALTER TABLE s.u MODIFY COLUMN c COMMENT 'modified';
    """
    assert comments_in(script, "snowflake") == {
        ("S", "T", "A"): "first",
        ("S", "T", "b"): "sec'ond",
        ("S", "T", None): "table",
        ("S", "V", "X"): "column",
        ("S", "V", None): "view",
        ("S", "U", None): "set",
        ("S", "U", "C"): "modified",
    }


@given(st.text(st.sampled_from("COMENT NIS'\\$x.;(),\"\n-/*UuEe&"), max_size=60), st.sampled_from(DIALECTS))
def test_any_script_is_read_without_an_error(script: str, dialect: DatabaseType) -> None:
    for start in ("", "COMMENT ON TABLE t IS ", "CREATE TABLE t (", "ALTER TABLE t ", "SET search_path "):
        changes_in(start + script, dialect, "public")


@given(NAMES)
def test_quoted_names_are_read_back(name: str) -> None:
    for dialect in DIALECTS:
        sql = f"CREATE TABLE {quote_identifier(name, dialect)}.t ()"
        assert [each.relation[0] for each in changes_in(sql, dialect, "x")][-1] == name


@each_case(
    "piece",
    [
        "COMMENT ON TABLE t IS 'x' ",
        "COPY t FROM stdin;\n",
        "COPY FROM STDIN ",
        "E'\\",
        "$a$ ",
        "((",
        "COPY ",
        "/*",
        "U&'",
    ],
)
def test_long_scripts_are_read_in_linear_time(piece: str) -> None:
    changes_in(piece * 30_000, "postgres", "public")
