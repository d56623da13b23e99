"""What a benchmark measures is printed as a table and written as JSON, and a failure is reported in one line."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import bench
from bench.__main__ import WITH_DATA, WITHOUT_DATA
from bench.harness import Bench, BenchmarkFailed, Table, measure, open_bench, record


def _two_tables(session: Bench) -> Iterator[Table]:
    yield Table("sizes", [{"of": "a", "tables": 1_000, "share": 0.5}, {"of": "b", "seconds": 12.345}], ["a remark"])
    measure([sys.executable, "-c", "raise SystemExit('no such table')"], folder=session.folder)
    yield Table("never reached", [])


def test_tables_are_printed_and_written_until_a_command_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with open_bench() as session:
        assert record("sizes", _two_tables, session) == 1
    output = capsys.readouterr()
    assert output.out.splitlines()[1:] == [
        "sizes",
        "of  tables  share  seconds",
        "a    1,000  0.500",
        "b                    12.35",
        "a remark",
    ]
    assert output.err.startswith("bench.sizes: FAILED: ")
    assert output.err.endswith("no such table\n\n")
    written = json.loads((tmp_path / ".bench" / "sizes.json").read_text())
    assert written["tables"] == {"sizes": [{"of": "a", "tables": 1_000, "share": 0.5}, {"of": "b", "seconds": 12.345}]}


def test_a_measured_command_has_its_time_memory_and_output(tmp_path: Path) -> None:
    found = measure([sys.executable, "-c", "print(len(bytearray(64 << 20)))"], folder=tmp_path, runs=2)
    assert (found.runs, found.output) == (2, f"{64 << 20}\n")
    assert found.seconds > 0
    assert found.cpu_seconds > 0


def test_without_the_public_data_a_benchmark_says_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TRIBAL_BENCH_DATA", raising=False)
    with open_bench() as session, pytest.raises(BenchmarkFailed, match="set TRIBAL_BENCH_DATA to a folder"):
        _ = session.data


def test_every_benchmark_that_make_bench_runs_exists() -> None:
    modules = {file.stem for file in Path(bench.__file__).parent.glob("*.py")}
    assert modules.issuperset([*WITHOUT_DATA, *WITH_DATA])
