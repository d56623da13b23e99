"""For every caller and layer, answers are those of a dictionary of spaces."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.edges.mcp.asked import index_project
from tests.fakes.application import with_memory
from tests.fakes.memory_store import MemoryStore
from tests.plugins.verify import examples
from tribal.adapters.journal.memories import JournalMemories
from tribal.adapters.sqlite.memories import SqliteMemories
from tribal.app.local import local_application
from tribal.capabilities.memory.records import memory_id
from tribal.identity.scope import Scope
from tribal.ports import Application, Caller, Provider
from tribal.ports.remembering.identity import LAYERS, Identity, Space
from tribal.settings import load_settings
from tribal.tools.call import call_tool
from tribal.tools.registry import EVERYTHING
from tribal_contracts import MemorySettings

WRITABLE = ("agent", "user", "session", "project", "company")
CONTENTS = (
    "Refunds of wholesale orders are negative invoices",
    "Invoices of the plant close on Sundays",
    "The night shift writes its invoices by hand",
    "Cats and dogs have invoices of their own",
    "Teams in Oslo pay invoices in kroner",
)
TABLES: dict[str, list[str]] = {
    CONTENTS[2]: ["shop.public.invoice"],
    CONTENTS[3]: ["hr.public.pay"],
    CONTENTS[4]: ["pay"],
}
IDENTITIES = st.builds(
    Identity,
    user=st.none() | st.sampled_from(["ada", "bob"]),
    session=st.none() | st.sampled_from(["s", "t"]),
    agent=st.none() | st.just("coder"),
    projects=st.sampled_from([(), ("shop",), ("plant",), ("shop", "plant")]),
    company=st.none() | st.just("acme"),
)
SCOPES = st.sampled_from([Scope(), Scope(frozenset({"shop"})), Scope(frozenset({"hr"})), Scope(frozenset())])
CALLERS = st.builds(lambda identity, scope: Caller("somebody", scope, identity=identity), IDENTITIES, SCOPES)
ADDING = st.tuples(st.just("add"), CALLERS, st.sampled_from(LAYERS), st.sampled_from(CONTENTS))
DELETING = st.tuples(st.just("delete"), CALLERS, st.integers(0, 9), st.none())
ASKING = st.tuples(st.just("ask"), CALLERS, st.none() | st.sampled_from(LAYERS), st.none())
MISSING = "mem_00000000000000000000"


@dataclass
class Model:
    """What is remembered, by space and content."""

    spaces: dict[Space, dict[str, str]] = field(default_factory=dict)

    def seen_by(self, caller: Caller, layers: Sequence[str] = LAYERS) -> list[tuple[Space, str, str]]:
        """Space, content and id of what a caller may see, the most specific layer first."""
        spaces = [space for layer in LAYERS if layer in layers for space in caller.identity.spaces(layer)]
        held = [(space, *each) for space in spaces for each in self.spaces.get(space, {}).items()]
        return [(space, content, name) for space, content, name in held if self._is_open(caller.scope, content)]

    def _is_open(self, scope: Scope, content: str) -> bool:
        places = [tuple(name.split(".")[:2]) for name in TABLES.get(content, ()) if name.count(".") == 2]
        return scope == Scope() or content not in TABLES or any(scope.allows(*place) for place in places)


@pytest.fixture(name="made", scope="module")
def made_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Application]:
    folder = tmp_path_factory.mktemp("project")
    index_project(folder)
    with closing(local_application(load_settings(project=folder, environment={}, needs_databases=False))) as app:
        lifted = MemorySettings.model_validate({"writes_per_minute": 0, "writable_layers": list(WRITABLE)})
        yield with_memory(app, settings=lifted)


def ask(app: Application, tool: str, caller: Caller, **arguments: Any) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(call_tool(tool, arguments, caller, app, EVERYTHING).to_compact_json())
    return answer


def check_adding(app: Application, model: Model, caller: Caller, layer: str, content: str) -> None:
    metadata = {"tables": TABLES[content]} if content in TABLES else {}
    answer = ask(app, "memory_add", caller, content=content, layer=layer, metadata=metadata)
    spaces = caller.identity.spaces_to_write(layer)
    if layer not in WRITABLE:
        assert answer["errorCode"] == "UNAUTHORIZED"
    elif len(spaces) != 1:
        assert answer["errorCode"] == "INVALID_INPUT"
    else:
        known = any(space == spaces[0] and content == told for space, told, _ in model.seen_by(caller))
        name = model.spaces.setdefault(spaces[0], {}).setdefault(content, memory_id(spaces[0], content))
        message = "Already stored" if known else "Memory stored successfully"
        assert (answer["memoryId"], answer["message"]) == (name, message)


def check_deleting(app: Application, model: Model, caller: Caller, number: int) -> None:
    every = sorted({name for held in model.spaces.values() for name in held.values()})
    asked = every[number] if number < len(every) else MISSING
    seen = [(space, content) for space, content, name in model.seen_by(caller) if name == asked]
    answer = ask(app, "memory_delete", caller, memoryId=asked)
    if not seen:
        never = ask(app, "memory_delete", caller, memoryId=MISSING)
        assert json.dumps(answer).replace(asked, MISSING) == json.dumps(never)
        assert answer["errorCode"] == "NOT_FOUND"
        return
    assert answer["success"]
    for space, content in seen:
        del model.spaces[space][content]


def check_asking(app: Application, model: Model, caller: Caller, layer: str | None) -> None:
    held = [each for each in LAYERS if caller.identity.spaces(each)]
    layers = [each for each in held if layer in (None, each)]
    asked = {"layers": [layer]} if layer else {}
    answer = ask(app, "memory_search", caller, query="invoices", threshold=0, limit=100, **asked)
    if not layers:
        assert answer["errorCode"] == "INVALID_INPUT"
        return
    shown: dict[str, Space] = {}
    for space, content, _ in model.seen_by(caller, layers):
        shown.setdefault(content, space)
    results = answer["results"]
    assert {(each["content"], each["layer"]) for each in results} == {(each, of.layer) for each, of in shown.items()}
    names = {(content, space.layer, name) for space, content, name in model.seen_by(caller, layers)}
    assert {(each["content"], each["layer"], each["memoryId"]) for each in results} <= names
    assert (len(results), answer["totalCount"], answer["searchedLayers"]) == (len(shown), len(shown), layers)
    assert "warnings" not in answer


@pytest.mark.parametrize("index", ["sqlite", "journal"])
@given(steps=st.lists(st.one_of(ADDING, ADDING, ADDING, DELETING, ASKING), max_size=12), last=CALLERS)
@settings(max_examples=examples(20, 60), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_answers_are_those_of_the_callers_own_spaces_and_of_nothing_else(
    made: Application, index: str, steps: list[tuple[str, Caller, Any, Any]], last: Caller
) -> None:
    store = MemoryStore()
    with tempfile.TemporaryDirectory() as folder:
        memories = JournalMemories(store) if index == "journal" else SqliteMemories(Path(folder) / "memories.db")
        with closing(memories):
            app = replace(made, store=Provider(lambda: store))
            app, model = with_memory(app, index=Provider(lambda: memories), recover=lambda: None), Model()
            for kind, caller, more, content in [*steps, ("ask", last, None, None)]:
                if kind == "add":
                    check_adding(app, model, caller, more, content)
                elif kind == "delete":
                    check_deleting(app, model, caller, more)
                else:
                    check_asking(app, model, caller, more)
