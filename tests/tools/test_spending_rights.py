"""Who may have a model asked, which costs money: users of this machine, and those who were given the right."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.tools.questions import ASK_RIGHT, START_RIGHT, Questions
from tribal.app.local import local_application
from tribal.edges.http.asgi.starting import ServerBlueprint, serving_of
from tribal.edges.http.messages import Request
from tribal.edges.http.routes import respond
from tribal.edges.local_caller import local_caller
from tribal.ports import Caller, Effect
from tribal.settings import Settings, load_settings
from tribal.tools.call import call_tool
from tribal.tools.registry import REGISTRY, Registry, with_model

QUESTIONS = Questions().group
TOOLS = Registry((*REGISTRY.groups, with_model(QUESTIONS)))
WITHOUT_MODEL = Registry((*REGISTRY.groups, QUESTIONS))


@pytest.fixture(name="settings")
def settings_fixture(tmp_path: Path) -> Settings:
    return load_settings(project=tmp_path, environment={"USER": "ada"}, needs_databases=False)


def test_reading_never_implies_spending() -> None:
    assert TOOLS.spending_rights == {ASK_RIGHT, START_RIGHT}
    assert TOOLS.read_rights == {"documentation:read", "interrogation:read"}


def test_callers_on_this_machine_may_ask_and_start_things_only_on_a_server_that_may_write(settings: Settings) -> None:
    own = local_caller(settings)
    assert own.may(ASK_RIGHT)
    assert own.may(START_RIGHT)
    with closing(local_application(settings)) as app:
        for write in (False, True):
            serving = serving_of(ServerBlueprint(settings, "127.0.0.1", write=write), app, TOOLS)
            caller = serving.callers.identify(None)
            assert (caller.may(ASK_RIGHT), caller.may(START_RIGHT)) == (True, write)
            # Bearers of an issuer's token without rules for rights.
            assert not serving.callers.read_rights & TOOLS.spending_rights


def test_only_a_caller_with_the_right_has_a_model_asked_and_only_where_there_is_one() -> None:
    ask, search = TOOLS.tools["ask_model"], TOOLS.tools["search_tables"]
    reader, asker = (Caller("a", rights=frozenset({"documentation:read", *more})) for more in ((), (ASK_RIGHT,)))
    assert [ask.asks_model_for(each) for each in (reader, asker, Caller("local"))] == [False, True, True]
    assert not WITHOUT_MODEL.tools["ask_model"].asks_model_for(asker)
    assert not search.asks_model_for(asker)


def test_without_the_right_the_tool_answers_without_a_model(settings: Settings) -> None:
    with closing(local_application(settings)) as app:
        reader = Caller("reader", rights=TOOLS.read_rights)
        answer: Any = call_tool("ask_model", {"question": "x"}, reader, app, TOOLS)
        assert (answer.success, answer.by_model) == (True, False)
        refused: Any = call_tool("start_asking", {"question": "x"}, reader, app, TOOLS)
        assert refused.error.code == "RET_ACCESS_DENIED"


def test_a_tool_that_may_ask_reaches_beyond_the_installation_where_there_is_a_model(settings: Settings) -> None:
    def hints(tools: Registry) -> dict[str, bool]:
        listed = json.loads(respond(Request("GET", "/v1/tools", Caller("a")), app, tools).body)["tools"]
        return {tool["name"]: tool["annotations"]["openWorldHint"] for tool in listed}

    with closing(local_application(settings)) as app:
        reaching = hints(TOOLS)
        assert {name for name, reaches in reaching.items() if reaches} == {"ask_model", "start_asking"}
        assert not any(hints(WITHOUT_MODEL).values())
    assert TOOLS.tools["start_asking"].effect == Effect(read_only=False, open_world=True)
