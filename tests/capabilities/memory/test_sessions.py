"""How long the memories of a session last."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.fakes.application import with_memory
from tribal.app.local import local_application
from tribal.edges.cli.app import app as command_line
from tribal.ports import Application, Caller
from tribal.ports.remembering.identity import Identity
from tribal.settings import load_settings
from tribal.tools.call import call_tool
from tribal.tools.registry import EVERYTHING
from tribal_contracts import MemorySettings

START = datetime(2026, 11, 1, tzinfo=UTC)
ADA = Caller("ada", identity=Identity("ada", session="s"))
OTHER = Caller("ada", identity=Identity("ada", session="t"))
QUESTION: dict[str, Any] = {"query": "refunds", "threshold": 0, "layers": ["session"]}


@dataclass
class _Clock:
    now: datetime = START

    def published(self) -> str:
        return f"{self.now:%Y-%m-%dT%H:%M:%SZ}"

    def real(self) -> datetime:
        return self.now

    def elapsed_ms(self, since: datetime) -> int:
        return round((self.now - since).total_seconds() * 1_000)

    @property
    def is_fixed(self) -> bool:
        return True


@dataclass
class Place:
    """A store whose clock a test turns."""

    app: Application
    clock: _Clock
    folder: Path

    def ask(self, tool: str, caller: Caller = ADA, **arguments: Any) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(call_tool(tool, arguments, caller, self.app, EVERYTHING).to_compact_json())
        return answer

    def add(self, content: str, caller: Caller = ADA, layer: str = "session") -> dict[str, Any]:
        return self.ask("memory_add", caller, content=content, layer=layer)

    def found(self, caller: Caller = ADA) -> list[str]:
        return sorted(each["content"] for each in self.ask("memory_search", caller, **QUESTION)["results"])

    def after(self, **time: float) -> None:
        self.clock.now += timedelta(**time)

    def objects(self) -> list[str]:
        return sorted(Path(key).stem for key in self.app.store().keys("memory/session/"))

    def notes(self) -> list[bytes]:
        """What is noted of sessions."""
        store = self.app.store()
        return [store.get(key).data for key in store.keys("memory/used/")]


@pytest.fixture(name="place")
def place_fixture(tmp_path: Path) -> Iterator[Place]:
    clock = _Clock()
    with closing(local_application(load_settings(project=tmp_path, environment={}, needs_databases=False))) as app:
        yield Place(replace(app, clock=clock), clock, tmp_path)


def test_memories_of_a_session_end_seven_days_after_it_was_last_used(place: Place) -> None:
    place.add("Refunds are negative")
    place.after(days=6, hours=23)
    assert place.found() == ["Refunds are negative"]
    place.after(days=6, hours=23)
    assert place.found() == ["Refunds are negative"]
    place.after(days=7)
    assert place.found() == []


def test_adding_to_a_session_puts_the_end_of_all_its_memories_off(place: Place) -> None:
    place.add("Refunds are negative")
    place.after(days=5)
    place.add("Refunds need a reason")
    place.after(days=5)
    assert place.found() == ["Refunds are negative", "Refunds need a reason"]


def test_another_session_and_another_layer_put_nothing_off(place: Place) -> None:
    place.add("Refunds are negative")
    place.after(days=5)
    place.add("Refunds of t", OTHER)
    place.ask("memory_search", query="refunds", layers=["user"])
    place.add("Refunds of the user", layer="user")
    place.after(days=3)
    assert place.found() == []
    assert place.found(OTHER) == ["Refunds of t"]


def test_what_has_ended_stays_so_when_its_session_is_used_again(place: Place) -> None:
    place.add("Refunds are negative")
    place.after(days=8)
    assert place.found() == []
    place.add("Refunds need a reason")
    for _ in range(3):
        assert place.found() == ["Refunds need a reason"]
        place.after(days=3)


def test_adding_what_has_ended_stores_it_again_and_the_next_write_removes_the_rest(place: Place) -> None:
    first = place.add("Refunds are negative")
    place.add("Refunds need a reason")
    place.after(days=8)
    assert len(place.objects()) == 2
    again = place.add("Refunds are negative")
    assert (again["memoryId"], again["message"]) == (first["memoryId"], "Memory stored successfully")
    (result,) = place.ask("memory_search", **QUESTION)["results"]
    assert result["createdAt"] == place.clock.published()
    assert place.objects() == [first["memoryId"]]


def test_deleting_what_has_ended_answers_as_deleting_what_was_never_there(place: Place) -> None:
    name = place.add("Refunds are negative")["memoryId"]
    place.after(days=8)
    missing = "mem_00000000000000000000"
    ended, never = (
        json.dumps(place.ask("memory_delete", memoryId=asked)).replace(asked, "ID") for asked in (name, missing)
    )
    assert ended == never
    assert json.loads(ended)["errorCode"] == "NOT_FOUND"


def test_the_use_of_a_session_is_written_at_most_once_an_hour(place: Place) -> None:
    place.add("Refunds are negative")
    before = place.notes()
    assert len(before) == 1
    place.after(minutes=59)
    place.found()
    place.add("Refunds need a reason")
    assert place.notes() == before
    place.after(minutes=2)
    place.found()
    assert place.notes() != before


def test_a_search_as_a_session_that_remembers_nothing_writes_nothing(place: Place) -> None:
    place.found()
    assert place.notes() == []


def test_pruning_removes_what_has_ended_and_nothing_else(tmp_path: Path, place: Place) -> None:
    place.add("Refunds are negative")
    place.add("Refunds of the user", layer="user")
    place.after(days=4)
    place.add("Refunds of t", OTHER)
    place.after(days=4)
    environment = {"SOURCE_DATE_EPOCH": str(int(place.clock.now.timestamp()))}
    run: Callable[..., Any] = CliRunner().invoke
    asked = ["memory", "prune", "--project", str(tmp_path), "--json"]
    for removed in (1, 0):
        result = run(command_line, asked, env=environment)
        assert (result.exit_code, json.loads(result.stdout)) == (0, {"removed": removed})
    assert len(place.objects()) == 1
    assert len(place.notes()) == 1
    assert len([*place.app.store().keys("memory/user/")]) == 1
    assert place.found(OTHER) == ["Refunds of t"]


def test_the_rate_of_writes_holds_for_agents_and_not_for_who_types_commands(place: Place) -> None:
    place.app = with_memory(place.app, settings=MemorySettings(writes_per_minute=2))
    writer = Caller("a fast writer", identity=Identity("ada"))
    codes = [place.add(f"Fact {word}", writer, "user").get("errorCode") for word in ("ash", "birch", "cedar")]
    assert codes == [None, None, "RATE_LIMITED"]
    (place.folder / "databases.yaml").write_text("memory: {writes_per_minute: 1}\n")
    for word in ("oak", "pine", "rowan"):
        asked = ["remember", f"Typed {word}", "--project", str(place.folder), "--json"]
        assert CliRunner().invoke(command_line, asked).exit_code == 0
