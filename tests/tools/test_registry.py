"""The registry: every tool is described, every call is answered, and the light part stays light."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fakes import FixedClock, MemoryStore
from tests.sample_shop.indexed import index_all, shop_tables, write_documentation
from tribal.adapters.sqlite.index import SqliteIndex
from tribal.errors import code_outcome
from tribal.ports import IndexReader
from tribal.retrieval.toolbox import Toolbox
from tribal.tools.commands import TOOL_COMMANDS
from tribal.tools.registry import TOOLS, call_tool
from tribal_contracts import ERROR_CODES


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Toolbox]:
    store, index = MemoryStore(), SqliteIndex(tmp_path_factory.mktemp("tools") / "index.db")
    write_documentation(store, shop_tables())
    index_all(store, index)
    yield Toolbox(index, None, FixedClock())
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


@pytest.mark.parametrize("tool", sorted(TOOLS))
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(arguments=st.dictionaries(names | st.text(max_size=4), values, max_size=5))
def test_whatever_is_sent_the_answer_keeps_the_contract(shop: Toolbox, tool: str, arguments: dict[str, Any]) -> None:
    own = set(TOOLS[tool].input_model.model_fields)
    for sent in (arguments, {name: value for name, value in arguments.items() if name in own}):
        answer = call_tool(tool, sent, shop)
        data = answer.to_compact_json()
        assert TOOLS[tool].output_model.from_json(data) == answer
        assert answer.success == (answer.error is None)
        if answer.error is not None:
            assert answer.error.code in ERROR_CODES
            assert answer.error.code != "RET_INTERNAL"
        assert call_tool(tool, sent, shop).to_compact_json() == data


class BrokenIndex:
    """An index with a defect that nobody foresaw."""

    def reading(self) -> AbstractContextManager[None]:
        return nullcontext()

    def tables(self, *_: object) -> list[object]:
        raise ZeroDivisionError("secret value 4711")


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("search_tables", {"query": "x"}),
        ("get_table_schema", {"table": "x"}),
        ("get_join_path", {"source_table": "x", "target_table": "y"}),
        ("get_domain_overview", {"domain": "x"}),
        ("list_domains", {}),
    ],
)
def test_a_defect_becomes_an_answer_that_gives_no_data_away(tool: str, arguments: dict[str, str]) -> None:
    index: IndexReader = BrokenIndex()  # type: ignore[assignment]
    answer = call_tool(tool, arguments, Toolbox(index, None, FixedClock()))
    assert answer.error is not None
    assert answer.error.code == "RET_INTERNAL"
    assert "4711" not in answer.to_compact_json().decode()
    assert "ZeroDivisionError" in answer.error.message
    assert TOOLS[tool].output_model.from_json(answer.to_json()) == answer


@pytest.mark.parametrize("code", ERROR_CODES)
def test_whatever_went_wrong_is_an_error_to_mcp_and_no_success_to_a_shell(code: str) -> None:
    assert code_outcome(code).is_tool_error
    assert code_outcome(code).exit_code != 0


def test_wrong_types_are_named_without_the_values_that_were_sent(shop: Toolbox) -> None:
    answer = call_tool("search_tables", {"query": 4711, "limit": "many", "colour": "mauve"}, shop)
    assert answer.error is not None
    text = answer.error.to_compact_json().decode()
    assert all(field in text for field in ("query", "limit", "colour"))
    assert not any(value in text for value in ("4711", "many", "mauve"))


def test_an_unknown_tool_is_a_defect_of_the_caller(shop: Toolbox) -> None:
    with pytest.raises(KeyError):
        call_tool("drop_tables", {}, shop)


def test_every_tool_has_a_command_and_tells_a_model_when_to_use_it() -> None:
    assert {command.tool: command.command for command in TOOL_COMMANDS} == {
        "search_tables": "search",
        "get_table_schema": "table",
        "get_join_path": "join",
        "get_domain_overview": "domain",
        "list_domains": "domains",
    }
    assert list(TOOLS) == [command.tool for command in TOOL_COMMANDS]
    for spec in TOOLS.values():
        assert spec.command == next(command.command for command in TOOL_COMMANDS if command.tool == spec.name)
        assert "se it" in spec.description or "Start here" in spec.description
        notes = spec.annotations
        assert (notes.read_only, notes.destructive, notes.idempotent, notes.open_world) == (True, False, True, False)


def run(program: str) -> str:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout


def test_the_table_of_commands_loads_nothing() -> None:
    loaded = run(
        "import sys; before = set(sys.modules); import tribal.tools.commands;print(*sorted(set(sys.modules) - before))"
    ).split()
    assert set(loaded) <= {"__future__", "tribal", "tribal.tools", "tribal.tools.commands"}


def test_the_registry_loads_no_numbers_no_vendor_and_no_writing_stage() -> None:
    loaded = run("import sys, tribal.tools.registry; print(*sorted(sys.modules))").split()
    unwanted = ("numpy", "sqlite3", "pg8000", "tokenizers", "tribal.adapters", "tribal.planning", "tribal.documenting")
    assert not [name for name in loaded if name.startswith(unwanted)]
    assert "tribal.retrieval.search_tables" not in loaded
