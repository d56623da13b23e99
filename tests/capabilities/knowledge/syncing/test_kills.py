"""A sync that is killed at any of its writes ends, run again, with the same bytes as an undisturbed one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from tests.capabilities.knowledge.syncing.house import ADR_042, call, decision, house, write
from tests.fakes.dying_store import DyingStore, Killed
from tribal.ports import Application, Provider

EPOCH = {"SOURCE_DATE_EPOCH": "1767225600"}
_OWN = ("progress/", "memory/pending/")
"""What tells of the syncs themselves."""


def files(folder: Path, names: Iterable[str]) -> None:
    """Decisions, all written at one time."""
    write(folder, {"orgs/acme/adrs/adr-042.md": ADR_042})
    write(folder, {f"projects/shop/adrs/{name}.md": decision(f"{name}. Decision {name}") for name in names})
    for path in folder.rglob("*.md"):
        os.utime(path, (1_700_000_000, 1_700_000_000))


def after_two(project: Path, dies_at: int | None, *, done: bool = False) -> dict[str, bytes]:
    """What a store holds after one sync, changes, a sync that is killed, and another one."""
    source = project / "decisions"
    files(source, ("1", "2", "3"))
    with closing(house(project, **EPOCH)) as app:
        assert call(app, "sync_now")["success"]
        files(source, ("2", "4", "5"))
        (source / "projects/shop/adrs/1.md").unlink()
        write(source, {"projects/shop/adrs/3.md": decision("3. Decision 3", "Not any more.", "deprecated")})
        os.utime(source / "projects/shop/adrs/3.md", (1_700_000_000, 1_700_000_000))
        if dies_at is not None:
            died = killed(app, dies_at, done=done)
            if not died:
                pytest.skip(f"a sync has fewer than {dies_at + 1} writes")
    with closing(house(project, **EPOCH)) as app:
        answer = call(app, "sync_now")
        assert answer["success"], answer
        assert call(app, "memory_search", query="Decision", threshold=0)["totalCount"] == 5
        store = app.store()
        return {
            key: store.get(key).data for key in store.keys("") if not key.startswith((*_OWN, "data/", "decisions/"))
        }


def killed(app: Application, dies_at: int, *, done: bool) -> bool:
    """Whether a sync died at one of its writes."""
    try:
        call(replace(app, store=Provider.of(DyingStore(app.store(), dies_at, done=done))), "sync_now")
    except Killed:
        return True
    return False


@pytest.fixture(name="undisturbed", scope="module")
def undisturbed_fixture(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return after_two(tmp_path_factory.mktemp("undisturbed"), None)


@pytest.mark.parametrize("dies_at", range(14))
@pytest.mark.parametrize("done", [False, True], ids=["before", "after"])
def test_it_ends_as_one_that_no_one_disturbed(
    tmp_path: Path, undisturbed: dict[str, bytes], dies_at: int, *, done: bool
) -> None:
    kept = after_two(tmp_path, dies_at, done=done)
    assert sorted(kept.keys() ^ undisturbed.keys()) == []
    assert kept == undisturbed
    shutil.rmtree(tmp_path, ignore_errors=True)
