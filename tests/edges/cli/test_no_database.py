"""A file that lists no database, as `make demo` writes it."""

from __future__ import annotations

from pathlib import Path

from tests.edges.cli.tribal_command import tribal


def test_check_plan_and_diff_say_that_no_database_is_configured_and_run_needs_one(tmp_path: Path) -> None:
    (tmp_path / "databases.yaml").write_text("memory:\ndatabases: []\n")
    for command in ("check", "plan", "diff"):
        ended = tribal(command, cwd=tmp_path)
        assert (ended.returncode, ended.stdout) == (0, "")
        assert ended.stderr == "No database is configured: `databases` in databases.yaml is empty.\n"
    ran = tribal("run", cwd=tmp_path)
    assert ran.returncode == 2
    assert "databases.yaml lists none" in ran.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["databases.yaml"]
