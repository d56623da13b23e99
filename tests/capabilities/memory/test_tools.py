"""The tools of memory, called as every edge calls them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.edges.mcp.asked import index_project
from tests.fakes.application import with_memory
from tests.sample_shop.indexed import shop_tables, table_document
from tribal.app.local import local_application
from tribal.capabilities.memory import change
from tribal.capabilities.memory.tools import MEMORY
from tribal.identity.locations import INDEX_FILE
from tribal.identity.scope import Scope
from tribal.ports import Application, Caller
from tribal.ports.remembering.identity import Identity
from tribal.rate_limits import TokenBuckets
from tribal.settings import load_settings
from tribal.tools.call import call_tool
from tribal.tools.listing import output_schema
from tribal.tools.registry import EVERYTHING, REGISTRY, offered
from tribal_contracts import MemorySettings

pytestmark = pytest.mark.slow

ADA = Caller("ada", identity=Identity("ada", session="s1", projects=("shop",)))
BOB = Caller("bob", identity=Identity("bob", projects=("shop",)))
WORDS = "ash birch cedar elm fir hazel larch maple oak pine rowan willow".split()
CITIES = "athens berlin cairo delhi essen florence ghent hanoi istanbul jakarta kyoto".split()
EVE = Caller("eve", identity=Identity("eve", projects=("plant",)))


@pytest.fixture(name="app")
def app_fixture(tmp_path: Path) -> Iterator[Application]:
    with closing(local_application(load_settings(project=tmp_path, environment={}, needs_databases=False))) as app:
        yield app


@pytest.fixture(name="indexed")
def indexed_fixture(app: Application, tmp_path: Path) -> Application:
    """The same where tables are documented, as they are wherever callers have scopes."""
    vault = table_document("shop.vault.salary_bands", "id amount", domain="people")
    zorvik = table_document("shop.vault.zorvik", "id", domain="people")
    payroll = table_document("shop.vault.payroll", "id", domain="people")
    index_project(tmp_path, [*shop_tables(), vault, zorvik, payroll])
    return app


def call(app: Application, tool: str, caller: Caller = ADA, **arguments: Any) -> dict[str, Any]:
    """An answer, which keeps its schema."""
    answer: dict[str, Any] = json.loads(call_tool(tool, arguments, caller, app, EVERYTHING).to_compact_json())
    Draft202012Validator(output_schema(EVERYTHING.tools[tool], EVERYTHING)).validate(answer)
    return answer


def lift_the_rate(app: Application) -> None:
    """Let a test write as often as it likes."""
    object.__setattr__(app, "capabilities", with_memory(app, settings=MemorySettings(writes_per_minute=0)).capabilities)


def add(app: Application, content: str, caller: Caller = ADA, **more: Any) -> str:
    answer = call(app, "memory_add", caller, content=content, **more)
    assert answer["success"], answer
    return str(answer["memoryId"])


def test_the_examples_of_the_specification_run(app: Application) -> None:
    content = "User prefers functional programming patterns over OOP"
    added = call(app, "memory_add", content=content, layer="user", tags=["preferences", "coding-style"])
    assert (added["success"], added["message"]) == (True, "Memory stored successfully")
    add(app, "Project uses TypeScript with strict mode enabled", layer="project", tags=["typescript", "configuration"])
    asked: dict[str, Any] = {
        "query": "What are the user's coding preferences?",
        "layers": ["user", "project"],
        "limit": 5,
    }
    own = {"content": content, "layer": "user", "memoryId": added["memoryId"], "tags": ["preferences", "coding-style"]}
    shared = {
        "content": "Project uses TypeScript with strict mode enabled",
        "layer": "project",
        "tags": ["typescript", "configuration"],
    }
    (found,) = call(app, "memory_search", **asked)["results"]
    assert {name: found[name] for name in own} == own
    # Nothing but the meaning of words that vectors here do not have tells that the other one is a preference too.
    whole = call(app, "memory_search", **asked, threshold=0)
    first, second = whole["results"]
    assert {name: first[name] for name in own} == own
    assert {name: second[name] for name in shared} == shared
    assert 1 >= first["score"] > second["score"] >= 0
    assert (whole["success"], whole["totalCount"], whole["searchedLayers"]) == (True, 2, ["user", "project"])
    tagged = call(app, "memory_search", query="preferences", threshold=0, filter={"tags": ["TYPESCRIPT"]})
    assert [each["layer"] for each in tagged["results"]] == ["project"]
    assert call(app, "memory_delete", memoryId=added["memoryId"])["success"]
    assert call(app, "memory_search", query="coding preferences", layers=["user"], threshold=0)["results"] == []


def test_what_was_asked_for_reaches_the_default_threshold_and_something_else_does_not(app: Application) -> None:
    add(app, "Revenue leaves void invoices out")
    add(app, "The nightly export of the plant begins at two")
    assert [each["content"] for each in call(app, "memory_search", query="void invoices and revenue")["results"]] == [
        "Revenue leaves void invoices out"
    ]
    assert call(app, "memory_search", query="favourite colour of the cat")["results"] == []


def test_adding_the_same_again_adds_its_tags_alone(app: Application) -> None:
    first = add(app, "Caf\u00e9 orders are  wholesale", tags=["a"])
    again = call(app, "memory_add", content="Cafe\u0301 orders are wholesale\n", tags=["b", "A"])
    assert (again["memoryId"], again["message"]) == (first, "Already stored")
    (found,) = call(app, "memory_search", query="orders", threshold=0)["results"]
    assert found["tags"] == ["a", "b"]


def test_tags_keep_their_order_and_a_memory_takes_no_more_of_them_than_one_call(app: Application) -> None:
    add(app, "Orders close at noon", tags=["z", "a", "Z"])
    (found,) = call(app, "memory_search", query="orders noon", threshold=0)["results"]
    assert found["tags"] == ["z", "a"]
    refused = call(app, "memory_add", content="Orders close at noon", tags=[f"t{number}" for number in range(19)])
    assert (refused["errorCode"], refused["details"]["code"]) == ("INVALID_INPUT", "MEM_INPUT_INVALID")
    assert call(app, "memory_search", query="orders noon", threshold=0)["results"][0]["tags"] == ["z", "a"]


def test_another_process_finds_what_was_added_and_rebuilds_a_lost_index(app: Application, tmp_path: Path) -> None:
    name = add(app, "Orders of 2019 lie in the archive")
    for lost in (False, True):
        if lost:
            app.close()
            for path in (tmp_path / "data").glob("tribal-memories.db*"):
                path.unlink()
        settings_ = load_settings(project=tmp_path, environment={}, needs_databases=False)
        with closing(local_application(settings_)) as other:
            found = call(other, "memory_search", query="orders archive", threshold=0)
        assert [each["memoryId"] for each in found["results"]] == [name]


@pytest.mark.parametrize(
    ("tool", "arguments", "code", "ours"),
    [
        ("memory_add", {}, "INVALID_INPUT", "MEM_INPUT_INVALID"),
        ("memory_add", {"content": "  "}, "INVALID_INPUT", "MEM_INPUT_INVALID"),
        ("memory_add", {"content": "x" * 4_001}, "INVALID_INPUT", "MEM_INPUT_INVALID"),
        ("memory_add", {"content": "x", "userId": "bob"}, "INVALID_INPUT", "MEM_INPUT_INVALID"),
        ("memory_add", {"content": "x", "metadata": {"_x": 1}}, "INVALID_INPUT", "MEM_INPUT_INVALID"),
        ("memory_add", {"content": "x", "layer": "agent"}, "INVALID_INPUT", "MEM_IDENTIFIER_MISSING"),
        ("memory_add", {"content": "x", "layer": "team"}, "UNAUTHORIZED", "MEM_ACCESS_DENIED"),
        ("memory_add", {"content": "the password is hunter2!"}, "INVALID_INPUT", "MEM_CONTENT_REFUSED"),
        ("memory_add", {"content": "pay DE89 3704 0044 0532 0130 00"}, "INVALID_INPUT", "MEM_CONTENT_REFUSED"),
        ("memory_search", {"query": "x", "limit": 101}, "INVALID_INPUT", "MEM_INPUT_INVALID"),
        ("memory_search", {"query": "x", "threshold": 1.1}, "INVALID_INPUT", "MEM_INPUT_INVALID"),
        ("memory_search", {"query": "x", "layers": ["team"]}, "INVALID_INPUT", "MEM_IDENTIFIER_MISSING"),
        (
            "memory_search",
            {"query": "x", "tags": [], "filter": {"tags": []}},
            "INVALID_INPUT",
            "MEM_INPUT_INVALID",
        ),
        ("memory_delete", {"memoryId": "mem_00000000000000000000"}, "NOT_FOUND", "MEM_NOT_FOUND"),
    ],
)
def test_a_failure_is_a_tool_error_alone(
    app: Application, tool: str, arguments: dict[str, Any], code: str, ours: str
) -> None:
    answer = call(app, tool, **arguments)
    assert set(answer) == {"success", "errorCode", "message", "details", "retryable"}
    assert (answer["success"], answer["errorCode"], answer["details"]["code"]) == (False, code, ours)
    assert answer["retryable"] is False


def test_personal_data_is_replaced_where_others_read_it_and_names_of_people_stay(app: Application) -> None:
    content = "Ask Ada Lovelace at ada@example.com about refunds"
    answer = call(app, "memory_add", content=content, layer="project")
    assert "masked" in answer["message"]
    (found,) = call(app, "memory_search", BOB, query="refunds", threshold=0)["results"]
    assert found["content"] == "Ask Ada Lovelace at [email] about refunds"
    add(app, content)
    own = call(app, "memory_search", query="refunds", layers=["user"], threshold=0)["results"]
    assert [each["content"] for each in own] == [content]


@pytest.mark.parametrize(
    "labels",
    [
        {"tags": ["ok", "password=letmein99"]},
        {"metadata": {"note": {"deep": ["the password is hunter2"]}}},
        {"metadata": {"api key = sk-proj-4f9a8b7c6d5e4f3a2b1c": 1}},
    ],
)
def test_a_secret_is_refused_in_tags_and_metadata_too(app: Application, labels: dict[str, Any]) -> None:
    refused = call(app, "memory_add", content="Orders close at noon", **labels)
    assert (refused["errorCode"], refused["details"]["code"]) == ("INVALID_INPUT", "MEM_CONTENT_REFUSED")
    assert call(app, "memory_search", query="orders close", threshold=0)["results"] == []


def test_personal_data_is_replaced_in_tags_and_metadata_of_shared_layers_too(app: Application, tmp_path: Path) -> None:
    labels: dict[str, Any] = {
        "tags": ["ann@example.com"],
        "metadata": {"by": ["ann@example.com"], "tables": ["a@b.c.d"]},
    }
    for layer, expected in (("project", "[email]"), ("user", "ann@example.com")):
        added = call(app, "memory_add", content="Orders close at noon", layer=layer, **labels)
        assert ("masked" in added["message"]) == (layer == "project")
        (path,) = (tmp_path / "memory" / layer).rglob("*.json")
        stored = json.loads(path.read_text())
        assert (stored["tags"], stored["metadata"]["by"]) == ([expected], [expected])
        assert stored["metadata"]["tables"] == ["a@b.c.d"]


def test_of_words_that_are_the_same_the_most_specific_layer_stays(app: Application) -> None:
    add(app, "Refunds are negative invoices", layer="project")
    add(app, "Refunds are negative invoices.", layer="session")
    found = call(app, "memory_search", query="refunds", threshold=0)
    assert ([each["layer"] for each in found["results"]], found["totalCount"]) == (["session"], 1)


def test_what_one_may_not_see_answers_as_what_is_not_there(app: Application) -> None:
    name = add(app, "Ada likes tea")
    missing = "mem_00000000000000000000"
    unseen, absent = (
        json.dumps(call(app, "memory_delete", BOB, memoryId=asked)).replace(asked, "ID") for asked in (name, missing)
    )
    assert unseen == absent
    assert call(app, "memory_search", query="tea")["totalCount"] == 1
    shared = add(app, "The shop closes on Sundays", layer="project")
    reader = replace(BOB, rights=frozenset({"memory:read", "memory:write"}))
    assert call(app, "memory_delete", reader, memoryId=shared)["errorCode"] == "UNAUTHORIZED"
    assert call(app, "memory_delete", EVE, memoryId=shared)["errorCode"] == "NOT_FOUND"


@pytest.mark.parametrize(
    ("content", "is_hidden"),
    [
        ("Join vault.payroll for the amounts", True),
        ("The amounts are in salary_bands", True),
        ("The amounts are in SalaryBands", True),
        ("Every night zorvik is filled from the amounts", True),
        ("The amounts are in 'payroll'", True),
        ("Amounts come from `select amount from payroll`", True),
        ("Amounts are net.\nThey are in zorvik.", True),
        ("Amounts are paid with the payroll on Fridays", False),
        ("Amounts of the salary go by bands", False),
        ("Amounts are in shop.crm.customer", False),
    ],
)
def test_a_memory_whose_text_names_a_hidden_table_is_withheld_and_everyday_words_are_not_names(
    indexed: Application, content: str, is_hidden: bool
) -> None:
    add(indexed, content, layer="project")
    asked = {"query": "amounts", "threshold": 0}
    crm_alone = replace(BOB, scope=Scope(schemas=frozenset({("shop", "crm")})))
    assert call(indexed, "memory_search", BOB, **asked)["totalCount"] == 1
    assert call(indexed, "memory_search", crm_alone, **asked)["totalCount"] == (0 if is_hidden else 1)


def test_nothing_is_hidden_before_the_first_index_and_everything_while_it_is_damaged(
    app: Application, tmp_path: Path
) -> None:
    add(app, "Amounts are net", layer="project")
    bounded = replace(BOB, scope=Scope(frozenset({"shop"})))
    assert call(app, "memory_search", bounded, query="amounts", threshold=0)["totalCount"] == 1
    (tmp_path / INDEX_FILE).write_bytes(b"no index at all" * 99)
    refused = call(app, "memory_search", bounded, query="amounts")
    assert (refused["success"], "rebuilds it" in refused["message"]) == (False, True)


def test_a_memory_about_tables_that_a_caller_may_not_see_is_not_there(indexed: Application) -> None:
    name = add(indexed, "Salaries are in cents", layer="project", metadata={"tables": ["hr.public.salary"]})
    bounded = replace(BOB, scope=Scope(frozenset({"shop"})))
    assert call(indexed, "memory_search", bounded, query="salaries", threshold=0)["totalCount"] == 0
    assert call(indexed, "memory_delete", bounded, memoryId=name)["errorCode"] == "NOT_FOUND"
    assert call(indexed, "memory_search", BOB, query="salaries", threshold=0)["totalCount"] == 1


def test_adding_what_a_caller_may_not_see_does_not_reveal_that_it_exists(app: Application) -> None:
    content = "Salaries are in cents"
    add(app, content, layer="project", metadata={"tables": ["hr.public.salary"]})
    for scope, message in ((Scope(frozenset({"shop"})), "Memory stored successfully"), (Scope(), "Already stored")):
        answer = call(app, "memory_add", replace(BOB, scope=scope), content=content, layer="project")
        assert answer["message"] == message


def test_names_that_are_not_a_tables_whole_name_open_nothing_to_a_bounded_caller(indexed: Application) -> None:
    for number, tables in enumerate((["salary"], ["hr.salary"], ["shop"], "hr.public.salary", [5], {"a": 1}, ["x..y"])):
        add(indexed, f"Salaries are in cents of {WORDS[number]}", layer="project", metadata={"tables": tables})
    open_to_all = add(indexed, "Salaries are paid on Fridays", layer="project", metadata={"tables": []})
    bounded = replace(BOB, scope=Scope(frozenset({"shop", "hr.salary", "salary"})))
    found = call(indexed, "memory_search", bounded, query="salaries", threshold=0)
    assert [each["memoryId"] for each in found["results"]] == [open_to_all]
    assert call(indexed, "memory_search", BOB, query="salaries", threshold=0)["totalCount"] == 8


def test_memories_that_a_caller_may_not_see_move_nothing_of_an_answer(indexed: Application) -> None:
    for content in ("Refunds of wholesale orders are invoices", "Wholesale orders close on Sundays"):
        add(indexed, content, layer="project")
    bounded = replace(BOB, scope=Scope(frozenset({"shop"})))
    asked = {"query": "refunds of wholesale orders", "threshold": 0, "limit": 100}
    before = call(indexed, "memory_search", bounded, **asked)
    assert before["totalCount"] == 2
    lift_the_rate(indexed)
    for number in range(120):
        more: Any = {"layer": "project", "metadata": {"tables": ["hr.public.pay"]}}
        add(indexed, f"Refunds of wholesale orders {WORDS[number % 12]} {CITIES[number // 12]}", **more)
    assert call(indexed, "memory_search", bounded, **asked) == before
    assert call(indexed, "memory_search", BOB, **asked)["totalCount"] > 100


def test_the_total_counts_beyond_what_is_returned_and_says_where_it_ends(
    app: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    lift_the_rate(app)
    for number in range(130):
        add(app, f"{WORDS[number % 12]} {CITIES[number // 12]} orders")
    found = call(app, "memory_search", query="orders", threshold=0, limit=3)
    assert (len(found["results"]), found["totalCount"], "warnings" in found) == (3, 130, False)
    monkeypatch.setattr("tribal.capabilities.memory.search.CANDIDATES", 20)
    found = call(app, "memory_search", query="orders", threshold=0, limit=3)
    assert 20 <= found["totalCount"] <= 40
    assert found["warnings"] == ["totalCount counts the 20 nearest memories by words and by meaning; there may be more"]


def test_a_caller_may_write_sixty_times_a_minute_by_default(app: Application, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(change, "_WRITES", TokenBuckets(lambda: now[0]))
    for number in range(60):
        add(app, f"{WORDS[number % 12]} {CITIES[number // 12]} orders")
    refused = call(app, "memory_add", content="One more")
    assert (refused["errorCode"], refused["details"]["code"]) == ("RATE_LIMITED", "MEM_RATE_LIMITED")
    assert refused["retryable"] is True
    add(app, "Somebody else", BOB)
    now[0] = 1.0
    add(app, "One more")


def test_a_layer_that_is_not_searched_is_reported(app: Application) -> None:
    found = call(app, "memory_search", query="x", layers=["team", "user"])
    assert (found["searchedLayers"], found["warnings"]) == (
        ["user"],
        ["not searched: you have no identifier for team"],
    )


def test_agents_are_offered_memory_where_it_is_configured() -> None:
    assert not {spec.name for spec in MEMORY.tools} & set(REGISTRY.tools)
    assert set(offered(()).tools) == set(REGISTRY.tools)
    assert {spec.name for spec in MEMORY.tools} <= set(offered({"memory"}).tools)


@pytest.mark.parametrize(
    ("arguments", "problems"),
    [
        ({"content": " "}, ["content: must not be blank"]),
        ({"content": "x", "tags": ["a", " "]}, ["tags.1: must not be blank"]),
        ({"content": "x", "tags": 5}, ["tags: Input should be a valid list"]),
        ({"content": "x", "metadata": {"_a": 1}}, ["metadata: keys that begin with an underscore are reserved: '_a'"]),
        ({"content": "x", "tag": ["a"]}, ["tag: this argument is not known; did you mean 'tags'?"]),
        (
            {"content": "x", "userId": "bob"},
            ["userId: this argument is not known; the arguments are content, layer, tags, metadata"],
        ),
        ({}, ["content: Field required"]),
    ],
)
def test_a_fault_of_an_input_is_reported_at_its_place_in_plain_words(
    app: Application, arguments: dict[str, Any], problems: list[str]
) -> None:
    assert call(app, "memory_add", **arguments)["details"]["problems"] == problems


def test_a_fault_below_an_optional_part_is_reported_at_its_place(app: Application) -> None:
    answer = call(app, "memory_search", query="x", filter={})
    assert answer["details"]["problems"] == ["filter.tags: Field required"]


def test_a_result_says_why_it_was_found(app: Application) -> None:
    add(app, "Revenue leaves void invoices out")
    add(app, "The nightly export of the plant begins at two")
    found = call(app, "memory_search", query="which invoice is void?", threshold=0)["results"]
    assert [each["reasons"] for each in found] == [
        ["it says 'invoice', 'void'"],
        ["it has no word of the question, but a similar meaning"],
    ]
