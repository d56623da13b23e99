"""A family of tools that only the tests have works over the command line, HTTP and MCP as those of the product do."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from anyio.from_thread import start_blocking_portal
from jsonschema import Draft7Validator, Draft202012Validator
from mcp import Client
from typer.testing import CliRunner, Result

from tests.cases import each_case
from tests.edges.mcp.raw_session import served_in_process
from tests.tools.notes import NOTES, NOTES_FOLDER
from tribal.app.local import local_application
from tribal.edges.cli.app import command_line
from tribal.edges.http.messages import Request
from tribal.edges.http.routes import respond
from tribal.edges.mcp.server import build_server
from tribal.edges.mcp.tool_client import local_calls
from tribal.ports import Application, Caller
from tribal.ports.tool import ToolSpec
from tribal.settings import load_settings
from tribal.tools.listing import listed_output_schema, output_schema
from tribal.tools.registry import EVERYTHING, REGISTRY, Registry

TOOLS = Registry((*REGISTRY.groups, NOTES))
ALICE = Caller("alice")
READER = Caller("bob", rights=TOOLS.read_rights)
NOTE: dict[str, Any] = {
    "key": "lunch",
    "content": "Soup.\n",
    "tags": ["food", "noon"],
    "layers": ["project"],
    "priority": 3,
    "weight": 0.5,
    "pinned": True,
    "metadata": {"source": {"page": 1}},
    "sections": [{"title": "one", "lines": 1}],
}
STORED = {"success": True, "noteId": "alice/lunch", "note": {**NOTE, "layer": "user"}}


@pytest.fixture(name="app")
def app_fixture(tmp_path: Path) -> Iterator[Application]:
    with closing(local_application(load_settings(project=tmp_path, environment={}))) as app:
        yield app


def typed(folder: Path, *arguments: str, stdin: str | None = None) -> Result:
    """Run a command of the command line that has the family."""
    environment = {"USER": "alice", "COLUMNS": "200"}
    command = [*arguments, "--project", str(folder)]
    return CliRunner(env=environment).invoke(command_line(TOOLS), command, input=stdin)


def posted(app: Application, tool: str, arguments: Any, caller: Caller = ALICE) -> tuple[int, Any]:
    """The status and the answer of a call over HTTP."""
    response = respond(Request("POST", f"/v1/tools/{tool}", caller, json.dumps(arguments).encode()), app, TOOLS)
    assert response.content_type == "application/json"
    assert response.tool_failed is (response.status != 200)
    return response.status, json.loads(response.body)


def over_http(app: Application) -> dict[str, Any]:
    """The tools by name, as they are listed over HTTP."""
    listed = json.loads(respond(Request("GET", "/v1/tools", ALICE), app, TOOLS).body)["tools"]
    assert [tool["name"] for tool in listed] == list(TOOLS.tools)
    return {tool["name"]: tool for tool in listed}


def note_file(folder: Path) -> str:
    path = folder / "soup.md"
    path.write_text(NOTE["content"])
    return str(path)


def remember(folder: Path, *more: str) -> Result:
    """Add the note by its command."""
    sections = folder / "sections.json"
    sections.write_text(json.dumps(NOTE["sections"]))
    options = ["--tags", "food", "--tags", "noon", "--layers", "project", "--priority", "3", "--weight", "0.5"]
    options += ["--pinned", "--metadata", json.dumps(NOTE["metadata"]), "--sections", f"@{sections}"]
    return typed(folder, "remember", "lunch", note_file(folder), *options, *more)


def test_lists_optional_numbers_objects_and_a_file_are_typed_as_they_are_sent(tmp_path: Path) -> None:
    ran = remember(tmp_path, "--json")
    assert (ran.exit_code, ran.stderr) == (0, "")
    assert json.loads(ran.stdout) == STORED
    assert json.loads((tmp_path / NOTES_FOLDER / "lunch").read_bytes())["tags"] == ["food", "noon"]


def test_what_is_not_typed_is_not_sent(tmp_path: Path) -> None:
    ran = typed(tmp_path, "remember", "bare", "-", "--json", stdin="From a pipe.")
    note = json.loads(ran.stdout)["note"]
    assert note == {
        "key": "bare",
        "content": "From a pipe.",
        "layer": "user",
        "layers": [],
        "pinned": False,
        "priority": None,
        "weight": None,
    }


@each_case(
    ("options", "said"),
    [
        (["--priority", "many"], "--priority"),
        (["--layer", "moon"], "--layer"),
        (["--metadata", "{"], "metadata: not valid JSON"),
        (["--sections", "@nowhere.json"], "sections: 'nowhere.json' cannot be read"),
        (["--sections", '[{"title": "x"}]'], "0.lines: Field required"),
        (["--layers", "moon"], "layers.1: Input should be 'user' or 'project'"),
    ],
)
def test_what_is_typed_wrong_is_a_mistake_of_usage_that_names_the_field(
    tmp_path: Path, options: list[str], said: str
) -> None:
    ran = remember(tmp_path, *options)
    assert ran.exit_code == 2
    assert said in ran.stderr
    assert not (tmp_path / NOTES_FOLDER).exists()


def test_the_help_of_a_derived_command_tells_every_kind(tmp_path: Path) -> None:
    shown = typed(tmp_path, "remember", "--help").stdout
    assert "Use it to remember something." in shown
    for part in (
        "<int>",
        "<float>",
        "user|project",
        "JSON|@FILE",
        "FILE",
        "--pinned",
        "--no-pinned",
        "[default: user]",
    ):
        assert part in shown
    assert "PydanticUndefined" not in shown
    assert "Remember something." in CliRunner().invoke(command_line(TOOLS), ["--help"]).stdout


def test_an_answer_without_a_view_of_its_own_is_printed_plainly(tmp_path: Path) -> None:
    ran = remember(tmp_path)
    assert (ran.exit_code, ran.stderr) == (0, "")
    assert ran.stdout.splitlines() == [
        "noteId: alice/lunch",
        "note:",
        "   key: lunch",
        "   content: Soup.",
        "   layer: user",
        "   tags: food, noon",
        "   layers: project",
        "   priority: 3",
        "   weight: 0.5",
        "   pinned: yes",
        "   metadata:",
        "      source:",
        "         page: 1",
        "   sections:",
        "      title  lines",
        "      one    1",
    ]
    found = typed(tmp_path, "recall", "--tags", "food")
    assert found.exit_code == 0
    assert "notes: 1" in found.stdout
    assert "results: -" in typed(tmp_path, "recall", "--tags", "dinner").stdout


@pytest.mark.parametrize(
    ("key", "exit_code", "status", "code", "said"),
    [("nothing", 7, 404, "MISSING", "there is no note 'nothing'"), ("defect", 70, 500, "BROKEN", "ZeroDivisionError")],
)
def test_a_failure_has_the_shape_of_its_family_everywhere(
    tmp_path: Path, app: Application, key: str, exit_code: int, status: int, code: str, said: str
) -> None:
    ran = typed(tmp_path, "forget", key)
    assert (ran.exit_code, ran.stdout) == (exit_code, "")
    assert said in ran.stderr
    printed = typed(tmp_path, "forget", key, "--json")
    assert printed.exit_code == exit_code
    answered = posted(app, "note_drop", {"key": key})
    with served_in_process(app, caller=ALICE, tools=TOOLS) as wire:
        result = wire.call("note_drop", {"key": key})["result"]
    assert result["isError"] is True
    assert answered == (status, result["structuredContent"])
    assert json.loads(printed.stdout) == answered[1]
    assert (answered[1]["errorCode"], answered[1]["details"]["tool"]) == (code, "note_drop")
    assert "4711" not in json.dumps(answered)


def test_a_call_over_http_and_over_mcp_answers_the_same_bytes(app: Application) -> None:
    assert posted(app, "note_add", NOTE) == (200, STORED)
    request = Request("POST", "/v1/tools/note_find/", ALICE, b'{"tags": ["food"]}')
    with served_in_process(app, caller=ALICE, tools=TOOLS) as wire:
        result = wire.call("note_find", {"tags": ["food"]})["result"]
    assert result["isError"] is False
    assert result["content"][0]["text"].encode() == respond(request, app, TOOLS).body
    assert "tokens_used" not in result["structuredContent"]
    assert posted(app, "note_find", {"tags": "food"})[1]["errorCode"] == "WRONG"


def test_who_may_only_read_is_refused_to_write_in_the_shape_of_the_family(app: Application) -> None:
    assert READER.rights == frozenset({"documentation:read", "interrogation:read", "notes:read"})
    status, refused = posted(app, "note_add", NOTE, READER)
    assert (status, refused["errorCode"]) == (502, "REFUSED")
    assert "notes:write" in refused["message"]
    assert posted(app, "note_find", {"tags": []}, READER)[0] == 200


def test_a_lone_surrogate_deep_in_an_input_is_refused(app: Application) -> None:
    status, refused = posted(app, "note_add", {**NOTE, "metadata": {"a": [{"\ud800": 1}]}})
    assert (status, refused["errorCode"]) == (400, "WRONG")
    assert "lone surrogate" in refused["message"]


def test_a_real_client_lists_and_calls_the_family_with_the_schemas_of_http_and_its_effects(app: Application) -> None:
    with start_blocking_portal() as portal:
        connecting = Client(build_server(local_calls(app, TOOLS), lambda _: ALICE, TOOLS))
        with portal.wrap_async_context_manager(connecting) as client:
            listed = {tool.name: tool for tool in portal.call(client.list_tools).tools}
            added = portal.call(client.call_tool, "note_add", NOTE)
            missing = portal.call(client.call_tool, "note_drop", {"key": "nothing"})
            instructions = client.instructions or ""
    assert list(listed) == list(TOOLS.tools)
    effects = {
        name: (notes.read_only_hint, notes.destructive_hint, notes.idempotent_hint, notes.open_world_hint)
        for name, tool in listed.items()
        if (notes := tool.annotations) is not None
    }
    for name, tool in over_http(app).items():
        assert json.dumps(tool["input_schema"]) == json.dumps(listed[name].input_schema)
        assert json.dumps(tool["output_schema"]) == json.dumps(listed[name].output_schema)
    assert effects["note_add"] == (False, False, True, False)
    assert effects["note_find"] == (True, False, True, False)
    assert effects["note_drop"] == (False, True, True, True)
    assert (added.is_error, added.structured_content) == (False, STORED)
    assert missing.is_error is True
    assert "search_tables" in instructions
    assert instructions.endswith(NOTES.instructions)
    for tool, answer in (("note_add", added), ("note_drop", missing)):
        schema = listed[tool].output_schema or {}
        assert schema["type"] == "object"
        for dialect in (Draft7Validator, Draft202012Validator):
            dialect.check_schema(schema)
            assert [error.message for error in dialect(schema).iter_errors(answer.structured_content)] == []


@pytest.mark.parametrize("version", ["2025-06-18", "2025-11-25"])
def test_clients_of_older_versions_get_the_same_schemas_with_keywords_in_another_order(
    app: Application, version: str
) -> None:
    with served_in_process(app, version, ALICE, TOOLS) as wire:
        wire.send({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}})
        listed = {tool["name"]: tool for tool in wire.receive()["result"]["tools"]}
    for name, tool in over_http(app).items():
        assert listed[name]["inputSchema"] == tool["input_schema"]
        assert listed[name]["outputSchema"] == tool["output_schema"]


@pytest.mark.parametrize("version", ["2025-06-18", "2025-11-25"])
def test_a_list_of_the_catalog_costs_a_conversation_fewer_than_5400_tokens(app: Application, version: str) -> None:
    with served_in_process(app, version, ALICE) as wire:
        wire.send({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}})
        assert len(wire.reading.readline()) / 4 < 5_400


@pytest.mark.parametrize("version", ["2025-06-18", "2025-11-25"])
@pytest.mark.parametrize(
    ("names", "count", "whole", "without_outputs"),
    [(("memory",), 3, 1_300, 700), (("knowledge", "sync"), 5, 2_600, 1_100)],
    ids=["memory", "knowledge"],
)
def test_a_list_of_tools_costs_few_tokens(
    app: Application, version: str, names: Sequence[str], count: int, whole: int, without_outputs: int
) -> None:
    wanted = tuple(capability for capability in EVERYTHING.groups if capability.name in names)
    with served_in_process(app, version, ALICE, Registry(wanted)) as wire:
        wire.send({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}})
        answer = wire.reading.readline()
    listed = json.loads(answer)["result"]["tools"]
    without = [{name: value for name, value in tool.items() if name != "outputSchema"} for tool in listed]
    assert len(listed) == count
    assert len(answer) / 4 < whole
    assert len(json.dumps(without, separators=(",", ":"))) / 4 < without_outputs


def test_what_the_list_leaves_out_the_instructions_explain() -> None:
    for capability in EVERYTHING.groups:
        assert [name for name in capability.explained if name not in capability.instructions] == []
        fields = {name for spec in capability.tools for name in field_names(output_schema(spec, EVERYTHING))}
        assert capability.explained <= fields


def field_names(schema: Any) -> set[str]:
    """The names of all fields that a schema has anywhere."""
    if isinstance(schema, list):
        return {name for item in schema for name in field_names(item)}
    if not isinstance(schema, dict):
        return set()
    return {*schema.get("properties", {}), *(name for inner in schema.values() for name in field_names(inner))}


@each_case("spec", REGISTRY.tools.values(), ids=lambda spec: spec.name)
def test_a_listed_schema_names_every_field_that_the_instructions_do_not(spec: ToolSpec) -> None:
    if not spec.effect.read_only or spec.name.endswith(("_interrogation", "_interrogations")):
        return  # what is below an explained session has many fields
    listed = field_names(listed_output_schema(spec))
    below_explained = {"kind", "of", "compared", "found", "code", "message", "severity", "timestamp", "context"}
    below_explained |= {"recoverable", "original_query", "concepts", "expanded_terms", "domain_hint"}
    below_explained |= {"is_relationship_query", "added", "removed", "changed", "gone"}
    below_explained |= {
        "intent",
        "mentions",
        "words",
        "word",
        "explained_by",
        "negated",
        "text",
        "start",
        "exact",
        "name",
    }
    left_out = field_names(output_schema(spec)) - listed
    assert left_out <= REGISTRY.group_of(spec.name).explained | below_explained
