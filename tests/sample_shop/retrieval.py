"""The hand-made shop, indexed, with a short way to call its tools. Import the fixtures where they are wanted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.fakes import FixedClock, MemoryStore, application_of
from tests.sample_shop.indexed import index_all, shop_tables, write_documentation
from tribal.adapters.sqlite.index import SqliteIndex
from tribal.adapters.wordllama.embedder import WordLlamaEmbedder
from tribal.capabilities.retrieval.toolbox import Toolbox
from tribal.ports import Caller
from tribal.tools.call import call_tool
from tribal_contracts import TableDocument


def toolbox_over(folder: Path, embedder: WordLlamaEmbedder | None, tables: Sequence[TableDocument]) -> Toolbox:
    """Document and index these tables."""
    store, index = MemoryStore(), SqliteIndex(folder / "index.db")
    write_documentation(store, tables)
    index_all(store, index, embedder)
    return Toolbox(index, embedder, FixedClock())


@pytest.fixture(name="shop", scope="module")
def shop_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Toolbox]:
    toolbox = toolbox_over(tmp_path_factory.mktemp("shop"), WordLlamaEmbedder(), shop_tables())
    yield toolbox
    toolbox.index.close()


def call(toolbox: Toolbox, tool: str, **arguments: Any) -> Any:
    """Call a tool as an edge would."""
    return call_tool(tool, arguments, Caller("test", toolbox.scope), application_of(toolbox))


def found(answer: Any) -> list[str]:
    """Names of the tables that a search found."""
    assert answer.success, answer.error
    return [table.name for table in answer.tables]


def code(answer: Any) -> str:
    """Why a call failed."""
    assert not answer.success
    return str(answer.error.code)


def codes(answer: Any) -> list[str]:
    """What a call warned of."""
    return [warning.code for warning in answer.warnings or []]
