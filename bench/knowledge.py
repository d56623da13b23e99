"""Are tables named in SQL and decision records read right, and how fast are queries, checks and syncs?

`python -m bench.knowledge`; the first three tables need `TRIBAL_BENCH_DATA`: queries that people wrote with the tables
that they listed, and decision records of public repositories with their titles and statuses.
"""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from bench.harness import DATA_VARIABLE, Bench, Row, Table, percentile, run
from bench.question_sets import read_lines
from tribal.adapters.local.folder import FolderStore
from tribal.adapters.local.knowledge import KnowledgeFolder
from tribal.adapters.wordllama.embedder import WordLlamaEmbedder
from tribal.capabilities.knowledge.items.decisions import known_status, without_number
from tribal.capabilities.knowledge.items.item_file import ReadItem, read_item
from tribal.capabilities.knowledge.items.places import Layout, Place
from tribal.capabilities.knowledge.policies.checking import Rule, check
from tribal.capabilities.knowledge.policies.collecting import DocumentedNames, collect_evidence
from tribal.capabilities.knowledge.policies.evidence import SourceFile
from tribal.capabilities.knowledge.query import query
from tribal.capabilities.knowledge.snapshots.projection import projection_of
from tribal.capabilities.knowledge.snapshots.publishing import publish
from tribal.capabilities.knowledge.snapshots.visible_items import SnapshotReader
from tribal.errors import ItemUnusable
from tribal.ports.derived import DerivedValues
from tribal.ports.remembering.identity import Identity
from tribal.scoping.bounds import OPEN
from tribal.sql.statements import references_in
from tribal_contracts.knowledge import STATUSES, Constraint, KnowledgeQueryInput

DIALECTS = {"spider_union": "sqlite", "bird_mini": "sqlite", "defog": "postgres", "kaggledbqa": "sqlite"}
"""Sets of queries, and the dialect that each is written in."""
ITEMS = 1_000
_NOW = "2026-11-23T08:00:00Z"
_PLACE = Place("project", "shop", "adr")
_LAYOUT = Layout(flat=_PLACE)


def tables(bench: Bench) -> Iterator[Table]:
    """Rate what is read, then measure checks and syncs."""
    if os.environ.get(DATA_VARIABLE):
        yield Table(
            "tables named by queries",
            [_named(bench.data, *each) for each in DIALECTS.items() if (bench.data / each[0]).exists()],
        )
        yield Table("decision records", [_records(bench.data / "adr_files")])
        yield Table("records queried by their titles", [_queried_by_title(bench, bench.data / "adr_files")])
    yield Table("checks and syncs", [_check(), *_syncs(bench)])


def _named(data: Path, name: str, dialect: str) -> Row:
    """Compare the tables of queries with those that people listed; of several queries, people listed the first's."""
    counts: Counter[str] = Counter()
    for record in read_lines(data / name / "questions.jsonl"):
        gold = {each.rpartition(".")[2].casefold() for each in record["gold_tables"]}
        found = references_in(str(record["sql"]).split(";")[0], dialect)
        names = {each.parts[-1].casefold() for each in found.tables}
        outcome = "not parsed" if found.unread else "right" if names == gold else "others"
        counts.update({"queries": 1, outcome: 1, "with a wrong name": int(not found.unread and bool(names - gold))})
    return {"set": name, **{part: counts[part] for part in ("queries", "right", "not parsed", "with a wrong name")}}


def _records(folder: Path) -> Row:
    """Read every record, and compare title and status with what people read."""
    counts: Counter[str] = Counter()
    for record in read_lines(folder / "gold.jsonl"):
        item = _read(folder, str(record["file"]))
        counts.update(files=1, refused=item is None)
        if record["title"]:
            right = item is not None and _plain(item.title) == _plain(record["title"])
            counts.update({"titles": 1, "titles right": int(right)})
        if record["status"]:
            right = item is not None and item.status == known_status(str(record["status"]))[0]
            counts.update({"statuses": 1, "statuses right": int(right)})
    return dict(counts)


def _read(folder: Path, name: str) -> ReadItem | None:
    try:
        return read_item(name, (folder / name).read_bytes(), _PLACE)
    except ItemUnusable:
        return None


def _plain(title: str) -> str:
    return without_number(title).replace("`", "").replace("\\", "")


def _queried_by_title(bench: Bench, folder: Path) -> Row:
    """Query each record by its title, among generated ones that make a thousand."""
    embedder = WordLlamaEmbedder()
    source, store = bench.new_folder("titles"), FolderStore(bench.folder / "titles-store")
    paths = [folder / str(record["file"]) for record in read_lines(folder / "gold.jsonl")]
    for number, path in enumerate(paths):
        (source / f"{number:04}-{path.name}").write_bytes(path.read_bytes())
    for number in range(len(paths), ITEMS):
        (source / f"{number:04}-decision.md").write_text(_generated(number))
    manifest = publish(KnowledgeFolder(source), _LAYOUT, store, _NOW).manifest
    projection_of(manifest, store, lambda: embedder, writing=True)
    identity = Identity(user="bench", projects=("shop",))
    shelf = SnapshotReader(store, lambda: embedder, DerivedValues()).visible(identity, OPEN)
    titles = [each.title for each in shelf.holdings.items if int(each.id[:4]) < len(paths)]
    milliseconds, first = [], 0
    for title in titles:
        request = KnowledgeQueryInput.model_validate({"query": title[:2_000], "status": list(STATUSES), "limit": 1})
        start = time.perf_counter()
        answer = query(request, shelf, lambda: embedder)
        milliseconds.append((time.perf_counter() - start) * 1_000)
        first += bool(answer.items) and answer.items[0].title == title
    return {"items": ITEMS, "queries": len(titles), "first": first, "p95 ms": percentile(milliseconds, 0.95)}


def _generated(number: int) -> str:
    return f"# {number}. Decision {number}\n\nStatus: accepted\n\n## Decision\n\nWe take {number}. Always.\n"


def _check() -> Row:
    """Check 200 constraints on 100 files of 10 KB."""
    files = [SourceFile(f"src/{number}.py", f"import os\nvalue_{number} = 1\n" * 400) for number in range(100)]
    constraints = [
        Constraint(operator="must_not_match", target="code", pattern=f"no_{number}$") for number in range(200)
    ]
    rules = [Rule(f"r{number}", "A rule", None, constraint) for number, constraint in enumerate(constraints)]
    start = time.perf_counter()
    picture, _ = collect_evidence(files, DocumentedNames(), {"code"}, is_complete=True)
    assert check(rules, picture, "info").passed
    return {"what": "200 constraints on 100 files", "seconds": time.perf_counter() - start}


def _syncs(bench: Bench) -> Iterator[Row]:
    """Sync a folder twice: from nothing, and with nothing new."""
    source, store = bench.new_folder("source"), FolderStore(bench.folder / "store")
    for number in range(ITEMS):
        (source / f"{number:04}-decision.md").write_text(_generated(number) + "Because.\n" * 100)
    for what in ("first sync", "sync with nothing new"):
        start = time.perf_counter()
        published = publish(KnowledgeFolder(source), _LAYOUT, store, _NOW)
        assert len(published.manifest.items) == ITEMS
        yield {"what": f"{what} of {ITEMS:,} items", "seconds": time.perf_counter() - start}


if __name__ == "__main__":
    sys.exit(run("knowledge", tables))
