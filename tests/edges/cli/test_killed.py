"""A run that is killed at any moment is resumed by the next one, and ends as if nothing had happened.

Moments are counts of files, so that they do not depend on how fast the machine is: the process is killed as soon as so
many lie in its folder. `TRIBAL_KILLS=30` tries more of them.
"""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cases import each_case
from tests.edges.cli.tribal_command import contents, start_tribal, tribal
from tests.indexing.index_dump import logical_dump
from tests.plugins.postgres import new_database
from tests.waiting import wait_until
from tribal.identity.locations import INDEX_FILE
from tribal_demo.server.postgres import EmbeddedServer

EPOCH = "1767225600"
KILLS = int(os.environ.get("TRIBAL_KILLS", "3"))
FINISHED = ("README.md", "domain.json", "relationships.json", "overview.json", "documentation-manifest.json")
STAGES = ("plan", "document", "finish")
# Locks, the lease with its holder, and a record for each run; SQLite's file is compared by what it says.
OWN_TO_A_RUN = (".tribal/", "progress/lease.json", "progress/runs/", INDEX_FILE)
TABLES = "".join(
    f"CREATE SCHEMA {schema};"
    + "".join(
        f"CREATE TABLE {schema}.t{n:02} (id int PRIMARY KEY, code text, up int REFERENCES {schema}.t{n // 2:02});"
        f"INSERT INTO {schema}.t{n:02} SELECT g, 'A' || g % 3 FROM generate_series(1, 9) AS g;"
        for n in range(15)
    )
    for schema in ("sales", "stock", "people", "billing")
)


@dataclass(frozen=True)
class Undisturbed:
    """What a run leaves that no one disturbed."""

    dsn: str
    files: dict[str, bytes]
    index: list[str]
    moments: dict[str, range]
    """Of each stage, the numbers of files that there are while it works."""


def files_of(folder: Path) -> dict[str, bytes]:
    return contents(folder, *OWN_TO_A_RUN)


def count_files(folder: Path) -> int:
    """Files but for the records of runs, of which two commands have more than one."""
    return sum(len(names) for place, _, names in os.walk(folder) if "/progress/runs" not in place)


@pytest.fixture(scope="module")
def undisturbed(postgres_server: EmbeddedServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Undisturbed]:
    folder = tmp_path_factory.mktemp("undisturbed")
    with new_database(postgres_server, TABLES) as dsn:
        counts = [0]
        for command in ("plan", "document", "index"):
            ran = tribal(command, dsn, cwd=folder, SOURCE_DATE_EPOCH=EPOCH)
            assert ran.returncode == 0, ran.stderr
            counts.append(count_files(folder))
        tables = len(list(folder.glob("docs/*/*/*.t*.md")))
        assert tables == 60
        finish = counts[2] - sum(1 for path in (folder / "docs").rglob("*") if path.name in FINISHED)
        moments = {
            "plan": range(1, counts[1]),
            "document": range(counts[1], finish),
            "finish": range(finish, counts[2]),
        }
        yield Undisturbed(dsn, files_of(folder), logical_dump(folder / INDEX_FILE), moments)


@pytest.mark.xdist_group("killed")
@each_case("number", range(KILLS))
def test_a_killed_run_is_resumed_and_ends_as_if_nothing_had_happened(
    number: int, undisturbed: Undisturbed, tmp_path: Path
) -> None:
    stage = STAGES[number % len(STAGES)]
    moment = random.Random(number).choice(undisturbed.moments[stage])
    killed = start_tribal("run", undisturbed.dsn, cwd=tmp_path, SOURCE_DATE_EPOCH=EPOCH)
    wait_until(lambda: count_files(tmp_path) >= moment or killed.poll() is not None)
    killed.kill()
    _, errors = killed.communicate(timeout=60)
    assert killed.returncode == -signal.SIGKILL, errors
    again = tribal("run", undisturbed.dsn, cwd=tmp_path, SOURCE_DATE_EPOCH=EPOCH)
    assert again.returncode == 0, again.stderr
    found = files_of(tmp_path)
    assert found.keys() == undisturbed.files.keys(), f"killed with {moment} files"
    assert [name for name in found if found[name] != undisturbed.files[name]] == [], f"killed with {moment} files"
    assert logical_dump(tmp_path / INDEX_FILE) == undisturbed.index
