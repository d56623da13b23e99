"""Thousands of generated calls: each gets an answer that keeps its schema, or a refusal of the protocol."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.cases import each_case
from tests.edges.mcp.asked import Schemas, index_project
from tests.edges.mcp.raw_session import RawSession, Wire, served_in_process
from tests.fakes import application_over
from tests.plugins.verify import examples
from tribal.adapters.sqlite.index import SqliteIndex
from tribal.adapters.wordllama.embedder import WordLlamaEmbedder
from tribal.identity.locations import INDEX_FILE
from tribal.tools.registry import REGISTRY

CALLS_A_TOOL = examples(120, 960)
STDIO_CALLS = examples(40, 200)
UNREADABLE, INVALID_PARAMS = -32700, -32602
SCHEMAS = Schemas()

_NAMES = ["customer", "shop.crm.customer", "web.public.visit", "order_line", "sales", "marketing", "shop", "a.b.c"]
_HOSTILE = ["\x00", "\u202e", "'; DROP TABLE x; --", "../../x", "${jndi:x}", '"', "x" * 20_000, "%s%n", "\ud800"]
_FIELDS = sorted({field for spec in REGISTRY.tools.values() for field in spec.input_model.model_fields})


def _nested(depth: int) -> Any:
    value: Any = None
    for level in range(depth):
        value = [value] if level % 2 else {"x": value}
    return value


texts = st.sampled_from(_NAMES) | st.sampled_from(_HOSTILE) | st.text(max_size=40)
scalars = (
    texts | st.none() | st.booleans() | st.integers(-5, 25) | st.integers() | st.floats() | st.floats(0, 1).map(str)
)
values = scalars | st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3), max_leaves=6
)
deep = st.sampled_from([50, 90, 180, 400, 900]).map(_nested)


def arguments_of(tool: str) -> st.SearchStrategy[dict[str, Any]]:
    """Right ones with a wrong one among them, wrong ones only, and fields that no tool knows."""
    fields = REGISTRY.tools[tool].input_model.model_fields
    own = [field.alias or name for name, field in fields.items()]
    fitting: dict[str, st.SearchStrategy[Any]] = {"domain": st.sampled_from(["sales", "marketing"])}
    fitting |= {"limit": st.integers(1, 20), "max_hops": st.integers(1, 10), "min_score": st.floats(0, 1)}
    tables = st.sampled_from(["customer", "shop.crm.customer", "order_line"])
    fitting |= {"query": tables, "table": tables, "source_table": tables, "target_table": tables}
    fitting |= {"question": tables, "hypothesis": tables}
    fitting |= {"why": st.just("It is wrong."), "tables": st.just(["order_line"]), "description": st.just("Who buys.")}
    if "sql" in own:
        fitting |= {"sql": st.sampled_from(["SELECT 1", "SELECT x FROM customer"]), "database": st.just("shop")}
    flags = {"include_samples": st.booleans(), "include_relationships": st.booleans()}
    nearly = st.fixed_dictionaries(
        {}, optional={name: fitting.get(name, flags.get(name, texts)) | values for name in own}
    )
    # Nearly all that a right call of any tool needs, so that not every answer is a refusal.
    needed = [
        "domain",
        "limit",
        "query",
        "hypothesis",
        *(["question"] if tool in ("ask", "mark_answer") else []),
        *(["why", "tables"] if tool == "mark_answer" else []),
        "table",
        "description",
        "source_table",
        "target_table",
        *(["sql", "database"] if "sql" in own else []),
    ]
    right = st.fixed_dictionaries({name: fitting[name] for name in own if name in needed})
    strange = st.dictionaries(st.sampled_from(_FIELDS) | texts, values | deep, max_size=4)
    return right | nearly | strange | st.builds(lambda left, right: {**left, **right}, nearly, strange)


def check(tool: str, message: dict[str, Any]) -> None:
    """An answer within the schema, or the one refusal for a line that is no text."""
    if "error" in message:
        assert message["error"]["code"] in (UNREADABLE, INVALID_PARAMS)
        return
    answer = message["result"]["structuredContent"]
    SCHEMAS.check(tool, answer)
    assert json.loads(message["result"]["content"][0]["text"]) == answer
    assert message["result"]["isError"] is not answer["success"]
    assert not answer.get("error", {}).get("code", "").endswith("_INTERNAL")


@pytest.fixture(name="wire", scope="module")
def wire_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    folder = tmp_path_factory.mktemp("generated")
    index_project(folder)
    index = SqliteIndex(folder / INDEX_FILE)
    with served_in_process(application_over(index, WordLlamaEmbedder())) as wire:
        yield wire
    index.close()


@each_case("tool", sorted(REGISTRY.tools))
def test_whatever_is_sent_to_a_tool_its_answer_keeps_its_schema(wire: Wire, tool: str) -> None:
    seen: Counter[str] = Counter()

    @settings(max_examples=CALLS_A_TOOL, suppress_health_check=list(HealthCheck))
    @given(arguments=arguments_of(tool))
    def whatever(arguments: dict[str, Any]) -> None:
        message = wire.call(tool, arguments, seen.total())
        check(tool, message)
        seen["refused" if "error" in message else str(message["result"]["isError"])] += 1

    whatever()
    assert seen.total() >= CALLS_A_TOOL
    # Most reach the tool, and not all of them are wrong.
    assert seen["refused"] < CALLS_A_TOOL / 2
    # No session and no mark has a generated id.
    assert seen["False"] > 0 or {"session_id", "mark"} & REGISTRY.tools[tool].input_model.model_fields.keys()


def test_whatever_is_sent_to_a_real_server_it_answers_and_lives_on(tmp_path: Path) -> None:
    index_project(tmp_path)
    known = st.sampled_from(sorted(REGISTRY.tools)).flatmap(lambda tool: st.tuples(st.just(tool), arguments_of(tool)))
    with RawSession(tmp_path) as session:

        @settings(max_examples=STDIO_CALLS, suppress_health_check=list(HealthCheck))
        @given(sent=known | st.tuples(texts | values, values))
        def whatever(sent: tuple[Any, Any]) -> None:
            check(sent[0], session.call(*sent))

        whatever()
        assert session.answer("list_domains", {})["success"] is True


def test_make_verify_generates_five_thousand_calls() -> None:
    assert len(REGISTRY.tools) * CALLS_A_TOOL + STDIO_CALLS >= examples(600, 5_000)
