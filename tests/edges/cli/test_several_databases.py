"""One entry of `databases.yaml` for many databases of a server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.edges.cli.tribal_command import tribal
from tests.plugins.postgres import administer, unique_name
from tribal_demo.server.postgres import EmbeddedServer

TABLE = "CREATE TABLE orders (id int PRIMARY KEY)"


@dataclass
class Server:
    """A server with databases whose names begin the same."""

    server: EmbeddedServer
    prefix: str

    def create(self, suffix: str, sql: str = TABLE) -> str:
        name = f"{self.prefix}_{suffix}"
        self.server.create_database(name)
        administer(self.server.dsn(name), sql)
        return name

    def drop(self, suffix: str) -> None:
        administer(self.server.dsn(), f'DROP DATABASE IF EXISTS "{self.prefix}_{suffix}" WITH (FORCE)')

    def entry(self, *database: str, name: str = "shop") -> str:
        dsn = self.server.dsn().rpartition("/")[0]
        patterns = json.dumps([pattern.replace("@", self.prefix) for pattern in database])
        return f"databases:\n  - {{name: '{name}', dsn: '{dsn}', database: {patterns}}}\n"


@pytest.fixture
def server(postgres_server: EmbeddedServer) -> Iterator[Server]:
    several = Server(postgres_server, unique_name("shop"))
    for suffix in ("eu", "us", "test"):
        several.create(suffix)
    yield several
    for suffix in ("eu", "us", "test", "asia"):
        several.drop(suffix)


def names(folder: Path) -> list[str]:
    plan = json.loads((folder / "progress" / "documentation-plan.json").read_bytes())
    return sorted(f"{analysis['name']} {analysis['status']}" for analysis in plan["databases"])


def test_each_database_is_documented_and_one_that_goes_away_is_unreachable_not_gone(
    tmp_path: Path, server: Server
) -> None:
    (tmp_path / "databases.yaml").write_text(server.entry("@_*", "!*_test", name="{database}/eu"))
    first = tribal("run", cwd=tmp_path)
    assert first.returncode == 0, first.stderr
    eu, us = f"{server.prefix}_eu/eu", f"{server.prefix}_us/eu"
    assert names(tmp_path) == [f"{eu} reachable", f"{us} reachable"]
    server.drop("us")
    server.create("asia")
    later = tribal("run", cwd=tmp_path)
    assert later.returncode == 1
    assert f"{server.prefix}_us" in later.stderr
    assert names(tmp_path) == sorted([f"{server.prefix}_asia/eu reachable", f"{eu} reachable", f"{us} unreachable"])
    asked = json.loads(tribal("search", "orders", "--json", cwd=tmp_path).stdout)
    assert {table["database"] for table in asked["tables"]} == {eu, us, f"{server.prefix}_asia/eu"}
    # What was found is kept to until the next plan, and needs no server.
    server.create("us", "SELECT 1")
    assert tribal("document", "--no-samples", cwd=tmp_path).returncode == 0
    assert [name for name in names(tmp_path) if "unreachable" in name] == [f"{us} unreachable"]


def test_one_check_covers_them_all_and_writes_nothing(tmp_path: Path, server: Server) -> None:
    (tmp_path / "databases.yaml").write_text(server.entry("@_*", f"{server.prefix}_not_there"))
    ran = tribal("check", cwd=tmp_path)
    assert ran.returncode == 3
    assert ran.stdout.splitlines()[-2:] == [
        "4 databases: 3 can be read, 1 cannot be reached.",
        f"Not ready: first fix shop_{server.prefix}_not_there (✗ above), then run `tribal check` again.",
    ]
    assert f"shop_{server.prefix}_eu" in ran.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["databases.yaml"]


@pytest.mark.parametrize(
    ("patterns", "name", "code", "said"),
    [
        (("@_*", "!@_*"), "shop", 6, "lists no database that matches"),
        (("!@_*",), "shop", 2, "only excludes databases"),
        (("@_eu", "@_us"), "one", 2, "both have a database named"),
    ],
)
def test_entries_that_match_nothing_or_the_same_are_refused_before_anything_is_written(
    tmp_path: Path, server: Server, patterns: tuple[str, ...], name: str, code: int, said: str
) -> None:
    clash = f"  - {{name: one_{server.prefix}_eu, dsn: '{server.server.dsn()}'}}\n"
    (tmp_path / "databases.yaml").write_text(server.entry(*patterns, name=name) + clash)
    ran = tribal("run", cwd=tmp_path)
    assert (ran.returncode, said in ran.stderr) == (code, True), ran.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["databases.yaml"]


def test_a_server_that_does_not_answer_leaves_what_was_recorded(tmp_path: Path, server: Server) -> None:
    text = server.entry("@_*")
    away = text.replace(f":{urlsplit(server.server.dsn()).port}", ":1")
    (tmp_path / "databases.yaml").write_text(away)
    refused = tribal("run", cwd=tmp_path)
    assert refused.returncode == 3
    (tmp_path / "databases.yaml").write_text(text)
    assert tribal("run", cwd=tmp_path).returncode == 0
    (tmp_path / "databases.yaml").write_text(away)
    assert tribal("plan", cwd=tmp_path).returncode == 3
    assert "3 databases: 0 can be read, 3 cannot be reached" in tribal("check", cwd=tmp_path).stdout
    assert tribal("index", cwd=tmp_path).returncode == 0
