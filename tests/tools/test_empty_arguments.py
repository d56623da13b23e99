"""Null and "" for an optional argument mean that it is not given, for every tool."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from tests.capabilities.knowledge.syncing.house import ADA, house
from tests.cases import each_case
from tests.edges.mcp.asked import index_project
from tribal.ports import Application
from tribal.tools.call import call_tool
from tribal.tools.registry import EVERYTHING

SETTINGS = """identity: {company: acme-inc, org: acme, teams: [web], project: shop}
knowledge: {repository: decisions}
memory: {}
databases: []
"""


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Application]:
    folder = tmp_path_factory.mktemp("empty")
    index_project(folder)
    (folder / "decisions").mkdir()
    with closing(house(folder, SETTINGS, SOURCE_DATE_EPOCH="1764200000")) as made:
        yield made


def answer(app: Application, tool: str, arguments: dict[str, Any]) -> bytes:
    return call_tool(tool, arguments, ADA, app, EVERYTHING).to_compact_json()


def test_an_empty_optional_argument_is_one_that_is_not_given(app: Application) -> None:
    for tool, spec in EVERYTHING.tools.items():
        fields = {field.alias or name: field for name, field in spec.input_model.model_fields.items()}
        needed = {name: "shop.crm.customer" for name, field in fields.items() if field.is_required()}
        if not spec.effect.read_only:
            # Left without what it needs: the answer names only what is missing.
            needed = {}
        for empty in (None, ""):
            rest: dict[str, Any] = {name: empty for name, field in fields.items() if not field.is_required()}
            assert answer(app, tool, needed | rest) == answer(app, tool, needed), tool


@each_case(
    ("tool", "arguments", "named"),
    [
        ("search_tables", {"query": None}, "query"),
        ("get_table_schema", {"table": ""}, "table"),
        ("get_join_path", {"source_table": "shop.crm.customer", "target_table": None}, "target_table"),
        ("search_tables", {"query": "customer", "colour": None}, "colour"),
    ],
)
def test_a_required_argument_that_is_empty_and_an_unknown_one_are_refused(
    app: Application, tool: str, arguments: dict[str, Any], named: str
) -> None:
    said: Any = call_tool(tool, arguments, ADA, app, EVERYTHING)
    assert named in said.error.message


def test_empty_arguments_within_lists_are_not_given_either(app: Application) -> None:
    checked = {"dependencies": [{"name": "left-pad", "version": None}], "files": []}
    assert answer(app, "knowledge_check", checked) == answer(
        app, "knowledge_check", {**checked, "dependencies": [{"name": "left-pad"}]}
    )
