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

from dulwich.objects import Blob, Commit, Tree
from dulwich.refs import Ref
from dulwich.repo import Repo

from bench.descriptions import DATA_VARIABLE
from tribal.adapters.git.knowledge import GitKnowledge
from tribal.adapters.local.folder import FolderStore
from tribal.adapters.local.knowledge import KnowledgeFolder
from tribal.adapters.wordllama.embedder import WordLlamaEmbedder
from tribal.capabilities.knowledge.items.decisions import known_status, without_number
from tribal.capabilities.knowledge.items.item_file import ReadItem, read_item
from tribal.capabilities.knowledge.items.places import Layout, Place
from tribal.capabilities.knowledge.policies.checking import Rule, check
from tribal.capabilities.knowledge.policies.collecting import DocumentedNames, collect_evidence
from tribal.capabilities.knowledge.policies.evidence import SourceFile
from tribal.capabilities.knowledge.policies.sql import names_in
from tribal.capabilities.knowledge.query import query
from tribal.capabilities.knowledge.snapshots.projection import projection_of
from tribal.capabilities.knowledge.snapshots.publishing import publish
from tribal.capabilities.knowledge.snapshots.visible_items import SnapshotReader
from tribal.errors import ItemUnusable
from tribal.ports.derived import Derived
from tribal.ports.remembering.identity import Identity
from tribal.scoping.bounds import OPEN
from tribal_contracts.knowledge import STATUSES, Constraint, KnowledgeQueryInput

SETS = {"spider_union": "sqlite", "bird_mini": "sqlite", "defog": "postgres", "kaggledbqa": "sqlite"}
"""Sets of queries, and the dialect that each is written in."""
ITEMS = 1_000
_NOW = "2026-11-23T08:00:00Z"
_PLACE = Place("project", "shop", "adr")
_LAYOUT = Layout(flat=_PLACE)
COMMITS = 4_000


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


@dataclass(frozen=True, slots=True)
class Found:
    """Records asked for by their titles, among a thousand."""

    asked: int
    first: int
    p95_ms: float


def main() -> int:
    """Measure and print; returns the exit code."""
    data = os.environ.get(DATA_VARIABLE)
    if data:
        print_named(named(Path(data)))
        print_records(records(Path(data) / "adr_files"))
        print_found(asked_by_title(Path(data) / "adr_files"))
    print_times(times())
    print_history(*history_times())
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


def asked_by_title(folder: Path) -> Found:
    """Ask for each record by the title that it has, among generated ones that make a thousand.

    Two records of the same title are both right.
    """
    embedder = WordLlamaEmbedder()
    with TemporaryDirectory(prefix="tribal-knowledge-") as scratch:
        source, store = Path(scratch) / "source", FolderStore(Path(scratch) / "store")
        source.mkdir()
        paths = [folder / str(told["file"]) for told in _lines(folder / "gold.jsonl")]
        for number, path in enumerate(paths):
            (source / f"{number:04}-{path.name}").write_bytes(path.read_bytes())
        for number in range(len(paths), ITEMS):
            (source / f"{number:04}-decision.md").write_text(_generated(number))
        manifest = publish(KnowledgeFolder(source), _LAYOUT, store, _NOW).manifest
        projection_of(manifest, store, lambda: embedder, writing=True)
        identity = Identity(user="bench", projects=("shop",))
        visible = SnapshotReader(store, lambda: embedder, Derived()).visible(identity, OPEN)
        titles = [each.title for each in visible.holdings.items if int(each.id[:4]) < len(paths)]
        took, first = [], 0
        for title in titles:
            request = KnowledgeQueryInput.model_validate({"query": title[:2_000], "status": list(STATUSES), "limit": 1})
            began = time.perf_counter()
            answer = query(request, visible, lambda: embedder)
            took.append((time.perf_counter() - began) * 1_000)
            first += bool(answer.items) and answer.items[0].title == title
        return Found(len(titles), first, sorted(took)[int(len(took) * 0.95)])


def history_times() -> tuple[float, float]:
    """Seconds of a first sync of a thousand items with 4,000 commits, and of one that finds nothing new."""
    with TemporaryDirectory(prefix="tribal-knowledge-") as scratch:
        place, store = Path(scratch) / "repository", FolderStore(Path(scratch) / "store")
        _committed(place)
        took = []
        for _ in range(2):
            source = GitKnowledge(place)
            began = time.perf_counter()
            published = publish(source, _LAYOUT, store, _NOW)
            took.append(time.perf_counter() - began)
            source.close()
            assert len(published.manifest.items) == ITEMS
    return took[0], took[1]


def _committed(place: Path) -> None:
    """A repository of one folder, of which each commit changes one file."""
    repository = Repo.init_bare(str(place), mkdir=True)
    tree, head = Tree(), None
    for number in range(COMMITS):
        blob = Blob.from_string(_generated(number % ITEMS).encode() + b"%d\n" % number)
        tree[b"%04d-decision.md" % (number % ITEMS)] = (0o100644, blob.id)
        made = Commit()
        made.tree, made.parents = tree.id, [] if head is None else [head]
        made.author = made.committer = b"Ada <ada@example.com>"
        made.author_time = made.commit_time = 1_700_000_000 + number
        made.author_timezone = made.commit_timezone = 0
        made.message = b"Change"
        for each in (blob, tree, made):
            repository.object_store.add_object(each)
        head = made.id
    assert head is not None
    repository.refs[Ref(b"refs/heads/main")] = head
    repository.refs.set_symbolic_ref(Ref(b"HEAD"), Ref(b"refs/heads/main"))
    repository.object_store.pack_loose_objects()
    repository.close()


def _generated(number: int) -> str:
    return f"# {number}. Decision {number}\n\nStatus: accepted\n\n## Decision\n\nWe take {number}. Always.\n"


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
    evidence, _ = collect_evidence(files, DocumentedNames(), {"code"}, is_complete=True)
    assert check(rules, evidence, "info").passed
    checks = time.perf_counter() - began
    began = time.perf_counter()
    rule = Rule("r", "A rule", None, Constraint(operator="must_not_match", target="code", pattern="(a+)+$"))
    evidence, _ = collect_evidence(
        [SourceFile("a.txt", "a" * (1 << 20) + "!")], DocumentedNames(), {"code"}, is_complete=True
    )
    assert check([rule], evidence, "info").passed
    hostile = time.perf_counter() - began
    with TemporaryDirectory(prefix="tribal-knowledge-") as scratch:
        source, store = Path(scratch) / "source", FolderStore(Path(scratch) / "store")
        source.mkdir()
        for number in range(ITEMS):
            (source / f"{number:04}-decision.md").write_text(_generated(number) + "Because.\n" * 100)
        took = []
        for _ in range(2):
            began = time.perf_counter()
            published = publish(KnowledgeFolder(source), _LAYOUT, store, _NOW)
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


def print_found(found: Found) -> None:
    """A line."""
    print(
        f"asked for by title among {ITEMS:,}: {found.first} of {found.asked} first ({found.first / found.asked:.1%}), "
        f"p95 {found.p95_ms:.1f} ms"
    )


def print_history(first: float, second: float) -> None:
    """A line."""
    print(f"{ITEMS:,} items with {COMMITS:,} commits: first sync {first:.2f} s, unchanged {second:.2f} s")


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
