"""A hostile database, through the real command: everything in it is documented or reported, and stays text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token
from pg8000.native import Connection

import tribal_contracts as contracts
from tests.capabilities.retrieval.generated_joins import generated_joins
from tests.cases import each_case
from tests.edges.cli.tribal_command import Json, contents, tribal
from tests.plugins.postgres import administer, connected, login, new_database, unique_name
from tests.rendering.test_rendering import ATTRIBUTE, EDGE, ENTITY
from tribal.app.local import local_application
from tribal.identity.table_names import format_name
from tribal.ports import Caller
from tribal.settings import load_settings
from tribal.tools.call import call_tool
from tribal_demo.server.postgres import EmbeddedServer

HOSTILE_SQL = Path(__file__).parent / "hostile.sql"
MARKDOWN = MarkdownIt("commonmark").enable(["table", "strikethrough"])
CALLER = Caller("test")
EPOCH = "1767225600"
LIMITS = "limits: {lock_timeout_seconds: 0.3, sample_timeout_seconds: 1}"
GRANTS = """
DO $$ DECLARE s text; BEGIN
  FOR s IN SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname NOT IN ('information_schema', 'secret')
  LOOP
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO {role}; GRANT SELECT ON ALL TABLES IN SCHEMA %I TO {role}', s, s);
  END LOOP;
