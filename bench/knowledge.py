"""Measures knowledge and policies: names in SQL, decision records of other people, checks, syncs.

`python -m bench.knowledge`; the first two parts need `TRIBAL_BENCH_DATA`.
"""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.descriptions import DATA_VARIABLE
from tribal.adapters.local.folder import FolderStore
from tribal.adapters.local.knowledge import KnowledgeFolder
from tribal.errors import ItemUnusable
from tribal.knowledge.decisions import known_status, without_number
from tribal.knowledge.places import Layout, Place
from tribal.knowledge.publishing import publish
from tribal.knowledge.reading import ReadItem, read_item
from tribal.policies.checking import Rule, check
from tribal.policies.gathering import Beside, picture_of
from tribal.policies.picture import SourceFile
from tribal.policies.sql import names_in
from tribal_contracts.knowledge import Constraint

SETS = {"spider_union": "sqlite", "bird_mini": "sqlite", "defog": "postgres", "kaggledbqa": "sqlite"}
"""Sets of queries, and the dialect that each is written in."""
ITEMS = 1_000
_NOW = "2026-11-23T08:00:00Z"
_PLACE = Place("project", "shop", "adr")


@dataclass(frozen=True, slots=True)
class Named:
    """Tables named by queries."""

    queries: int
    right: int
    unread: int
    wrong: int
    """Queries for which a name was told that the gold does not have."""


@dataclass(frozen=True, slots=True)
class Records:
    """Decision records."""

    files: int
    refused: int
    titled: int
    titles_right: int
    stated: int
    statuses_right: int


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds."""

    checks: float
    hostile: float
    first_sync: float
    second_sync: float


def main() -> int:
    """Measure and print; returns the exit code."""
    data = os.environ.get(DATA_VARIABLE)
    if data:
        print_named(named(Path(data)))
        print_records(records(Path(data) / "adr_files"))
    print_times(times())
    return 0


def named(data: Path) -> Named:
    """Compare the tables of queries with those that people listed.

    Where a text has several queries, people listed those of the first.
    """
    queries = right = unread = wrong = 0
    for name, dialect in SETS.items():
        for told in _lines(data / name / "questions.jsonl"):
            gold = {each.rpartition(".")[2].casefold() for each in told["gold_tables"]}
            found = names_in(str(told["sql"]).split(";")[0], dialect)
            tables = {each.spellings[-1].casefold() for each in found.tables}
            queries += 1
            unread += bool(found.unread)
            right += not found.unread and tables == gold
            wrong += not found.unread and bool(tables - gold)
    return Named(queries, right, unread, wrong)


def records(folder: Path) -> Records:
    """Read every record, and compare title and status with what people read."""
    gold = _lines(folder / "gold.jsonl")
    read = [(told, _read(folder, str(told["file"]))) for told in gold]
    titled = [(told, item) for told, item in read if told["title"]]
    stated = [(told, item) for told, item in read if told["status"]]
    return Records(
        files=len(read),
        refused=sum(item is None for _, item in read),
        titled=len(titled),
        titles_right=sum(item is not None and _plain(item.title) == _plain(told["title"]) for told, item in titled),
        stated=len(stated),
        statuses_right=sum(
            item is not None and item.status == known_status(str(told["status"]))[0] for told, item in stated
        ),
    )


def times() -> Times:
    """How long checks and syncs take."""
    files = [SourceFile(f"src/{number}.py", f"import os\nvalue_{number} = 1\n" * 400) for number in range(100)]
    rules = [
        Rule(
            f"r{number}", "A rule", None, Constraint(operator="must_not_match", target="code", pattern=f"no_{number}$")
        )
        for number in range(200)
    ]
    began = time.perf_counter()
    picture, _ = picture_of(files, Beside(), {"code"}, is_complete=True)
    assert check(rules, picture, "info").passed
    checks = time.perf_counter() - began
    began = time.perf_counter()
    rule = Rule("r", "A rule", None, Constraint(operator="must_not_match", target="code", pattern="(a+)+$"))
    picture, _ = picture_of([SourceFile("a.txt", "a" * (1 << 20) + "!")], Beside(), {"code"}, is_complete=True)
    assert check([rule], picture, "info").passed
    hostile = time.perf_counter() - began
    with TemporaryDirectory(prefix="tribal-knowledge-") as scratch:
        source, store = Path(scratch) / "source", FolderStore(Path(scratch) / "store")
        source.mkdir()
        for number in range(ITEMS):
            text = f"# {number}. Decision {number}\n\nStatus: accepted\n\n## Decision\n\nWe take {number}. Always.\n"
            (source / f"{number:04}-decision.md").write_text(text + "Because.\n" * 100)
        took = []
        for _ in range(2):
            began = time.perf_counter()
            published = publish(KnowledgeFolder(source), Layout(flat=_PLACE), store, _NOW)
            took.append(time.perf_counter() - began)
            assert len(published.manifest.items) == ITEMS
    return Times(checks, hostile, *took)


def print_named(found: Named) -> None:
    """A line."""
    print(
        f"tables named by {found.queries:,} queries: {found.right:,} right ({found.right / found.queries:.1%}), "
        f"{found.unread} not parsed, {found.wrong} with a name too many"
    )


def print_records(found: Records) -> None:
    """A line."""
    print(
        f"{found.files} decision records: {found.refused} refused or rejected, titles right {found.titles_right} of "
        f"{found.titled}, statuses right {found.statuses_right} of {found.stated}"
    )


def print_times(took: Times) -> None:
    """A line."""
    print(
        f"200 constraints on 100 files of 10 KB {took.checks:.2f} s; (a+)+$ on 1 MB {took.hostile:.2f} s; "
        f"{ITEMS:,} items: first sync {took.first_sync:.2f} s, unchanged {took.second_sync:.2f} s"
    )


def _read(folder: Path, name: str) -> ReadItem | None:
    try:
        return read_item(name, (folder / name).read_bytes(), _PLACE)
    except ItemUnusable:
        return None


def _plain(title: str) -> str:
    return without_number(title).replace("`", "").replace("\\", "")


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


if __name__ == "__main__":
    sys.exit(main())
