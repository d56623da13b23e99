"""Changes of the memory in a process of their own, which ends in the middle of one or is killed."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any

from tests.fakes.application import memory_index, with_memory
from tests.forked import exit_code, forked
from tribal.adapters.journal.memories import FOLDER, JournalMemories
from tribal.app.local import local_application
from tribal.app.memory import recovering
from tribal.capabilities.memory.repository import Repository
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
_KILLED = 77


def started(folder: Path, index: str = "sqlite") -> Application:
    """A process of its own, as good as."""
    app = local_application(load_settings(project=folder, environment={}, needs_databases=False))
    if index == "journal":
        journal: Provider[Any] = Provider(lambda: JournalMemories(app.store()))
        app = with_memory(app, index=journal, recover=recovering(app.store, journal, app.embedder))
    return with_memory(app, settings=MemorySettings(writes_per_minute=0))


def ask(app: Application, tool: str, **arguments: Any) -> Any:
    return call_tool(tool, arguments, ADA, app, EVERYTHING).model_dump(by_alias=True)


def add(app: Application) -> None:
    assert ask(app, "memory_add", content="Refunds need a reason", layer="user")["success"]


def add_to_session(app: Application) -> None:
    assert ask(app, "memory_add", content="Refunds need a reason", layer="session")["success"]


def add_a_tag(app: Application) -> None:
    assert ask(app, "memory_add", content=OLD[0], tags=["billing"])["success"]


def delete(app: Application) -> None:
    (first, *_) = ask(app, "memory_search", query=OLD[0], threshold=0)["results"]
    assert ask(app, "memory_delete", memoryId=first["memoryId"])["success"]


def lose_index(app: Application) -> None:
    """Leave nothing in it, and none of its objects."""
    for key in [*app.store().keys(FOLDER)]:
        app.store().delete(key)
    index = memory_index(app)
    index.write([], [(each.space, each.record.memory_id) for each in index.of_spaces(MemorySelection(SPACES))])


def build(app: Application) -> None:
    lose_index(app)
    Repository(app.store(), memory_index(app), app.embedder).build()


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
            os._exit(_KILLED)


def killed_at(folder: Path, index: str, step: int, act: Callable[[Application], object]) -> bool:
    """Whether a process that acts was ended at a step of its writing."""
    process = forked(_act, folder, index, step, act)
    process.start()
    code = exit_code(process)
    assert code in (0, _KILLED)
    return code == _KILLED


def _act(folder: Path, index: str, step: int, act: Callable[[Application], object]) -> None:
    app = started(folder, index)
    memory_index(app)
    count = [step]
    store = Fatal(app.store(), count, ("put", "delete"))
    memories = Fatal(memory_index(app), count, ("write",))
    act(with_memory(replace(app, store=Provider(lambda: store)), index=Provider(lambda: memories)))


def change_for_ever(folder: Path, index: str, turn: int, busy: Event) -> None:
    """Add, delete and build until someone kills this process; says when it begins."""
    own = started(folder, index)
    memory_index(own)
    busy.set()
    number = 0
    while True:
        number += 1
        answer = ask(own, "memory_add", content=f"Orders of round {turn} have number {number}")
        if number % 3 == 0:
            ask(own, "memory_delete", memoryId=answer["memoryId"])
        if number % 5 == 0:
            build(own)
