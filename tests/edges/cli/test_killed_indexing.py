"""Indexing that is killed at any moment is resumed by the next run, and what can be read meanwhile is whole.

Moments are counts of statements and of calls that change files, so that they do not depend on how fast the machine is.
`TRIBAL_KILLS=20` tries more of them.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cases import each_case
from tests.edges.cli.tribal_command import clean_environment, tribal
from tests.fakes import MemoryStore
from tests.indexing.index_dump import logical_dump
from tests.sample_shop.indexed import Key, table_document, write_documentation
from tribal.adapters.local.folder import FolderStore
from tribal.identity.locations import INDEX_FILE, INDEXER_PROGRESS_FILE
from tribal_contracts import IndexerProgress

pytestmark = pytest.mark.slow

EPOCH = "1767225600"
KILLS = int(os.environ.get("TRIBAL_KILLS", "2"))
DSN = "postgresql://nobody@127.0.0.1:1/shop"
PROGRAM = """
import os, signal, sqlite3, sys
wanted, counted = int(sys.argv.pop(1)), 0
names = {"execute", "executemany", "open", "fsync", "replace", "rename", "unlink", "mkdir", "sendfile", "close"}
def count(frame, event, called):
    global counted
    if event != "c_call" or called.__name__ not in names:
        return
    if isinstance(called.__self__, sqlite3.Connection) or called.__module__ == "posix":
        counted += 1
        if counted == wanted:
            os.kill(os.getpid(), signal.SIGKILL)
from tribal.edges.cli.app import main
sys.setprofile(count)
try:
    main()
finally:
    sys.setprofile(None)
    print("counted", counted, file=sys.stderr)
"""


@dataclass(frozen=True)
class Shop:
    """Two states of a documentation, and what indexing the second leaves when no one disturbs it."""

    before: Path
    """Documents of the first state, indexed."""
    after: Path
    """Documents of the second state, not indexed."""
    old: list[str]
    new: list[str]
    moments: dict[str, int]
    """How many there are while the second state is indexed from nothing and on top of the first."""


def write_state(folder: Path, changed: bool) -> None:
    """220 tables in two batches of files; of the second state some are changed, some gone, some moved, some new."""
    store = MemoryStore()
    kept = range(10, 230) if changed else range(220)
    key = Key(("up",), "s.t015", ("id",))
    tables = [
        table_document(
            f"shop.s.t{n:03}",
            "id up",
            domain="moved" if changed and n % 9 == 0 else "sales",
            keys=[key] if n > 15 else (),
            rows=7 if changed and n % 2 else 100,
        )
        for n in kept
    ]
    write_documentation(store, tables)
    target = FolderStore(folder)
    for name in list(store.keys()):
        target.put(name, store.get(name).data)


def index_counting(folder: Path, wanted: int = 0) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, str(wanted), "index", DSN],
        cwd=folder,
        env=clean_environment(SOURCE_DATE_EPOCH=EPOCH),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def moments_of(folder: Path) -> int:
    ran = index_counting(folder)
    assert ran.returncode == 0, ran.stderr
    return int(ran.stderr.rpartition("counted ")[2])


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    folder = tmp_path_factory.mktemp("shop")
    before, after, whole = folder / "before", folder / "after", folder / "whole"
    write_state(before, changed=False)
    write_state(after, changed=True)
    assert tribal("index", DSN, cwd=before, SOURCE_DATE_EPOCH=EPOCH).returncode == 0
    shutil.copytree(after, whole)
    moments = {"from nothing": moments_of(whole)}
    new = logical_dump(whole / INDEX_FILE)
    on_top = prepared(folder / "on top", before, after)
    moments["on top"] = moments_of(on_top)
    assert logical_dump(on_top / INDEX_FILE) == new
    return Shop(before, after, logical_dump(before / INDEX_FILE), new, moments)


def prepared(folder: Path, before: Path | None, after: Path) -> Path:
    """The second state's documents, with the first state's index where it is asked for."""
    shutil.copytree(after, folder)
    if before is not None:
        shutil.copytree(before / "data", folder / "data")
        shutil.copytree(before / "progress", folder / "progress", dirs_exist_ok=True)
    return folder


@pytest.mark.xdist_group("killed")
@each_case("number", range(KILLS))
def test_killed_indexing_is_resumed_and_never_leaves_half_an_index(number: int, shop: Shop, tmp_path: Path) -> None:
    mode = ("on top", "from nothing")[number % 2]
    moment = random.Random(number).randint(1, shop.moments[mode] - 1)
    folder = prepared(tmp_path / "project", shop.before if mode == "on top" else None, shop.after)
    killed = index_counting(folder, moment)
    assert killed.returncode == -signal.SIGKILL, f"{mode}, moment {moment}: {killed.stderr}"
    left = logical_dump(folder / INDEX_FILE) if (folder / INDEX_FILE).exists() else None
    assert left in ((shop.old, shop.new) if mode == "on top" else (None, shop.new)), f"{mode}, moment {moment}"
    again = tribal("index", DSN, cwd=folder, SOURCE_DATE_EPOCH=EPOCH)
    assert again.returncode == 0, again.stderr
    assert logical_dump(folder / INDEX_FILE) == shop.new, f"{mode}, moment {moment}"
    names = sorted(path.name for path in (folder / INDEX_FILE).parent.iterdir())
    assert names == [Path(INDEX_FILE).name, f"{Path(INDEX_FILE).name}-sum"]
    progress = IndexerProgress.from_json((folder / INDEXER_PROGRESS_FILE).read_bytes())
    assert (progress.status, progress.files_failed) == ("completed", 0)
    assert progress.files_indexed + progress.files_skipped == progress.files_total
