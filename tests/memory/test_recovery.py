"""Whatever is killed when: at the next start the objects and the index agree."""

from __future__ import annotations

import os
import random
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tribal.adapters.journal.memories import JournalMemories
from tribal.app.local import local_application
from tribal.app.parts import recovering
from tribal.memory.records import every, space_of
from tribal.memory.recovery import PENDING, Kept
from tribal.ports import Application, Caller, Provider
from tribal.ports.remembering.identity import LAYERS, Identity
from tribal.ports.remembering.selection import MemorySelection
from tribal.settings import load_settings
from tribal.tools.call import call_tool
from tribal.tools.registry import EVERYTHING
from tribal_contracts import MemorySettings

ADA = Caller("ada", identity=Identity("ada", session="s"))
SPACES = tuple(space for layer in LAYERS for space in ADA.identity.spaces(layer))
OLD = ("Refunds are negative invoices", "Orders close on Sundays", "The plant exports at two")
KILLED = 77


def started(folder: Path, index: str = "sqlite") -> Application:
    """A process of its own, as good as."""
    app = local_application(load_settings(project=folder, environment={}, needs_databases=False))
    if index == "journal":
        journal: Provider[Any] = Provider(lambda: JournalMemories(app.store()))
        app = replace(app, memory_index=journal, recover_memory=recovering(app.store, journal, app.embedder))
    return replace(app, memory_settings=MemorySettings(writes_per_minute=0))


def ask(app: Application, tool: str, **arguments: Any) -> Any:
    return call_tool(tool, arguments, ADA, app, EVERYTHING).model_dump(by_alias=True)


def agreed(folder: Path, index: str) -> list[str]:
    """What is remembered at the next start, which is what the objects say and what a search finds."""
    with closing(started(folder, index)) as app:
        found = ask(app, "memory_search", query="refunds orders plant", threshold=0, limit=100)
        truth = sorted(record.content for record in every(app.store()))
        assert app.memory_index is not None
        kept = [*app.memory_index().of_spaces(MemorySelection(SPACES))]
        assert sorted(each.record.content for each in kept) == truth
        assert {space_of(each.record) for each in kept} <= {*SPACES}
        assert found["totalCount"] == len(truth)
    return truth


class Fatal:
    """Ends the process before or after the given call of a part, counted over all parts."""

    def __init__(self, part: Any, count: list[int], names: tuple[str, ...]) -> None:
        self._part, self._count, self._names = part, count, names

    def __getattr__(self, name: str) -> Any:
        own = getattr(self._part, name)
        if name not in self._names:
            return own

        def counted(*arguments: Any, **more: Any) -> Any:
            self._step()
            answer = own(*arguments, **more)
            self._step()
            return answer

        return counted

    def _step(self) -> None:
        self._count[0] -= 1
        if self._count[0] < 0:
            os._exit(KILLED)


def killed_at(folder: Path, index: str, step: int, act: Callable[[Application], object]) -> bool:
    """Whether a process that acts was ended at a step of its writing."""
    child = os.fork()
    if child == 0:
        try:
            app = started(folder, index)
            app.recover_memory()
            count = [step]
            assert app.memory_index is not None
            store = Fatal(app.store(), count, ("put", "delete"))
            memories = Fatal(app.memory_index(), count, ("write", "clear"))
            act(replace(app, store=Provider(lambda: store), memory_index=Provider(lambda: memories)))
            os._exit(0)
        finally:
            os._exit(1)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, KILLED)
    return code == KILLED


def add(app: Application) -> None:
    assert ask(app, "memory_add", content="Refunds need a reason", layer="user")["success"]


def add_to_session(app: Application) -> None:
    assert ask(app, "memory_add", content="Refunds need a reason", layer="session")["success"]


def add_a_tag(app: Application) -> None:
    assert ask(app, "memory_add", content=OLD[0], tags=["billing"])["success"]


def delete(app: Application) -> None:
    (first, *_) = ask(app, "memory_search", query=OLD[0], threshold=0)["results"]
    assert ask(app, "memory_delete", memoryId=first["memoryId"])["success"]


def build(app: Application) -> None:
    assert app.memory_index is not None
    Kept(app.store(), app.memory_index(), app.embedder).build(clear=True)


@pytest.mark.parametrize("index", ["sqlite", "journal"])
@pytest.mark.parametrize(
    ("act", "ends"),
    [
        (add, ({*OLD}, {*OLD, "Refunds need a reason"})),
        (add_to_session, ({*OLD}, {*OLD, "Refunds need a reason"})),
        (add_a_tag, ({*OLD},)),
        (delete, ({*OLD}, {*OLD[1:]})),
        (build, ({*OLD},)),
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
def test_killed_at_twenty_moments_of_adding_deleting_and_building_the_next_start_agrees(
    tmp_path: Path, index: str
) -> None:
    moments = random.Random(7)
    with closing(started(tmp_path, index)) as app:
        ask(app, "memory_add", content=OLD[0])
    for moment in range(20):
        ready, told = os.pipe()
        child = os.fork()
        if child == 0:
            own = started(tmp_path, index)
            own.recover_memory()
            os.write(told, b".")
            number = 0
            while True:
                number += 1
                answer = ask(own, "memory_add", content=f"Orders of round {moment} have number {number}")
                if number % 3 == 0:
                    ask(own, "memory_delete", memoryId=answer["memoryId"])
                if number % 5 == 0:
                    build(own)
        os.read(ready, 1)
        os.close(ready)
        os.close(told)
        time.sleep(moments.uniform(0.0, 0.15))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
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
    assert app.memory_index is not None
    kept = Kept(app.store(), app.memory_index(), app.embedder)
    changing = kept.changing(SPACES[0], ["mem_00000000000000000000"], "add")
    changing.__enter__()
    kept.recover(datetime.now(UTC))
    assert len([*app.store().keys(PENDING)]) == 1
    kept.recover(datetime.now(UTC) + timedelta(hours=1))
    assert [*app.store().keys(PENDING)] == []


def test_a_note_that_cannot_be_read_stops_nobody(app: Application) -> None:
    for number, data in enumerate((b"{", b"{}", b"[]", b'{"at": "2026-11-23T08:00:00+00:00", "layer": "user"}')):
        app.store().put(f"{PENDING}{number}.json", data)
    add(app)
    assert [*app.store().keys(PENDING)] == []


@pytest.mark.parametrize("index", ["sqlite", "journal"])
def test_a_lost_index_is_built_anew(tmp_path: Path, index: str) -> None:
    with closing(started(tmp_path, index)) as app:
        for content in OLD:
            ask(app, "memory_add", content=content)
        assert app.memory_index is not None
        app.memory_index().clear()
    assert {*agreed(tmp_path, index)} == {*OLD}
