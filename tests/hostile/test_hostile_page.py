"""The page of a hostile database, as a site and served: every text is read as it is, and nothing of it runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import pytest

from servers.chromium import Chromium
from tests.cases import each_case
from tests.edges.cli.tribal_command import tribal
from tests.edges.http.served import Served
from tests.hostile.test_hostile_database import project
from tests.plugins.postgres import administer, new_database
from tests.rendering.web.browser import search_for
from tests.rendering.web.sites import crawl, looking, visit, written_site
from tribal_demo.server.postgres import EmbeddedServer

pytestmark = pytest.mark.xdist_group("chromium")

TEXTS = (
    "<script>window.ran = 1</script>",
    "<img src=x onerror=window.ran=1>",
    "javascript:window.ran=1",
    "[read this](javascript:window.ran=1) ![x](https://example.org/x)",
    '```mermaid\ngraph TD; A-->B; click A href "javascript:window.ran=1"\n```',
    '%%{init: {"securityLevel": "loose"}}%% click A call window.ran()',
    "'\"><svg onload=window.ran=1>",
    "{{constructor.constructor('window.ran=1')()}} ${window.ran=1} ]]> --> */",
)
"""Put into every text that a database has, one after the other."""


def hostile_sql() -> str:
    """Schemas, tables, columns, comments, defaults, checks, keys, indexes and views that say all that."""
    statements = []
    for number, text in enumerate(TEXTS):
        quoted, literal = '"' + text.replace('"', '""')[:50] + '"', "'" + text.replace("'", "''") + "'"
        schema, parent = f'"s{number} {quoted[1:-1][:40]}"', f'"p{number} {quoted[1:-1][:40]}"'
        index = f'"i{number} {quoted[1:-1][:40]}"'
        filled = f"{quoted} text DEFAULT {literal} CHECK ({quoted} <> {literal})"
        statements += [
            f"CREATE SCHEMA {schema}",
            f"CREATE TABLE {schema}.{parent} (id int PRIMARY KEY, {filled})",
            f"CREATE TABLE {schema}.{quoted} (id int PRIMARY KEY, {parent} int REFERENCES {schema}.{parent})",
            f"CREATE INDEX {index} ON {schema}.{parent} ({quoted}) WHERE {quoted} <> {literal}",
            f"CREATE VIEW {schema}.v AS SELECT {quoted}, {literal}::text AS said FROM {schema}.{parent}",
            f"INSERT INTO {schema}.{parent} VALUES (1, {literal} || '!')",
            f"COMMENT ON SCHEMA {schema} IS {literal}",
            f"COMMENT ON TABLE {schema}.{parent} IS {literal}",
            f"COMMENT ON COLUMN {schema}.{parent}.{quoted} IS {literal}",
        ]
    return ";\n".join(statements)


@contextmanager
def _forms(folder: Path) -> Iterator[dict[str, str]]:
    with Served(folder) as server:
        yield {"static": written_site(folder), "served": f"{server.address}/"}


@pytest.fixture(name="forms", scope="module")
def forms_fixture(
    postgres_server: EmbeddedServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, str]]:
    with new_database(postgres_server, hostile_sql()) as dsn:
        folder = project(tmp_path_factory.mktemp("page"), dsn)
        tribal("run", cwd=folder)
        # Between two runs, so that there are changes to look at.
        administer(
            dsn, ";".join(f'ALTER TABLE "{s}"."{t}" ADD "<script>window.ran=1</script>" text' for s, t in _first(dsn))
        )
        tribal("run", cwd=folder)
        with _forms(folder) as addresses:
            yield addresses


def _first(dsn: str) -> list[tuple[str, str]]:
    rows = administer(
        dsn, "SELECT schemaname, tablename FROM pg_tables WHERE schemaname LIKE 's0 %' AND tablename LIKE 'p0 %'"
    )
    return [(str(schema).replace('"', '""'), str(table).replace('"', '""')) for schema, table in rows]


@each_case("form", ["static", "served"])
def test_no_view_runs_what_a_database_says_and_the_policy_reports_nothing(
    chromium: Chromium, forms: dict[str, str], form: str
) -> None:
    with looking(chromium, forms[form]) as tab:
        texts, foreign = crawl(tab)
        tables = [address for address in texts if address.startswith("#/table/") and address.count("/") == 2]
        assert len(tables) == 3 * len(TEXTS)
        assert foreign == []
        assert tab.value("window.ran") is None
        search_for(tab, "<script>")
        visit(tab, "#/changes")
        assert "<script>window.ran=1</script>" in tab.text("main")
        assert tab.value("window.ran") is None


def test_an_address_with_such_a_text_shows_that_nothing_is_there(chromium: Chromium, forms: dict[str, str]) -> None:
    with looking(chromium, forms["static"]) as tab:
        for text in TEXTS:
            visit(tab, f"#/table/{quote(text, safe='')}")
            assert tab.text("main h1") == "Not found"
            assert tab.value("window.ran") is None, text
