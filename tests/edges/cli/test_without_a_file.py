"""A folder of documents without `databases.yaml`: what is printed as next works as it is typed."""

from __future__ import annotations

import re
import shlex
import stat
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.cases import each_case
from tests.edges.cli.tribal_command import contents, tribal, tribal_process
from tests.plugins.postgres import FreshDatabase
from tribal_demo.server.postgres import EmbeddedServer

TABLE = "CREATE TABLE invoice (id int PRIMARY KEY, amount int)"
COMMAND = re.compile(r"`tribal ([^`]*)`")
PASSWORD = "tribal-demo"


def printed_next(output: str) -> list[list[str]]:
    """The commands of the line that says what is next, as a shell would split them."""
    (line,) = (line for line in output.splitlines() if line.startswith("Next: "))
    return [shlex.split(command) for command in COMMAND.findall(line)]


@pytest.mark.parametrize("place", [(), ("--project", "other")], ids=["here", "elsewhere"])
def test_each_command_that_is_printed_as_next_works(
    tmp_path: Path, fresh_database: FreshDatabase, place: tuple[str, ...]
) -> None:
    (tmp_path / "other").mkdir()
    command, seen = ["plan", fresh_database(TABLE), *place], []
    while command[0] not in seen:
        ran = tribal(*command, cwd=tmp_path, PGPASSWORD=PASSWORD)
        assert ran.returncode == 0, ran.stderr
        seen.append(command[0])
        if command[0] == "search":
            assert "invoice" in tribal(*command[:1], "invoice", *command[2:], cwd=tmp_path).stdout
            break
        (command, *_) = printed_next(ran.stdout)
    assert seen == ["plan", "document", "index", "search"]


def test_a_folder_knows_what_it_was_made_from_without_the_password(
    tmp_path: Path, fresh_database: FreshDatabase, postgres_server: EmbeddedServer
) -> None:
    dsn = fresh_database(TABLE)
    assert tribal("run", dsn, cwd=tmp_path).returncode == 0
    assert not [name for name, data in contents(tmp_path).items() if PASSWORD.encode() in data]
    refused = tribal("run", cwd=tmp_path, HOME=str(tmp_path))
    assert refused.returncode == 3
    assert "set PGPASSWORD, add a line to ~/.pgpass" in refused.stderr
    (tmp_path / ".pgpass").write_text(f"*:*:*:*:{PASSWORD}\n")
    (tmp_path / ".pgpass").chmod(stat.S_IRUSR)
    for command in ("run", "plan", "document", "diff", "check"):
        again = tribal(command, cwd=tmp_path, HOME=str(tmp_path))
        assert again.returncode == 0, again.stderr
    assert "Nothing changed" in tribal("diff", cwd=tmp_path, PGPASSWORD=PASSWORD).stdout


def test_a_plan_says_that_the_password_is_not_recorded(tmp_path: Path, fresh_database: FreshDatabase) -> None:
    dsn = fresh_database(TABLE)
    assert "PGPASSWORD or ~/.pgpass" in tribal("plan", dsn, cwd=tmp_path).stdout
    without = dsn.replace(f":{PASSWORD}@", "@")
    assert "PGPASSWORD" not in tribal("plan", without, cwd=tmp_path, PGPASSWORD=PASSWORD).stdout


@each_case(
    ("command", "hint"),
    [
        (("document",), "`tribal plan postgresql://reader@db.example.com:5432/shop`"),
        (("diff",), "`tribal run postgresql://reader@db.example.com:5432/shop`"),
        (("index", "--project", "."), "`tribal run postgresql://reader@db.example.com:5432/shop`"),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_a_hint_names_the_database_that_the_folder_does_not_know_yet(
    tmp_path: Path, command: tuple[str, ...], hint: str
) -> None:
    ran = tribal(command[0], "postgresql://reader:hunter2@db.example.com/shop", *command[1:], cwd=tmp_path)
    assert ran.returncode == 6
    assert hint in ran.stderr
    assert "hunter2" not in ran.stderr


def test_a_hint_names_the_folder_that_was_named(tmp_path: Path) -> None:
    (tmp_path / "a folder").mkdir()
    asked = tribal("search", "x", "--project", "a folder", cwd=tmp_path)
    assert "`tribal run postgresql://user@host/database --project 'a folder'`" in asked.stderr
    started = tribal("status", "--project", "a folder", cwd=tmp_path)
    assert "`tribal run postgresql://user@host/database --project 'a folder'`" in started.stdout


def test_asking_and_indexing_need_no_database(tmp_path: Path, fresh_database: FreshDatabase) -> None:
    (tmp_path / "databases.yaml").write_text("databases:\n  - {name: shop, dsn: '${SHOP_DSN}', port: no number}\n")
    refused = tribal("run", cwd=tmp_path)
    assert (refused.returncode, "SHOP_DSN is not set" in refused.stderr) == (2, True)
    (tmp_path / "databases.yaml").write_text("databases:\n  - {name: shop, dsn: '${SHOP_DSN}'}\nstore: ./kept\n")
    assert tribal("run", cwd=tmp_path, SHOP_DSN=fresh_database(TABLE)).returncode == 0
    commands = (("index",), ("search", "invoice"), ("status",), ("tail",), ("lint",))
    # The server takes over the descriptors of its process.
    for ran in (*(tribal(*command, cwd=tmp_path) for command in commands), tribal_process("mcp", cwd=tmp_path)):
        assert (ran.returncode, "SHOP_DSN" in ran.stderr) == (0, False), (ran.args, ran.stderr)


def test_a_run_that_fails_keeps_the_address_that_the_folder_is_made_from(
    tmp_path: Path, fresh_database: FreshDatabase
) -> None:
    dsn = fresh_database(TABLE)
    source = tmp_path / "progress" / "source.json"
    unreachable = "postgresql://nobody@127.0.0.1:1/nowhere"
    assert tribal("run", unreachable, cwd=tmp_path).returncode == 3
    assert not source.exists()
    assert tribal("run", dsn, cwd=tmp_path).returncode == 0
    recorded = source.read_bytes()
    for command, code in ((("run", "--replace"), 3), (("plan", "--replace"), 3), (("index",), 0)):
        assert tribal(*command, unreachable, cwd=tmp_path).returncode == code
        assert source.read_bytes() == recorded


def test_another_database_is_documented_in_a_folder_only_when_asked_to_replace(
    tmp_path: Path, fresh_database: FreshDatabase
) -> None:
    first, second = fresh_database(TABLE), fresh_database(TABLE)
    assert tribal("run", first, cwd=tmp_path).returncode == 0
    # The same database by another name of its server, and by another user.
    assert tribal("run", first.replace("127.0.0.1", "localhost"), cwd=tmp_path).returncode == 0
    documented = sorted(path.name for path in (tmp_path / "docs").rglob("*.md"))
    name = urlsplit(first).path.removeprefix("/")
    for command in ("run", "plan", "document"):
        refused = tribal(command, second, cwd=tmp_path)
        assert refused.returncode == 2
        assert (
            f"this folder documents postgresql://localhost:{urlsplit(first).port}/{name}; use --replace"
            in refused.stderr
        )
        assert sorted(path.name for path in (tmp_path / "docs").rglob("*.md")) == documented
    assert tribal("run", "--replace", second, cwd=tmp_path).returncode == 0
    assert tribal("run", second, cwd=tmp_path).returncode == 0
