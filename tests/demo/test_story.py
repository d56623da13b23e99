"""`tribal demo`, played in a database of the user's."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests import ROOT
from tests.edges.cli.tribal_command import clean_environment, tribal
from tests.plugins.postgres import FreshDatabase, administer
from tribal_demo.company import MIGRATION, VARIABLE


def test_the_demo_tells_its_story_twice_and_leaves_the_database_as_it_was(
    fresh_database: FreshDatabase, tmp_path: Path
) -> None:
    dsn = fresh_database("")
    first = tribal("demo", "sample", cwd=tmp_path, **{VARIABLE: dsn})
    assert first.returncode == 0, first.stdout + first.stderr
    assert len(first.stdout.splitlines()) <= 60
    steps = ("1. Run", "2. Search", "3. Join", "4. Change", "5. Check", "6. Remember", "And more")
    positions = [first.stdout.index(f"\n{step}") for step in steps]
    assert positions == sorted(positions)
    assert "metric on-time delivery rate" in first.stdout
    assert "BLOCKED: 1 block" in first.stdout
    assert first.stdout.splitlines()[-1].startswith("demo: done in ")
    # As after a demo that was killed in the middle of its fourth step.
    administer(dsn, MIGRATION)
    again = tribal("demo", "sample", cwd=tmp_path, **{VARIABLE: dsn})
    assert again.returncode == 0, again.stdout + again.stderr
    assert "0 tables documented, 49 unchanged" in again.stdout
    columns = "SELECT column_name FROM information_schema.columns WHERE column_name = 'late_reason'"
    assert administer(dsn, columns) == []


def test_a_database_with_other_tables_is_left_alone(fresh_database: FreshDatabase, tmp_path: Path) -> None:
    dsn = fresh_database("CREATE TABLE other (id int)")
    refused = tribal("demo", cwd=tmp_path, **{VARIABLE: dsn})
    assert refused.returncode == 1
    assert "is not empty; name an empty one" in refused.stderr
    assert administer(dsn, "SELECT count(*) FROM other") == [[0]]


# The command that it runs has tests of its own.
@pytest.mark.verify
@pytest.mark.server
@pytest.mark.skipif(bool(os.environ.get(VARIABLE)), reason="the demo would use a database of the user's")
def test_make_demo_ends_with_a_line_that_says_what_happened() -> None:
    done = subprocess.run(
        ["make", "--no-print-directory", "demo"],
        cwd=ROOT,
        env=clean_environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert re.fullmatch(r"demo: done in \d+ s", done.stdout.splitlines()[-1])
    assert "SELECT" in done.stdout
