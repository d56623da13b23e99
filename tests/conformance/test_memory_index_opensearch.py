"""The index of memories in OpenSearch keeps the port's contract on a real node."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from opensearchpy import OpenSearch

from tests.conformance.memory_index import *  # noqa: F403
from tests.conformance.memory_index import DIMENSIONS, OF_ADA, among, memory, record
from tribal.adapters.opensearch.client import opensearch_client
from tribal.adapters.opensearch.memories import OpenSearchMemories
from tribal.errors import MemoryStoreFailed
from tribal.ports.remembering.memory_index import IndexedMemory

pytestmark = pytest.mark.xdist_group("opensearch")


@pytest.fixture
def index(opensearch: OpenSearch, index_name: str) -> OpenSearchMemories:
    return OpenSearchMemories(opensearch, DIMENSIONS, index_name)


@pytest.fixture
def other(opensearch: OpenSearch, index_name: str) -> OpenSearchMemories:
    return OpenSearchMemories(opensearch, DIMENSIONS, index_name)


@pytest.fixture
def lose(opensearch: OpenSearch, index_name: str) -> Callable[[], None]:
    return lambda: opensearch.indices.delete(index=f"{index_name}-*")


def test_a_vector_of_another_model_is_refused(index: OpenSearchMemories) -> None:
    index.write([memory(1, "x")])
    with pytest.raises(MemoryStoreFailed, match="refused 1 change"):
        index.write([IndexedMemory(OF_ADA, record(2), ("x",), np.ones(DIMENSIONS + 1))])


def test_a_dead_domain_is_reported_and_nothing_of_the_question_is(index_name: str) -> None:
    dead = OpenSearchMemories(opensearch_client("http://127.0.0.1:9", reading=True), DIMENSIONS, index_name)
    with pytest.raises(MemoryStoreFailed) as failed:
        dead.by_words(among(OF_ADA), ["secretword"], 5)
    assert "secretword" not in str(failed.value)
