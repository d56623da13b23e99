"""A job that is killed at any of its writes ends, run again, with the same bytes as an undisturbed one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from pathlib import Path

import pytest

from tests.capabilities.chat.uploads.made_uploads import MadeUploads, PageParser, pages, zipped
from tests.capabilities.interrogation.states import Setting
from tests.capabilities.knowledge.syncing.house import ADR_042, call, decision, house, write
from tests.fakes import FixedClock, MemoryStore
from tests.fakes.dying_store import DyingStore, Killed
from tests.jobs.cycle import Cycle
from tests.sample_shop.documented import Shop
from tribal.adapters.local.folder import FolderStore
from tribal.ports import ObjectStore, Provider
from tribal_contracts.chat.settings import UploadLimits

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Kind:
    """A kind of job that is about to be worked on."""

    copy: Callable[[], ObjectStore]
    """Makes a store of its own with the job."""
    work: Callable[[ObjectStore], None]
    """Work on the job to its end, as a new process."""
    fewest_writes: int
    own: tuple[str, ...] = ()
    """What tells of the processes."""


def copy_of(objects: dict[str, bytes]) -> MemoryStore:
    store = MemoryStore()
    store._objects = dict(objects)
    return store


def contents(store: ObjectStore, without: tuple[str, ...] = ()) -> dict[str, bytes]:
    return {key: store.get(key).data for key in store.keys("") if not key.startswith(without) and "lease" not in key}


def cycle(holds_inside: bool, _: Path, __: pytest.MonkeyPatch) -> Kind:
    """The smallest job, held in one of both ways."""
    start = MemoryStore()
    Cycle(start, holds_inside=holds_inside).start()
    processes = count()

    def work(store: ObjectStore) -> None:
        number = next(processes)
        clock = FixedClock(is_fixed=True)
        clock.advance(61 * number)
        Cycle(store, clock, holds_inside).run(f"process {number}")

    return Kind(lambda: copy_of(start._objects), work, 9)


def units_of_a_run(_: Path, __: pytest.MonkeyPatch) -> Kind:
    """A run's units, and Finish."""
    shop = Shop(clock=FixedClock(is_fixed=True))
    outline = shop.plan()

    def work(store: ObjectStore) -> None:
        here = Shop(clock=FixedClock(is_fixed=True))
        here.store = store  # type: ignore[assignment]
        here.run_task(outline)

    return Kind(lambda: copy_of(shop.memory._objects), work, 20)


def session(_: Path, __: pytest.MonkeyPatch) -> Kind:
    """An interrogation, which asks at most one question twice."""
    start = Setting(store=MemoryStore()).start()
    processes = count()

    def work(store: ObjectStore) -> None:
        number = next(processes)
        here = Setting(store=store, clock=FixedClock(is_fixed=True))  # type: ignore[arg-type]
        here.clock.advance(61 * number)
        known = len(here.stored().qa_pairs)
        here.run(f"process {number}")
        assert len(here.asked) == 4 - known

    return Kind(lambda: copy_of(start.store._objects), work, 5)


@dataclass
class Waiting:
    """A collection with two files, one of which is withdrawn, and a job that waits."""

    folder: Path
    made: MadeUploads = field(init=False)

    def __post_init__(self) -> None:
        self.made = MadeUploads(self.folder, settings={"uploads": UploadLimits(pages=20)})
        self.made.upload("known.txt", pages(2, "Known {}"))
        self.made.upload("withdrawn.txt", pages(2, "Withdrawn {}"))

    def removal(self) -> str:
        return self.made.uploads().remove("handbook", "withdrawn.txt").job_id

    def upload(self) -> str:
        long = pages(11, "Vacation rule {} of ada@example.com.")
        archive = zipped(
            [
                ("long.txt", long),
                ("secret.pdf", "%PDF-1\n!encrypted"),
                ("copy of long.txt", long),
                ("known again.txt", pages(2, "Known {}")),
                ("short.md", "# Short"),
            ]
        )
        return self.made.accept("export.zip", archive).job_id


def upload(what: str, fewest_writes: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Kind:
    """An upload, a removal, or an upload that is too expensive."""
    monkeypatch.setattr("tribal.capabilities.chat.uploads.reading.PART_PASSAGES", 4)
    monkeypatch.setattr("tribal.capabilities.chat.uploads.reading.FILES_A_WRITE", 2)
    waiting = Waiting(folder)
    made = waiting.made
    job_id = waiting.removal()
    if what != "removal":
        made.embedder.usd_per_character = 1.0 if what == "refused" else 0.0
        job_id = waiting.upload()
    start = made.everything()

    def work(store: ObjectStore) -> None:
        here = replace(made, store=store, parser=PageParser())
        assert here.ingest(made.uploads().job(job_id)).status != "processing"

    return Kind(lambda: copy_of(start), work, fewest_writes)


def sync(folder: Path, _: pytest.MonkeyPatch) -> Kind:
    """A sync after decisions were added, changed and removed."""
    environment = {"SOURCE_DATE_EPOCH": "1767225600"}
    before = folder / "before"
    projects = before / "decisions/projects/shop/adrs"

    def decide(**texts: str) -> None:
        write(projects, {f"{name[1:]}.md": text for name, text in texts.items()})
        for path in before.rglob("*.md"):
            os.utime(path, (1_700_000_000, 1_700_000_000))

    write(before, {"decisions/orgs/acme/adrs/adr-042.md": ADR_042})
    decide(**{f"_{name}": decision(f"{name}. Decision {name}") for name in "123"})
    with closing(house(before, **environment)) as app:
        assert call(app, "sync_now")["success"]
    (projects / "1.md").unlink()
    decide(
        _3=decision("3. Decision 3", "Not any more.", "deprecated"),
        **{f"_{name}": decision(f"{name}. Decision {name}") for name in "245"},
    )
    copies = count()

    def copy() -> ObjectStore:
        return FolderStore(shutil.copytree(before, folder / f"copy{next(copies)}"))

    def work(store: ObjectStore) -> None:
        with closing(house(Path(store.location), **environment)) as app:
            assert call(replace(app, store=Provider.of(store)), "sync_now")["success"]
            assert call(app, "memory_search", query="Decision", threshold=0)["totalCount"] == 5

    return Kind(copy, work, 9, ("progress/", "memory/pending/", "data/", "decisions/"))


KINDS: dict[str, Callable[[Path, pytest.MonkeyPatch], Kind]] = {
    "lease beside": partial(cycle, False),
    "holder inside": partial(cycle, True),
    "units of a run": units_of_a_run,
    "session": session,
    "upload": partial(upload, "upload", 24),
    "refused upload": partial(upload, "refused", 12),
    "removal": partial(upload, "removal", 8),
    "sync": sync,
}


@pytest.mark.parametrize("name", KINDS)
def test_a_killed_job_ends_as_one_that_no_one_disturbed(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = KINDS[name](tmp_path, monkeypatch)
    undisturbed = kind.copy()
    kind.work(undisturbed)
    expected = contents(undisturbed, kind.own)
    for writes in count():
        store = kind.copy()
        try:
            kind.work(DyingStore(store, writes))
        except Killed:
            kind.work(store)
        else:
            break
        assert contents(store, kind.own) == expected, f"killed after {writes} writes"
    assert writes >= kind.fewest_writes
