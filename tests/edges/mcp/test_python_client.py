"""The official Python client, over stdio and HTTP, in both eras of the protocol."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from jsonschema import Draft7Validator, Draft202012Validator
from mcp import MCPError
from mcp_types import INVALID_PARAMS

from tests.cases import each_case
from tests.edges.http.served import Served
from tests.edges.mcp.asked import ANSWERED, DEEP, REFUSED, TOOLS, Schemas, index_project
from tests.edges.mcp.python_client import (
    Server,
    ToolClient,
    asking,
    over_every_connection,
    over_one_connection,
    stdio_server,
)
from tribal import __version__
from tribal.tools.registry import REGISTRY


@pytest.fixture(name="project", scope="module")
def project_fixture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    index_project(folder)
    return folder


@pytest.fixture(name="server", scope="module")
def server_fixture(project: Path, request: pytest.FixtureRequest) -> Iterator[Server]:
    if request.param == "stdio":
        yield stdio_server(project)
        return
    with Served(project) as running:
        yield f"{running.address}/mcp"


@pytest.fixture(name="asker", scope="module")
def asker_fixture(server: Server, request: pytest.FixtureRequest) -> Iterator[ToolClient]:
    with asking(server, request.param) as asker:
        yield asker


@pytest.fixture(name="schemas", scope="module")
def schemas_fixture() -> Schemas:
    return Schemas()


@over_every_connection
def test_the_client_and_the_server_agree_on_the_newest_version_that_both_know(asker: ToolClient) -> None:
    expected = "2025-11-25" if asker.client.mode == "legacy" else "2026-07-28"
    assert asker.client.protocol_version == expected
    assert asker.client.server_info is not None
    assert (asker.client.server_info.name, asker.client.server_info.version) == ("tribal-knowledge", __version__)
    assert "search_tables" in (asker.client.instructions or "")


@over_every_connection
def test_every_tool_is_listed_with_schemas_and_all_annotations(asker: ToolClient) -> None:
    listed = {tool.name: tool for tool in asker.list().tools}
    assert list(listed) == list(REGISTRY.tools)
    for name, spec in REGISTRY.tools.items():
        tool = listed[name]
        assert (tool.title, tool.description) == (spec.title, spec.description)
        hints = tool.annotations
        effect = spec.effect
        assert (hints.read_only_hint, hints.destructive_hint) == (effect.read_only, effect.destructive)
        assert (hints.idempotent_hint, hints.open_world_hint) == (effect.idempotent, False)
        for schema in (tool.input_schema, tool.output_schema):
            Draft7Validator.check_schema(schema)
            Draft202012Validator.check_schema(schema)
            assert schema["type"] == "object"
            assert not {"$schema", "$id", "definitions"} & set(schema)
        fields = tool.input_schema["properties"]
        assert set(fields) == {field.alias or name for name, field in spec.input_model.model_fields.items()}
        assert all(field["description"] for field in fields.values())
        assert tool.input_schema["additionalProperties"] is False


@over_one_connection
def test_a_list_of_tools_does_not_cost_a_conversation_more_than_it_must(asker: ToolClient) -> None:
    seen_by_a_model = [
        {"name": tool.name, "description": tool.description, "input_schema": tool.input_schema}
        for tool in asker.list().tools
    ]
    assert len(json.dumps(seen_by_a_model)) / 4 < 2_900


def test_every_tool_is_called_in_the_tests() -> None:
    assert {tool for tool, _ in ANSWERED} == {tool for tool, _ in REFUSED} == set(TOOLS.tools)


@over_one_connection
@each_case(("tool", "arguments"), ANSWERED)
def test_an_answer_is_structured_and_keeps_its_schema(
    asker: ToolClient, schemas: Schemas, tool: str, arguments: dict[str, Any]
) -> None:
    result = asker.call(tool, arguments)
    assert result.is_error is False
    assert result.structured_content["success"] is True
    assert json.loads(result.content[0].text) == result.structured_content  # type: ignore[union-attr]
    schemas.check(tool, result.structured_content)


@over_one_connection
@each_case(("tool", "arguments"), REFUSED)
def test_a_refusal_is_a_structured_answer_too_and_is_marked_as_an_error(
    asker: ToolClient, schemas: Schemas, tool: str, arguments: dict[str, Any]
) -> None:
    result = asker.call(tool, arguments)
    assert result.is_error is True
    assert result.structured_content["success"] is False
    assert result.structured_content["error"]["code"].startswith("RET_")
    assert result.structured_content["error"]["code"] != "RET_INTERNAL"
    schemas.check(tool, result.structured_content)


@over_every_connection
def test_input_nested_deeper_than_our_messages_is_refused(asker: ToolClient, server: Server) -> None:
    if isinstance(server, str):
        with pytest.raises(MCPError, match="error response"):
            asker.call(*DEEP)
    else:
        assert asker.call(*DEEP).structured_content["error"]["code"] == "RET_QUERY_INVALID"
    assert asker.call("list_domains", {}).is_error is False


@over_every_connection
def test_an_unknown_tool_is_refused_with_the_names_that_there_are(asker: ToolClient) -> None:
    with pytest.raises(MCPError, match="search_tables, get_table_schema") as refused:
        asker.call("drop_tables", {})
    assert refused.value.error.code == INVALID_PARAMS


@over_one_connection
def test_many_calls_at_once_get_their_own_answers(asker: ToolClient) -> None:
    async def ask_all() -> dict[str, str]:
        found: dict[str, str] = {}

        async def ask(table: str) -> None:
            result = await asker.client.call_tool("get_table_schema", {"table": table})
            found[table] = result.structured_content["schema"]["name"]

        async with anyio.create_task_group() as tasks:
            for table in names * 30:
                tasks.start_soon(ask, table)
        return found

    names = ["shop.crm.customer", "web.public.visit", "shop.stock.product"]
    assert asker.portal.call(ask_all) == {name: name for name in names}
