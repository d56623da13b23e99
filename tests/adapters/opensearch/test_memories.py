"""The index of memories on a real node: what is written is found at once, and only in the spaces that are named."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from opensearchpy import OpenSearch

from tribal.adapters.opensearch.client import opensearch_client
from tribal.adapters.opensearch.memories import MemoryDocument, OpenSearchMemories
from tribal.errors import MemoryStoreFailed

pytestmark = pytest.mark.xdist_group("opensearch")

ADA, BOB = "user ada", "user bob"


def memory(name: str, *terms: str, space: str = ADA, towards: int = 0, **more: list[str]) -> MemoryDocument:
    vector = np.zeros(4, dtype=np.float32)
    vector[towards] = 1.0
    about = {"tags": [], "tables": [], **more}
    return MemoryDocument(name, space, terms, vector, about["tags"], about["tables"], f'{{"name": "{name}"}}')


@pytest.fixture(name="memories")
def memories_fixture(opensearch: OpenSearch, index_name: str) -> OpenSearchMemories:
    return OpenSearchMemories(opensearch, 4, index_name)


def test_before_anything_is_written_nothing_is_found(memories: OpenSearchMemories) -> None:
    assert memories.by_words([ADA], ["invoice"], 5) == []
    assert memories.by_vector([ADA], np.ones(4), 5) == []
    assert list(memories.of_spaces([ADA])) == []
    assert memories.count(ADA) == 0
    memories.write([], [(ADA, "a")])
    memories.write([], [])
    assert memories.count(ADA) == 0


def test_what_is_written_is_found_by_words_and_vectors_of_the_next_search(memories: OpenSearchMemories) -> None:
    memories.write([memory("a", "invoice", "void"), memory("b", "invoice", "paid", towards=1)])
    assert [(each.memory_id, each.value) for each in memories.by_words([ADA], ["void"], 5)] == [("a", '{"name": "a"}')]
    assert {each.memory_id for each in memories.by_words([ADA], ["invoice", "o'brien", "C++"], 5)} == {"a", "b"}
    nearest = memories.by_vector([ADA], np.array([0.6, 0.8, 0, 0]), 5)
    assert [(each.memory_id, round(each.score, 3)) for each in nearest] == [("b", 0.8), ("a", 0.6)]
    assert memories.by_vector([ADA], np.zeros(4), 5) == []
    assert [each.memory_id for each in memories.by_vector([ADA], np.array([0, 1, 0, 0]), 1)] == ["b"]


def test_no_search_leaves_the_spaces_that_it_names(memories: OpenSearchMemories) -> None:
    memories.write([memory("a", "invoice", tables=["t"]), memory("a", "invoice", space=BOB, tables=["t"])])
    for spaces in ([ADA], [BOB], [], ["user"], ["user ada", "user carol"]):
        wanted = {space for space in spaces if space in (ADA, BOB)}
        assert {each.space for each in memories.by_words(spaces, ["invoice"], 9)} == wanted
        assert {each.space for each in memories.by_vector(spaces, np.ones(4), 9)} == wanted
        assert {each.space for each in memories.about_tables(spaces, ["t"], 9)} == wanted
        assert {each.space for each in memories.of_spaces(spaces)} == wanted
    assert [memories.count(space) for space in (ADA, BOB, "user")] == [1, 1, 0]


def test_a_memory_is_replaced_and_removed_whole(memories: OpenSearchMemories) -> None:
    memories.write([memory("a", "invoice", tables=["t"]), memory("b", "order")])
    memories.write([memory("a", "order", tables=["u"])], [(ADA, "b"), (ADA, "never"), (BOB, "a")])
    assert memories.by_words([ADA], ["invoice"], 9) == []
    assert [each.memory_id for each in memories.by_words([ADA], ["order"], 9)] == ["a"]
    assert memories.about_tables([ADA], ["t"], 9) == []
    assert [each.memory_id for each in memories.about_tables([ADA], ["t", "u"], 9)] == ["a"]
    assert [each.memory_id for each in memories.of_spaces([ADA], ["a", "b"])] == ["a"]


def test_all_of_a_large_space_is_told_in_pages_and_the_index_can_be_thrown_away(
    memories: OpenSearchMemories,
) -> None:
    memories.write(memory(f"m{number:05}", "invoice") for number in range(2_050))
    assert [each.memory_id for each in memories.of_spaces([ADA])] == [f"m{number:05}" for number in range(2_050)]
    memories.clear()
    memories.clear()
    assert memories.count(ADA) == 0
    memories.write([memory("a", "invoice")])
    assert memories.count(ADA) == 1


def test_several_who_write_first_make_one_index_and_lose_nothing(memories: OpenSearchMemories) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: memories.write([memory(f"m{number}", "invoice")]), range(24)))
    assert memories.count(ADA) == 24


def test_a_vector_of_another_model_is_refused_and_a_dead_domain_is_told(
    opensearch: OpenSearch, index_name: str, memories: OpenSearchMemories
) -> None:
    memories.write([memory("a", "invoice")])
    with pytest.raises(MemoryStoreFailed, match="refused 1 change"):
        memories.write([MemoryDocument("b", ADA, ["x"], np.ones(8), [], [], "{}")])
    silent = OpenSearchMemories(opensearch_client("http://127.0.0.1:9", reading=True), 4, index_name)
    with pytest.raises(MemoryStoreFailed):
        silent.by_words([ADA], ["invoice"], 5)
