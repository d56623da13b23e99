"""The detective and the witness by rules keep the ports' contracts, over an indexed shop."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.conformance.detective import *  # noqa: F403
from tests.conformance.witness import *  # noqa: F403
from tests.fakes import MemoryStore, application_over
from tests.sample_shop.indexed import index_all, shop_tables, write_documentation
from tribal.adapters.sqlite.index import SqliteIndex
from tribal.answering.documentation import Documentation
from tribal.capabilities.interrogation.rules.detective import RulesDetective
from tribal.capabilities.interrogation.rules.reading import SessionReader
from tribal.capabilities.interrogation.rules.witness import DocumentationWitness
from tribal.ports import Caller


@pytest.fixture(name="reader", scope="module")
def reader_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SessionReader]:
    store, index = MemoryStore(), SqliteIndex(tmp_path_factory.mktemp("rules") / "index.db")
    write_documentation(store, shop_tables())
    index_all(store, index)
    yield SessionReader(Documentation(Caller("ada"), application_over(index, store=store)))
    index.close()


@pytest.fixture
def detective(reader: SessionReader) -> RulesDetective:
    return RulesDetective(reader)


@pytest.fixture
def witness(reader: SessionReader) -> DocumentationWitness:
    return DocumentationWitness(reader)


@pytest.fixture
def known() -> str:
    return "which customers ordered something?"
