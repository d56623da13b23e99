"""Whatever is killed when: at the next start the objects and the index agree."""

from __future__ import annotations

import random
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.capabilities.memory.killed_change import (
    OLD,
    SPACES,
    add,
    add_a_tag,
    add_to_session,
    ask,
    build,
    change_for_ever,
    delete,
    killed_at,
    lose_index,
    started,
)
from tests.fakes.application import memory_index
from tests.forked import exit_code, forked, shared_event, wait_until
from tests.plugins.verify import examples
from tribal.capabilities.memory.records import all_memories, space_of
from tribal.capabilities.memory.repository import PENDING, VERSION_KEY, Repository
from tribal.ports import Application
from tribal.ports.remembering.memory_index import IndexedMemory
from tribal.ports.remembering.selection import MemorySelection


def agreed(folder: Path, index: str) -> list[str]:
    """What is remembered at the next start, which is what the objects say and what a search finds."""
    with closing(started(folder, index)) as app:
        found = ask(app, "memory_search", query="refunds orders plant", threshold=0, limit=100)
        truth = sorted(record.content for record in all_memories(app.store()))
        kept = [*memory_index(app).of_spaces(MemorySelection(SPACES))]
        assert sorted(each.record.content for each in kept) == truth
        assert {space_of(each.record) for each in kept} <= {*SPACES}
        assert found["totalCount"] == len(truth)
    return truth


@pytest.mark.parametrize(
    ("index", "act", "ends"),
    [
        ("sqlite", add, ({*OLD}, {*OLD, "Refunds need a reason"})),
        ("sqlite", add_to_session, ({*OLD}, {*OLD, "Refunds need a reason"})),
        ("sqlite", add_a_tag, ({*OLD},)),
        ("sqlite", delete, ({*OLD}, {*OLD[1:]})),
        ("sqlite", build, ({*OLD},)),
        ("journal", add, ({*OLD}, {*OLD, "Refunds need a reason"})),
        ("journal", build, ({*OLD},)),
    ],
)
def test_killed_at_any_step_of_a_change_the_next_start_agrees(
    tmp_path: Path, index: str, act: Callable[[Application], object], ends: tuple[set[str], ...]
) -> None:
    before = tmp_path / "before"
    before.mkdir()
    with closing(started(before, index)) as app:
        for content in OLD:
            assert ask(app, "memory_add", content=content)["success"]
    for step in range(40):
        folder = Path(shutil.copytree(before, tmp_path / str(step)))
        was_killed = killed_at(folder, index, step, act)
        assert {*agreed(folder, index)} in ends
        if not was_killed:
            assert step >= 4
            return
    pytest.fail("it never ended")


@pytest.mark.parametrize("index", ["sqlite", "journal"])
def test_killed_at_several_moments_of_adding_deleting_and_building_the_next_start_agrees(
    tmp_path: Path, index: str
) -> None:
    moments = random.Random(7)
    with closing(started(tmp_path, index)) as app:
        ask(app, "memory_add", content=OLD[0])
    for moment in range(examples(5, 20)):
        busy = shared_event()
        child = forked(change_for_ever, tmp_path, index, moment, busy)
        child.start()
        wait_until(busy)
        time.sleep(moments.uniform(0.0, 0.15))
        child.kill()
        assert exit_code(child) == -signal.SIGKILL
        agreed(tmp_path, index)


@pytest.fixture(name="app")
def app_fixture(tmp_path: Path) -> Iterator[Application]:
    with closing(started(tmp_path)) as made:
        yield made


def test_when_nothing_was_killed_nothing_is_left_to_do(app: Application) -> None:
    add(app)
    add_to_session(app)
    delete_all(app)
    assert [*app.store().keys(PENDING)] == []


def delete_all(app: Application) -> None:
    for each in ask(app, "memory_search", query="refunds", threshold=0)["results"]:
        assert ask(app, "memory_delete", memoryId=each["memoryId"])["success"]


def test_a_note_is_left_to_a_writer_that_may_live_and_goes_after_that(app: Application) -> None:
    kept = Repository(app.store(), memory_index(app), app.embedder)
    changing = kept.changing(SPACES[0], ["mem_00000000000000000000"], "add")
    changing.__enter__()
    kept.recover(datetime.now(UTC))
    assert len([*app.store().keys(PENDING)]) == 1
    kept.recover(datetime.now(UTC) + timedelta(hours=1))
    assert [*app.store().keys(PENDING)] == []


def test_a_note_that_cannot_be_read_stops_no_one(app: Application) -> None:
    for number, data in enumerate((b"{", b"{}", b"[]", b'{"at": "2026-11-23T08:00:00+00:00", "layer": "user"}')):
        app.store().put(f"{PENDING}{number}.json", data)
    add(app)
    assert [*app.store().keys(PENDING)] == []


@pytest.mark.parametrize("index", ["sqlite", "journal"])
def test_a_lost_index_is_rebuilt(tmp_path: Path, index: str) -> None:
    with closing(started(tmp_path, index)) as app:
        for content in OLD:
            ask(app, "memory_add", content=content)
        lose_index(app)
    assert {*agreed(tmp_path, index)} == {*OLD}


@pytest.mark.parametrize("index", ["sqlite", "journal"])
def test_an_index_with_terms_of_another_version_is_rebuilt_once(tmp_path: Path, index: str) -> None:
    with closing(started(tmp_path, index)) as app:
        for content in OLD:
            ask(app, "memory_add", content=content)
        (kept, *_) = memory_index(app).of_spaces(MemorySelection(SPACES))
        memory_index(app).write([IndexedMemory(kept.space, kept.record, ("older",))])
        app.store().put(VERSION_KEY, b"1")
    assert {*agreed(tmp_path, index)} == {*OLD}
    with closing(started(tmp_path, index)) as app:
        assert ask(app, "memory_search", query="refunds", threshold=0)["totalCount"] == len(OLD)
        assert memory_index(app).by_words(MemorySelection(SPACES), ["older"], 9) == []
        memory_index(app).write([IndexedMemory(kept.space, kept.record, ("newer",))])
    with closing(started(tmp_path, index)) as app:
        ask(app, "memory_search", query="refunds", threshold=0)
        assert len(memory_index(app).by_words(MemorySelection(SPACES), ["newer"], 9)) == 1
