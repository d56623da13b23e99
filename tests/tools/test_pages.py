"""All pages of an answer as one are the answer that a reader without a limit gets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from tests.cases import each_case
from tests.fakes import application_of
from tests.sample_shop.indexed import Key, table_document, with_relations
from tests.sample_shop.retrieval import toolbox_over
from tribal.ports import Application, Caller
from tribal.tools.call import call_tool, whole_answer
from tribal.tools.registry import REGISTRY

CALLER = Caller("test")
DESCRIBED = "Everything that is known of it, told at some length. " * 2


@pytest.fixture(name="app", scope="module")
def app_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Application]:
    key = Key(("hub_id",), "s.hub", ("hub_id",))
    names = " ".join(["hub_id", *(f"column_{number}" for number in range(40))])
    tables = [table_document("shop.s.hub", names, domain="d", keys=[Key(("column_1",), "s.spoke_1", ("id",))])]
    tables += [
        table_document(f"shop.s.spoke_{number}", "id hub_id", domain=f"d{number}", keys=[key], comment=DESCRIBED)
        for number in range(30)
    ]
    toolbox = toolbox_over(tmp_path_factory.mktemp("pages"), None, with_relations(tables))
    yield application_of(toolbox)
    toolbox.index.close()


def asked(app: Application, tool: str, **arguments: Any) -> tuple[Any, Any, int]:
    """The whole answer within a small limit, the same without a limit, and how many pages the first one had."""
    small = replace(app, answer_tokens=500)
    turned = []

    def page_at(cursor: str) -> Any:
        turned.append(cursor)
        return call_tool(tool, {**arguments, "cursor": cursor}, CALLER, small)

    first = call_tool(tool, arguments, CALLER, small)
    whole = whole_answer(REGISTRY.tools[tool], first, page_at)
    return whole, call_tool(tool, arguments, CALLER, replace(app, answer_tokens=None)), 1 + len(turned)


@each_case(
    ("tool", "arguments"),
    [
        ("get_table_schema", {"table": "hub"}),
        ("get_table_schema", {"table": "hub", "include_relationships": False}),
        ("get_domain_overview", {"domain": "d"}),
        ("list_domains", {}),
    ],
)
def test_the_pages_together_are_the_answer_without_a_limit(
    app: Application, tool: str, arguments: dict[str, Any]
) -> None:
    whole, unlimited, count = asked(app, tool, **arguments)
    assert whole == unlimited
    assert (count > 1) == (tool != "get_domain_overview")


def test_a_page_that_fails_is_the_answer(app: Application) -> None:
    small = replace(app, answer_tokens=500)
    first = call_tool("get_table_schema", {"table": "hub"}, CALLER, small)
    refused = call_tool("get_table_schema", {"table": "hub", "cursor": "forged"}, CALLER, small)
    assert whole_answer(REGISTRY.tools["get_table_schema"], first, lambda _: refused) is refused


def test_what_is_paged_are_lists_of_the_tools_own_answers() -> None:
    for spec in REGISTRY.tools.values():
        assert bool(spec.paged) == ("next_cursor" in spec.output_model.model_fields)
        for path in spec.paged:
            model: Any = spec.output_model
            *above, last = path.split(".")
            for name in above:
                model = next(kind for kind in model.model_fields[name].annotation.__args__ if kind is not type(None))
            assert "list[" in str(model.model_fields[last].annotation)
