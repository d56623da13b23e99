"""The registry: every tool is described, every call is answered, and the light part stays light."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests import ROOT
from tests.cases import each_case
from tests.fakes import MemoryStore, application_over
from tests.plugins.verify import examples
from tests.sample_shop.indexed import index_all, shop_tables, write_documentation
from tribal.adapters.sqlite.index import SqliteIndex
from tribal.capabilities import NAMES, capabilities
from tribal.ports import Application, Caller, Effect
from tribal.tools.call import call_tool, read_answer
from tribal.tools.error_classes import error_class_of
from tribal.tools.registry import REGISTRY, Registry
from tribal_contracts import ERROR_CODES

CALLER = Caller("test")


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Application]:
    store, index = MemoryStore(), SqliteIndex(tmp_path_factory.mktemp("tools") / "index.db")
    write_documentation(store, shop_tables())
    index_all(store, index)
    yield application_over(index)
    index.close()


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-30, 30)
    | st.integers()
    | st.floats()
    | st.text(max_size=30)
    | st.text(st.sampled_from("a\ud800\x00\n\u202e "), max_size=5)
    | st.sampled_from(["customer", "shop.crm.customer", "sales", "shop", "order_line", "a.b.c"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
names = st.sampled_from(
    "query database domain limit min_score table include_samples include_relationships cursor source_table"
    " target_table max_hops".split()
)


@pytest.mark.parametrize("tool", sorted(REGISTRY.tools))
@settings(max_examples=examples(40, 120), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(arguments=st.dictionaries(names | st.text(max_size=4), values, max_size=5))
def test_whatever_is_sent_the_answer_keeps_the_contract(
    shop: Application, tool: str, arguments: dict[str, Any]
) -> None:
    own = set(REGISTRY.tools[tool].input_model.model_fields)
    for sent in (arguments, {name: value for name, value in arguments.items() if name in own}):
        answer: Any = call_tool(tool, sent, CALLER, shop)
        data = answer.to_compact_json()
        assert read_answer(tool, data) == answer
        assert answer.success == (answer.error is None)
        if answer.error is not None:
            assert answer.error.code in ERROR_CODES
            assert answer.error.code != "RET_INTERNAL"
        if REGISTRY.tools[tool].effect.read_only:
            assert call_tool(tool, sent, CALLER, shop).to_compact_json() == data


class BrokenIndex:
    """An index with a defect that no one foresaw."""

    def reading(self) -> AbstractContextManager[None]:
        return nullcontext()

    def tables(self, *_: object) -> list[object]:
        raise ZeroDivisionError("secret value 4711")


@each_case(
    ("tool", "arguments"),
    [
        ("search_tables", {"query": "x"}),
        ("get_table_schema", {"table": "x"}),
        ("get_join_path", {"source_table": "x", "target_table": "y"}),
        ("get_lineage", {"table": "x"}),
        ("get_domain_overview", {"domain": "x"}),
        ("list_domains", {}),
    ],
)
def test_a_defect_becomes_an_answer_that_gives_no_data_away(tool: str, arguments: dict[str, str]) -> None:
    answer: Any = call_tool(tool, arguments, CALLER, application_over(BrokenIndex()))
    assert answer.error is not None
    assert answer.error.code == "RET_INTERNAL"
    assert "4711" not in answer.to_compact_json().decode()
    assert "ZeroDivisionError" in answer.error.message
    assert REGISTRY.tools[tool].output_model.from_json(answer.to_json()) == answer


@each_case("code", ERROR_CODES)
def test_whatever_went_wrong_is_an_error_to_mcp_and_no_success_to_a_shell(code: str) -> None:
    assert error_class_of(code).exit_code
    assert error_class_of(code).exit_code != 0


def test_wrong_types_are_named_without_the_values_that_were_sent(shop: Application) -> None:
    answer: Any = call_tool("search_tables", {"query": 4711, "limit": "many", "colour": "mauve"}, CALLER, shop)
    assert answer.error is not None
    text = answer.error.to_compact_json().decode()
    assert all(field in text for field in ("query", "limit", "colour"))
    assert not any(value in text for value in ("4711", "many", "mauve"))


def test_an_unknown_tool_is_a_defect_of_the_caller(shop: Application) -> None:
    with pytest.raises(KeyError):
        call_tool("drop_tables", {}, CALLER, shop)


def test_every_tool_has_a_command_and_tells_a_model_when_to_use_it() -> None:
    assert {spec.name: spec.command for spec in REGISTRY.tools.values()} == {
        "search_tables": "search",
        "get_table_schema": "table",
        "get_join_path": "join",
        "get_lineage": "lineage",
        "get_domain_overview": "domain",
        "list_domains": "domains",
        "get_query_context": "context",
        "check_sql": None,  # `tribal check-sql` takes files
        "ask": "ask",
        "start_interrogation": None,  # `tribal interrogate` shows questions as they are asked
        "stop_interrogation": None,
        "get_interrogation": None,
        "list_interrogations": None,
        "mark_answer": None,  # `tribal ask --wrong` marks the last answer
        "close_mark": None,
        "propose_description": "propose",
    }
    assert list(REGISTRY.commands.values()) == [spec for spec in REGISTRY.tools.values() if spec.command]
    for spec in REGISTRY.group_of("search_tables").tools:
        assert any(told in spec.description for told in ("se it", "Start here", "Call it first"))
        assert spec.effect == Effect(read_only=True, destructive=False, idempotent=True, open_world=False)
        assert spec.right == "documentation:read"


def test_only_interrogating_marking_answers_and_proposing_changes_anything() -> None:
    changing = {spec.name for spec in REGISTRY.tools.values() if not spec.effect.read_only}
    assert changing == {"start_interrogation", "stop_interrogation", "mark_answer", "close_mark", "propose_description"}
    assert REGISTRY.read_rights == {"documentation:read", "interrogation:read"}


def test_every_capability_answers_with_codes_that_are_registered() -> None:
    for capability in REGISTRY.groups:
        codes = {capability.invalid_input_code, capability.internal_code, capability.access_denied_code}
        assert codes <= set(ERROR_CODES)


def test_two_tools_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="ask"):
        Registry(REGISTRY.groups * 2)


@each_case("tool", sorted(REGISTRY.tools))
def test_a_caller_without_the_right_is_refused_in_the_shape_of_the_tool(shop: Application, tool: str) -> None:
    nobody = Caller("nobody", rights=frozenset({"memory:read"}))
    answer: Any = call_tool(tool, {"table": "shop.crm.customer"}, nobody, shop)
    spec, group = REGISTRY.tools[tool], REGISTRY.group_of(tool)
    assert answer.success is False
    assert answer.error.code == group.access_denied_code
    assert spec.right in answer.error.message
    assert error_class_of(answer.error.code).http_status == 403
    assert type(answer) is (group.failure_model() or spec.output_model)


def run(program: str) -> str:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout


def test_the_list_of_tools_loads_no_contract_no_numbers_no_vendor_and_no_use_case() -> None:
    loaded = run("import sys, tribal.tools.registry; print(*sorted(sys.modules))").split()
    unwanted = ("numpy", "sqlite3", "pg8000", "tokenizers", "pydantic", "tribal_contracts", "tribal.adapters")
    assert not [name for name in loaded if name.startswith(unwanted)]
    ours = {name for name in loaded if name.startswith("tribal.")}
    of_capabilities = {name for name in ours if name.startswith("tribal.capabilities.")}
    data_only = {"syncing", "manifest", "functions", "rights", "tools"}
    assert {name.rpartition(".")[2] for name in of_capabilities} == {*NAMES, *data_only}
    assert ours - of_capabilities == {
        "tribal.capabilities",
        "tribal.ports",
        "tribal.ports.capability",
        "tribal.ports.tool",
        "tribal.tools",
        "tribal.tools.registry",
    }


def test_calling_a_tool_loads_no_vendor_and_no_writing_stage() -> None:
    loaded = run("import sys, tribal.tools.call; print(*sorted(sys.modules))").split()
    unwanted = ("numpy", "sqlite3", "pg8000", "tokenizers", "tribal.adapters", "tribal.planning", "tribal.documenting")
    assert not [name for name in loaded if name.startswith(unwanted)]
    assert "tribal.capabilities.retrieval.searching.search_tables" not in loaded


def test_the_optional_dependencies_of_capabilities_can_be_installed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = {extra for capability in capabilities() for extra in capability.extras}
    assert needed
    assert needed <= set(project["optional-dependencies"])