END $$"""
TABLES = """
SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname !~ '^pg_' AND n.nspname NOT IN ('information_schema', 'secret') AND c.relkind IN ('r', 'p', 'v', 'm')
  AND NOT c.relispartition"""

# One worker documents it, once.
pytestmark = pytest.mark.xdist_group("hostile database")


@dataclass(frozen=True)
class Hostile:
    """The documented database."""

    folder: Path
    dsn: str
    record: Json
    planned: str
    connection: Connection

    @property
    def pages(self) -> dict[str, str]:
        return {name: data.decode() for name, data in contents(self.folder / "docs").items() if name.endswith(".md")}

    def documents(self, kind: type[contracts.Contract], pattern: str = "*.json") -> list[Any]:
        named = {
            f"{each}.json" for each in ("definitions", "domain", "relationships", "overview", "documentation-manifest")
        }
        files = [path for path in (self.folder / "docs").rglob(pattern) if pattern in named or path.name not in named]
        return [kind.from_json(path.read_bytes()) for path in sorted(files)]


def project(folder: Path, dsn: str) -> Path:
    """A folder whose configuration reads the database, and waits for no lock for long."""
    folder.mkdir(exist_ok=True)
    (folder / "databases.yaml").write_text(
        f"databases:\n  - {{name: hostile, dsn: '{dsn}', {LIMITS}}}\n", encoding="utf-8"
    )
    return folder


@pytest.fixture(scope="module")
def hostile(postgres_server: EmbeddedServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hostile]:
    """Planned; then a table is dropped and another one locked; then documented and indexed."""
    role = unique_name("guest")
    with new_database(postgres_server, HOSTILE_SQL) as dsn:
        administer(dsn, f"CREATE ROLE {role} LOGIN PASSWORD 'pw'")
        administer(dsn, GRANTS.format(role=role))
        folder = project(tmp_path_factory.mktemp("hostile"), login(dsn, role, "pw"))
        planned = tribal("plan", cwd=folder, SOURCE_DATE_EPOCH=EPOCH)
        assert planned.returncode == 0, planned.stderr
        administer(dsn, "DROP TABLE leaves")
        with connected(dsn) as other:
            other.run("BEGIN; LOCK TABLE locked IN ACCESS EXCLUSIVE MODE")
            documented = tribal("document", "--json", cwd=folder, SOURCE_DATE_EPOCH=EPOCH)
            other.run("ROLLBACK")
            assert "Traceback" not in documented.stderr
            indexed = tribal("index", cwd=folder, SOURCE_DATE_EPOCH=EPOCH)
            assert indexed.returncode == 0, indexed.stderr
            yield Hostile(folder, dsn, json.loads(documented.stdout), planned.stdout, other)
        administer(dsn, f"DROP OWNED BY {role}; DROP ROLE {role}")


def test_every_table_is_documented_but_for_the_one_that_was_dropped_in_between(hostile: Hostile) -> None:
    there = {format_name(("hostile", *row)) for row in administer(hostile.dsn, TABLES)}
    assert {document.name for document in hostile.documents(contracts.TableDocument)} == there
    assert hostile.record["tables_documented"] == len(there) > 50
    assert hostile.record["tables_failed"] == 1


def test_what_stood_in_the_way_is_reported_and_nothing_else(hostile: Hostile) -> None:
    reported = [(error["code"], error["context"].get("table")) for error in hostile.record["errors"]]
    assert ("DOC_TABLE_GONE", "hostile.public.leaves") in reported
    assert {code for code, _ in reported} <= {"DOC_TABLE_GONE", "DOC_SAMPLING_TIMEOUT", "PLAN_SCHEMA_UNREADABLE"}
    assert "schema 'secret'" in " ".join(hostile.planned.split())
    status = tribal("status", cwd=hostile.folder).stdout
    assert "public.leaves" in status
    locked = next(d for d in hostile.documents(contracts.TableDocument) if d.name == "hostile.public.locked")
    assert not locked.samples_taken
    assert [check.expression for check in locked.checks] == ["(v > 0)"]


def test_nothing_of_a_schema_that_may_not_be_read_is_reported(hostile: Hostile) -> None:
    for name, data in contents(hostile.folder, "progress/").items():
        assert b"salaries" not in data, name


def test_every_document_keeps_to_its_contract(hostile: Hostile) -> None:
    domains = hostile.documents(contracts.DomainDocument, "domain.json")
    assert len(domains) == len(hostile.documents(contracts.RelationshipsDocument, "relationships.json")) > 3
    assert len(hostile.documents(contracts.OverviewDocument, "overview.json")) == 2
    (manifest,) = hostile.documents(contracts.DocumentationManifest, "documentation-manifest.json")
    assert manifest.status == "partial"
    assert len({file.path.casefold() for file in manifest.indexable_files}) == len(manifest.indexable_files)
    contracts.DocumentationPlan.from_json((hostile.folder / "progress" / "documentation-plan.json").read_bytes())


def test_no_file_lies_outside_of_its_folder_or_has_a_name_that_a_file_system_refuses(hostile: Hostile) -> None:
    assert {path.name for path in hostile.folder.iterdir()} <= {
        *("databases.yaml", "docs", "data", "catalog", "progress", ".tribal")
    }
    for name in contents(hostile.folder / "docs"):
        assert re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.~-]*(/[A-Za-z0-9_][A-Za-z0-9_.~-]*)*", name), name


def walk(tokens: list[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from walk(token.children or [])


def test_no_page_holds_html_or_an_image(hostile: Hostile) -> None:
    for name, text in hostile.pages.items():
        for token in walk(MARKDOWN.parse(text)):
            assert token.type not in ("html_block", "html_inline", "image"), (name, token.content[:200])


def dead_links(docs: Path) -> set[str]:
    dead = set()
    for page in docs.rglob("*.md"):
        for token in walk(MARKDOWN.parse(page.read_text(encoding="utf-8"))):
            if token.type == "link_open":
                target = (page.parent / unquote(str(token.attrs["href"]))).resolve()
                if not target.is_file() or docs.resolve() not in target.parents:
                    dead.add(target.name)
    return dead


def test_every_link_leads_to_a_page_though_a_table_was_dropped_in_between(hostile: Hostile) -> None:
    assert dead_links(hostile.folder / "docs") == set()


def test_every_page_has_the_headings_and_cells_that_it_consists_of_and_no_other(hostile: Hostile) -> None:
    known = {"Columns", "Relationships", "Joins", "Indexes", "Checks", "Definition", "Sample values", "Lineage"}
    known |= {"Good to know", "To describe"}
    (manifest,) = hostile.documents(contracts.DocumentationManifest, "documentation-manifest.json")
    page_of = {
        format_name((file.database, file.schema_, file.table)): file.path.removesuffix(".json") + ".md"
        for file in manifest.indexable_files
        if file.type == "table"
    }
    pages = hostile.pages
    for document in hostile.documents(contracts.TableDocument):
        name = page_of[document.name]
        tokens = MARKDOWN.parse(pages[name])
        heads = [tokens[place + 1].content for place, token in enumerate(tokens) if token.type == "heading_open"]
        assert set(heads[1:]) <= known, name
        bodies = [token.type for token in tokens].count("td_open")
        rows = len(document.columns) * 7 + len(document.relations) * 4 + len(document.indexes) * 4
        samples = sum(1 for token in tokens if token.content == "Not shown")
        assert bodies - rows - 2 * len(document.checks) in range(0, 1 + 3 * len(document.columns) * samples, 3), name


def fences(hostile: Hostile, language: str) -> Iterator[tuple[str, str]]:
    for name, text in hostile.pages.items():
        for token in MARKDOWN.parse(text):
            if token.type == "fence":
                assert token.info in ("sql", "mermaid", "yaml"), name
                if token.info == language:
                    yield name, token.content


def test_every_statement_of_every_page_runs(hostile: Hostile) -> None:
    statements = {part for _, text in fences(hostile, "sql") for part in text.strip().removesuffix(";").split(";\n\n")}
    assert len(statements) > 20
    for statement in sorted(statements):
        hostile.connection.execute_simple(f"EXPLAIN {statement}")
    for document in hostile.documents(contracts.RelationshipsDocument, "relationships.json"):
        assert all(len(key.from_columns) == len(key.to_columns) for key in document.relationships)


def test_every_diagram_keeps_to_the_grammar(hostile: Hostile) -> None:
    diagrams = list(fences(hostile, "mermaid"))
    assert len(diagrams) > 20
    for name, diagram in diagrams:
        first, *rest = diagram.splitlines()
        assert first == "erDiagram", name
        for line in rest:
            proper = ENTITY.fullmatch(line) or ATTRIBUTE.fullmatch(line) or EDGE.fullmatch(line)
            missing = re.fullmatch(r"    %% \d+ more tables? (is|are) left out", line)
            assert proper or missing or line == "    }", (name, line)


def test_every_tool_answers_for_every_table_and_every_join_runs(hostile: Hostile) -> None:
    tables = hostile.documents(contracts.TableDocument)
    with closing(local_application(load_settings(project=hostile.folder, environment={}))) as app:
        for document in tables:
            shown: Any = call_tool("get_table_schema", {"table": document.name}, CALLER, app)
            assert shown.error is None, document.name
            assert shown.schema_.name == document.name
            found: Any = call_tool("search_tables", {"query": document.table or "x", "limit": 20}, CALLER, app)
            assert found.error is None or not document.table.strip(), document.name
            for relation in document.relations:
                ends = {"source_table": document.name, "target_table": relation.name}
                join: Any = call_tool("get_join_path", ends, CALLER, app)
                assert join.path_found, ends
                hostile.connection.execute_simple(f"EXPLAIN {join.sql_snippet}")


def test_the_sql_of_generated_joins_runs(hostile: Hostile) -> None:
    with closing(local_application(load_settings(project=hostile.folder, environment={}))) as app:
        joins = [join for join in generated_joins(app, 500) if "public.leaves " not in (join.sql_snippet or "")]
    for join in joins:
        hostile.connection.execute_simple(f"EXPLAIN {join.sql_snippet}")
    assert len(joins) > 30
    assert max(join.hop_count or 0 for join in joins) > 1


@each_case(
    "name",
    [
        '"a;DROP TABLE t"',
        '"../../x"."../../x"',
        '"two\nlines"',
        "`back``ticks```",
        "\u202etxet desrever\u202c",
        "表" * 20 + "二",
        "-rf",
    ],
)
def test_the_command_shows_a_table_by_its_hostile_name(hostile: Hostile, name: str) -> None:
    plain = tribal("table", "--", name, cwd=hostile.folder)
    assert plain.returncode == 0, plain.stderr
    assert all(character.isprintable() or character == "\n" for character in plain.stdout)


def test_case_twins_and_dotted_names_are_told_apart(hostile: Hostile) -> None:
    several = tribal("table", "users", cwd=hostile.folder)
    assert several.returncode == 7
    assert "hostile.Users.users" in several.stderr
    dotted = json.loads(tribal("table", '"a.b".c', "--json", cwd=hostile.folder).stdout)
    assert dotted["schema"]["name"] == 'hostile."a.b".c'
    other = json.loads(tribal("table", 'a."b.c"', "--json", cwd=hostile.folder).stdout)
    assert other["schema"]["name"] == 'hostile.a."b.c"'


@each_case("command", [["search", "<script>alert(1)</script>"], ["domains"], ["join", "wide", "texts"]])
def test_the_other_commands_answer_in_printable_characters(hostile: Hostile, command: list[str]) -> None:
    ran = tribal(*command, cwd=hostile.folder)
    assert ran.returncode == 0, ran.stderr
    assert all(character.isprintable() or character == "\n" for character in ran.stdout + ran.stderr)


def test_every_domain_can_be_shown(hostile: Hostile) -> None:
    listed = json.loads(tribal("domains", "--json", cwd=hostile.folder).stdout)["domains"]
    assert {domain["name"] for domain in listed} == {
        path.parent.name for path in (hostile.folder / "docs" / "hostile").glob("*/domain.json")
    }
    largest = max(listed, key=lambda domain: domain["table_count"])["name"]
    shown = tribal("domain", largest, cwd=hostile.folder)
    assert shown.returncode == 0, shown.stderr


def test_the_next_run_documents_what_is_free_again_retires_what_is_gone_and_then_rests(
    hostile: Hostile, tmp_path: Path
) -> None:
    own = project(tmp_path / "own", json_dsn(hostile))
    for name, data in contents(hostile.folder, "databases.yaml").items():
        (own / name).parent.mkdir(parents=True, exist_ok=True)
        (own / name).write_bytes(data)
    ran = tribal("run", "--json", cwd=own, SOURCE_DATE_EPOCH=EPOCH)
    assert ran.returncode == 0, ran.stdout
    assert json.loads(ran.stdout)["tables_failed"] == 0
    assert not list(own.glob("docs/**/public.leaves.*"))
    assert dead_links(own / "docs") == set()
    before = contents(own, "progress/runs/", "progress/lease.json", "data/")
    again = tribal("run", "--json", cwd=own, SOURCE_DATE_EPOCH=EPOCH)
    assert json.loads(again.stdout)["tables_documented"] == 0
    assert contents(own, "progress/runs/", "progress/lease.json", "data/") == before


def json_dsn(hostile: Hostile) -> str:
    line = (hostile.folder / "databases.yaml").read_text(encoding="utf-8")
    return line.partition("dsn: '")[2].partition("'")[0]
