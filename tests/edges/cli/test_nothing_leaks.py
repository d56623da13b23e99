"""Planted values of every class: none reaches store, index, output or errors."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.edges.cli.planted_values import WITH_PATTERN, WITHOUT_PATTERN
from tests.edges.cli.tribal_command import tribal
from tests.plugins.postgres import FreshDatabase, administer, login, new_database, unique_name
from tribal_demo.server.postgres import EmbeddedServer

pytestmark = pytest.mark.xdist_group("nothing-leaks")

PLANTED = 200
CLASSES = WITH_PATTERN | WITHOUT_PATTERN
EPOCH = "1767225600"


def literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def sampled_table(name: str, make: Callable[[int], str]) -> str:
    """A table whose columns hold 200 planted values: once each, three times each, and a few again and again."""
    rows = []
    for n in range(PLANTED):
        once, thrice, often = make(n), make(n // 3), make(n % 4)
        rows.append(f"({n}, {literal(once)}, {literal(thrice)}, {literal(often)})")
    return (
        f"CREATE TABLE planted_{name} (id int PRIMARY KEY, detail text, remark_value text, extra text);"
        f"INSERT INTO planted_{name} VALUES {', '.join(rows)};"
    )


def described_table(make: Callable[[int], str], name: str) -> str:
    """A table and a view whose comments, defaults and text hold planted values."""
    words = [make(1000 + n) for n in range(20)]
    table = f"told_{name}"
    return "".join(
        [
            f"CREATE TABLE {table} (id int PRIMARY KEY, a text DEFAULT {literal(words[0])}, b text);",
            f"COMMENT ON TABLE {table} IS {literal('Ask ' + words[1] + ' or ' + words[2] + '.')};",
            f"COMMENT ON COLUMN {table}.b IS {literal('For example ' + words[3] + '; was ' + words[4])};",
            f"ALTER TABLE {table} ADD CONSTRAINT {table}_c CHECK (b <> {literal(words[5])});",
            f"CREATE VIEW v_{table} AS SELECT id, {literal(words[6])}::text AS c FROM {table} "
            f"WHERE b = {literal(words[7])};",
        ]
    )


def everything_written(project: Path) -> str:
    files = [path for path in project.rglob("*") if path.is_file() and path.suffix not in (".db", ".db-wal", ".db-shm")]
    text = "\n".join(path.read_text("utf-8", "replace") for path in files if path.name != "databases.yaml")
    with sqlite3.connect(project / "data" / "tribal-knowledge.db") as connection:
        return text + "\n".join(connection.iterdump())


def run(project: Path, dsn: str) -> str:
    (project / "databases.yaml").write_text(f"databases:\n  - {{name: shop, dsn: '{dsn}', sample_rows: 1000}}\n")
    ran = tribal("run", cwd=project, SOURCE_DATE_EPOCH=EPOCH)
    assert ran.returncode == 0, ran.stderr
    questions = ("planted", "told", "detail")
    answers = [tribal("search", question, "--limit", "20", "--json", cwd=project).stdout for question in questions]
    return "\n".join([everything_written(project), ran.stdout, ran.stderr, *answers])


@pytest.fixture(scope="module")
def leaked(tmp_path_factory: pytest.TempPathFactory, postgres_server: EmbeddedServer) -> str:
    """Everything that a run over planted values wrote and printed."""
    sql = "".join(sampled_table(name, make) for name, make in CLASSES.items())
    sql += "".join(described_table(make, name) for name, make in WITH_PATTERN.items())
    with new_database(postgres_server, sql) as dsn:
        return run(tmp_path_factory.mktemp("planted"), dsn)


def leaking(leaked: str, classes: Mapping[str, Callable[[int], str]], numbers: range) -> dict[str, list[str]]:
    """By class, the values that were written or printed."""
    made = {name: sorted({make(number) for number in numbers}) for name, make in classes.items()}
    found = {name: [value for value in values if value in leaked] for name, values in made.items()}
    return {name: values for name, values in found.items() if values}


def test_no_sampled_value_of_a_class_is_written_or_printed(leaked: str) -> None:
    assert leaking(leaked, CLASSES, range(PLANTED)) == {}


def test_no_value_with_a_pattern_stays_in_comments_defaults_checks_or_views(leaked: str) -> None:
    assert leaking(leaked, WITH_PATTERN, range(1000, 1008)) == {}


REFUSALS = {
    "an exception": "RAISE EXCEPTION 'cannot show %', v USING DETAIL = 'row of ' || v, HINT = v",
    "an exception in German": "RAISE EXCEPTION 'Zeile f\u00fcr % ung\u00fcltig', v USING ERRCODE = '22023'",
    "an exception in French": "RAISE EXCEPTION 'la ligne % viole une contrainte', v USING ERRCODE = '23514'",
    "an exception in Japanese": "RAISE EXCEPTION '%\u306f\u7121\u52b9\u3067\u3059', v USING ERRCODE = '22P02'",
    "a code of nobody's": "RAISE EXCEPTION '%', v USING ERRCODE = 'ZZ999'",
    "a failed conversion": "RETURN v::int::text",
}


@pytest.mark.parametrize("refusal", REFUSALS.values(), ids=REFUSALS)
def test_a_row_in_the_servers_words_is_not_repeated(
    tmp_path: Path, fresh_database: FreshDatabase, refusal: str
) -> None:
    row = "Oskarsdottir of Vik"
    dsn = fresh_database(
        f"CREATE FUNCTION refuse(v text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN {refusal}; END $$;"
        "CREATE TABLE t (id int PRIMARY KEY, v text); ALTER TABLE t ENABLE ROW LEVEL SECURITY;"
        f"CREATE POLICY p ON t USING (refuse(v) = v); INSERT INTO t VALUES (1, {literal(row)})"
    )
    role = unique_name("reader")
    administer(dsn, f"CREATE ROLE {role} LOGIN PASSWORD 'pw'; GRANT SELECT ON t TO {role}")
    try:
        ran = tribal("run", login(dsn, role, "pw"), cwd=tmp_path)
        assert ran.returncode in (0, 1), ran.stderr
        seen = ran.stdout + ran.stderr + everything_written(tmp_path)
        assert "may quote a row" in seen
        assert "Oskarsdottir" not in seen
    finally:
        administer(dsn, f"DROP OWNED BY {role}; DROP ROLE {role}")
