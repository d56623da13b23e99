"""What the page on the architecture says of the code is followed through the code."""

from __future__ import annotations

import re
import sys
import threading
from pathlib import Path
from types import FrameType

from tests import ROOT
from tests.cases import each_case
from tests.edges.cli.in_process import run_in_process
from tests.edges.cli.tribal_command import clean_environment
from tests.plugins.postgres import FreshDatabase
from tribal.edges.cli.app import main

PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
SHOP = (ROOT / "tests" / "fixtures" / "store_0_1.sql").read_text(encoding="utf-8")
PACKAGE = ROOT / "layers" / "tribal" / "python" / "tribal"
STEP = re.compile(r"^\d+\. `(?P<module>[\w/]+)\.py` \(`(?P<function>\w+)`\)$", re.MULTILINE)
PLACE = re.compile(r"^- `(?P<path>[^`]+)`: ", re.MULTILINE)


def walk(title: str) -> list[tuple[str, str]]:
    """Module and function of each step of a walk."""
    part = PAGE[PAGE.index(f"**{title}**") :]
    part = part[: part.index("\n\n", part.index("1. `"))]
    return [(step["module"].replace("/", "."), step["function"]) for step in STEP.finditer(part)]


WALKS = ("A question", "A DSN", "A unit", "A table")


def room(module: str) -> str:
    parts = module.split(".")
    return ".".join(parts[:2]) if parts[0] in {"adapters", "edges"} else parts[0]


@each_case("title", WALKS)
def test_no_walk_comes_back_to_a_room_that_it_has_left(title: str) -> None:
    rooms = [room(module) for module, _ in walk(title)]
    visited = [each for number, each in enumerate(rooms) if number == 0 or rooms[number - 1] != each]
    assert len(visited) == len(set(visited)) > 1


def calls_of(folder: Path, *arguments: str) -> list[str]:
    """What a command really called, of all that the walks name and of the settings, in order."""
    wanted = {f"tribal.{module} {function}" for title in WALKS for module, function in walk(title)}
    called: list[str] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            name = f"{frame.f_globals.get('__name__', '')} {frame.f_code.co_name}"
            if name in wanted or name.startswith("tribal.settings."):
                called.append(name)

    def program() -> None:
        threading.setprofile(note)
        sys.setprofile(note)
        try:
            main()
        finally:
            sys.setprofile(None)
            threading.setprofile(None)

    ran = run_in_process(["tribal", *arguments], cwd=folder, environment=clean_environment(), program=program)
    assert ran.returncode == 0, ran.stderr
    return called


def test_the_program_takes_every_step_of_each_walk_in_its_order(fresh_database: FreshDatabase, tmp_path: Path) -> None:
    dsn = fresh_database(SHOP)
    # One thing at a time, so that the walks of two tables do not mix.
    (tmp_path / "databases.yaml").write_text(
        f"databases: [{{name: shop, dsn: '{dsn}'}}]\nunits_at_once: 1\ntables_at_once: 1\n"
    )
    commands = {
        "A unit": ("run",),
        "A table": ("run", "--force"),
        "A DSN": ("run", dsn),
        "A question": ("search", "unpaid invoices"),
    }
    assert set(commands) == set(WALKS)
    for title, command in commands.items():
        calls = iter(calls_of(tmp_path, *command))
        taken = [step for step in walk(title) if f"tribal.{step[0]} {step[1]}" in calls]
        assert taken == walk(title), title


def test_a_dsn_is_read_before_anything_is_built_from_it(fresh_database: FreshDatabase, tmp_path: Path) -> None:
    called = calls_of(tmp_path, "run", fresh_database(SHOP))
    built = called.index("tribal.app.local local_application")
    connected_to = called.index("tribal.adapters.postgres.connections.connection open_connection")
    # Reading a section of settings that are read already is not reading a DSN.
    sections = {"tribal.settings.settings memory", "tribal.settings.settings knowledge"}
    between = [name for name in called[built:connected_to] if name not in sections]
    assert not any(name.startswith("tribal.settings.") for name in between)


def places(title: str) -> set[str]:
    part = PAGE[PAGE.index(f"**... {title}**") :]
    part = part[: part.index("\n\n", part.index("\n- `"))]
    return {match["path"].rstrip("/") for match in PLACE.finditer(part)}


def naming(pattern: str, *folders: Path) -> set[str]:
    """Files of these folders whose code names something."""
    found = re.compile(pattern)
    files = (path for folder in folders for path in sorted(folder.rglob("*.py")))
    return {path.relative_to(ROOT).as_posix() for path in files if found.search(path.read_text(encoding="utf-8"))}


def test_every_place_to_add_something_is_there() -> None:
    named = {
        path
        for title in (
            *("a database", "a tool", "a capability", "a large capability", "a job that can be killed"),
            *("a command", "a function"),
        )
        for path in places(title)
    }
    assert len(named) > 10
    assert [path for path in sorted(named) if not (ROOT / path).exists()] == []


def test_a_database_is_added_where_postgres_is_named() -> None:
    importers = naming(r"tribal\.adapters\.postgres", PACKAGE, ROOT / "functions")
    inside = {path for path in importers if "/adapters/postgres/" in path}
    schemes = naming(r"\"postgresql\":", PACKAGE)
    assert (importers - inside) | schemes == {path for path in places("a database") if path.endswith(".py")} - {
        "tests/conformance/test_catalog_reader_postgres.py"
    }


def test_a_tool_is_added_where_search_tables_is_named() -> None:
    surfaces = [PACKAGE / name for name in ("tools", "edges", "app", "ports", "capabilities/retrieval")]
    named = naming(r"\bsearch_tables\b", *surfaces, ROOT / "functions")
    contracts = naming(r"search-tables-input", ROOT / "contracts")
    assert named | contracts == {path for path in places("a tool") if path.endswith(".py")}


def test_a_command_is_added_where_lint_is_named() -> None:
    assert naming(r"documenting\.lint\b|review:lint\b|^def lint\(|\ndef lint\(", PACKAGE / "edges") == {
        path for path in places("a command") if path.endswith(".py")
    }


def test_a_function_is_added_where_finisher_is_named() -> None:
    assert naming(r"\bfinisher\b", ROOT / "functions", ROOT / "infra") == places("a function")


def test_a_large_capability_is_where_chat_is_imported() -> None:
    folders = [ROOT / each for each in ("layers", "contracts", "functions", "infra")]
    importers = naming(r"(?:tribal\.capabilities|tribal_contracts|http|cli)\.chat\b|import chat\b", *folders)
    listed = places("a large capability")
    assert [path for path in sorted(importers) if not any(path.startswith(each) for each in listed)] == []
