"""An indexed project, what is asked of it over MCP, and how answers are checked."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jsonschema import Draft7Validator, Draft202012Validator
from jsonschema.protocols import Validator
from jsonschema.validators import validator_for

from tests.edges.cli.tribal_command import TRIBAL, clean_environment
from tests.fakes import MemoryStore
from tests.sample_shop.indexed import index_all, shop_tables, write_documentation
from tribal.adapters.sqlite.index import SqliteIndex
from tribal.adapters.wordllama.embedder import WordLlamaEmbedder
from tribal.identity.locations import INDEX_FILE
from tribal.tools.listing import listed_output_schema
from tribal.tools.registry import REGISTRY, Registry
from tribal_contracts import TableDocument
from tribal_contracts.schemas import json_schema

Arguments = dict[str, Any]

TOOLS = Registry((REGISTRY.group_of("search_tables"),))
"""The tools that answer from the index; those of other capabilities have tests of their own."""

ANSWERED: list[tuple[str, Arguments]] = [
    ("search_tables", {"query": "customer", "limit": 20}),
    ("search_tables", {"query": "what was ordered", "database": "shop", "min_score": 0.1}),
    ("search_tables", {"query": "zzz 本 ☃"}),
    ("get_table_schema", {"table": "web.public.visit", "include_samples": True}),
    ("get_table_schema", {"table": "order_line", "include_relationships": False}),
    ("get_join_path", {"source_table": "web.public.visit", "target_table": "web.public.customer"}),
    ("get_join_path", {"source_table": "shop.stock.product", "target_table": "web.public.visit", "max_hops": 10}),
    ("get_domain_overview", {"domain": "marketing"}),
    ("list_domains", {}),
    ("list_domains", {"database": "shop"}),
    ("check_sql", {"sql": "SELECT nope FROM crm.customer", "database": "shop"}),
    ("check_sql", {"sql": "SELECT 1", "database": "shop", "schema": "crm"}),
    ("get_lineage", {"table": "web.public.visit", "direction": "upstream", "depth": 2}),
    ("get_query_context", {"question": "what was ordered", "database": "shop"}),
    ("get_query_context", {"tables": ["web.public.visit"], "max_tokens": 500}),
]
"""Calls of every tool that succeed."""


def _nested(depth: int) -> Any:
    value: Any = "x"
    for _ in range(depth):
        value = [value]
    return value


DEEP: tuple[str, Arguments] = ("search_tables", {"query": _nested(90)})
"""Refused by its tool, or before that by a server that bounds the depth of what it is sent."""

REFUSED: list[tuple[str, Arguments]] = [
    ("search_tables", {}),
    ("search_tables", {"query": None}),
    ("search_tables", {"query": ""}),
    ("search_tables", {"query": "x" * 100_000}),
    ("search_tables", {"query": ["customer"]}),
    ("search_tables", {"query": {"$ne": ""}}),
    ("search_tables", {"query": "customer", "limit": -1}),
    ("search_tables", {"query": "customer", "limit": 10**30}),
    ("search_tables", {"query": "customer", "limit": "DROP TABLE x"}),
    ("search_tables", {"query": "customer", "min_score": 1.5}),
    ("search_tables", {"query": "customer", "colour": "mauve"}),
    ("search_tables", {"query": "customer", "database": "nowhere"}),
    ("search_tables", {"query": "customer", "domain": "no\u0000thing"}),
    ("get_table_schema", {"table": "shop.crm.custmer"}),
    ("get_table_schema", {"table": "'; DROP TABLE customer; --"}),
    ("get_table_schema", {"table": "../../etc/passwd"}),
    ("get_table_schema", {"table": "\u202e\u0000\u001b[2J"}),
    ("get_table_schema", {"table": "customer", "cursor": "forged"}),
    ("get_join_path", {"source_table": "visit", "target_table": "nothing"}),
    ("get_join_path", {"source_table": "visit", "target_table": "web.public.customer", "max_hops": 0}),
    ("get_domain_overview", {"domain": "nothing"}),
    ("list_domains", {"cursor": "-1", "database": "shop"}),
    ("get_lineage", {"table": "nothing"}),
    ("get_lineage", {"table": "web.public.visit", "column": "nope"}),
    ("get_lineage", {"table": "web.public.visit", "depth": 11}),
    ("get_query_context", {}),
    ("get_query_context", {"question": "orders", "max_tokens": 10}),
    ("get_query_context", {"tables": ["nothing"]}),
    ("check_sql", {"sql": "SELECT 1"}),
    ("check_sql", {"sql": "SELECT 1", "database": "nowhere"}),
    ("check_sql", {"sql": "SELECT 1", "database": "shop", "schema": "nowhere"}),
]
"""Calls that each tool refuses."""


def index_project(folder: Path, tables: Sequence[TableDocument] | None = None) -> None:
    """Write an index of these tables, or of the whole shop, where a project has it."""
    store, index = MemoryStore(), SqliteIndex(folder / INDEX_FILE)
    write_documentation(store, shop_tables() if tables is None else tables)
    index_all(store, index, WordLlamaEmbedder())
    index.close()


def server_command(folder: Path, *options: str) -> list[str]:
    """How a client starts the server."""
    return [str(TRIBAL), "mcp", "--project", str(folder), *options]


def server_environment() -> dict[str, str]:
    """An environment in which a clock stands still, so that answers can be compared."""
    return clean_environment(SOURCE_DATE_EPOCH="1790000000")


class Schemas:
    """Checks answers against what a tool promises: as MCP lists it, read in both dialects, and as it is exported."""

    def __init__(self, tools: Registry = REGISTRY) -> None:
        self._of = {tool: self._validators(tool, tools) for tool in tools.tools}

    def _validators(self, tool: str, tools: Registry) -> list[Validator]:
        listed = listed_output_schema(tools.tools[tool], tools)
        exported = json_schema(f"{tool.replace('_', '-')}-output")
        return [Draft7Validator(listed), Draft202012Validator(listed), validator_for(exported)(exported)]

    def validate(self, tool: str, answer: Any) -> None:
        """Fail when an answer is not what its schema says."""
        for validator in self._of[tool]:
            assert [error.message for error in validator.iter_errors(answer)] == []

    def check(self, tool: str, answer: Any) -> None:
        """Fail when an answer of the documentation is not what its schema says, or tells another size than it has."""
        self.validate(tool, answer)
        assert answer["success"] == ("error" not in answer)
        assert answer["tokens_used"] == _tokens(answer)


def _tokens(answer: Mapping[str, Any]) -> int:
    bare = json.dumps({**answer, "tokens_used": 0}, ensure_ascii=False, separators=(",", ":"))
    return math.ceil(len(bare.encode()) / 4)
