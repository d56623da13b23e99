"""What every index does with vectors; `search_index` hands these bodies on."""

from __future__ import annotations

import numpy as np
import pytest

from tests.conformance.index_entries import (
    DIMENSIONS,
    EVERYWHERE,
    MODEL,
    Index,
    column_entry,
    fill,
    found,
    key_graph,
    metadata,
    near,
    nearest,
    table_entry,
    vector,
)
from tribal.identity.hashing import record_id
from tribal.ports import IndexCounts


def test_the_nearest_comes_first_with_its_cosine(index: Index) -> None:
    fill(
        index,
        table_entry("shop.sales.far", near=vector(-1)),
        table_entry("shop.sales.middle", near=vector(1, 1)),
        table_entry("shop.sales.close", near=vector(1)),
        table_entry("shop.sales.none"),
        table_entry("shop.sales.zero", near=np.zeros(DIMENSIONS, dtype=np.float32)),
    )
    hits = nearest(index, vector(1), "table", EVERYWHERE, 10)
    assert near(index, 1) == ["close", "middle", "far"]
    assert [hit.score for hit in hits] == pytest.approx([1, 0.7071, -1], abs=1e-3)
    assert nearest(index, np.zeros(DIMENSIONS, dtype=np.float32), "table", EVERYWHERE, 10) == []


def test_of_each_table_the_nearest_column_is_found(index: Index) -> None:
    columns = [
        column_entry("shop.sales.orders", "id", near=vector(1, 1)),
        column_entry("shop.sales.orders", "total", near=vector(1, 0.1)),
        column_entry("shop.sales.orders", "note", near=vector(1)),
        column_entry("shop.sales.people", "id", near=vector(0, 1)),
        column_entry("shop.sales.people", "name", near=vector(1, 1)),
    ]
    fill(index, *columns)
    hits = nearest(index, vector(1), "column", EVERYWHERE, 10)
    assert [hit.record_id for hit in hits] == [columns[2].record.id, columns[4].record.id]
    assert [hit.score for hit in hits] == pytest.approx([1, 0.7071], abs=1e-3)
    assert [hit.record_id for hit in nearest(index, vector(1), "column", EVERYWHERE, 1)] == [columns[2].record.id]


def test_a_table_is_also_found_by_the_vector_of_its_name(index: Index, other: Index) -> None:
    fill(
        index,
        table_entry("shop.sales.one", near=vector(1), name_near=vector(0, 1)),
        table_entry("shop.sales.two", near=vector(0, 1), name_near=vector(1)),
        table_entry("shop.sales.unnamed", near=vector(1)),
    )
    assert near(other, 1, kind="table_name") == ["two", "one"]
    assert near(other, 0, 1, kind="table_name") == ["one", "two"]
    (hit,) = nearest(other, vector(1), "table_name", EVERYWHERE, 1)
    assert hit.record_id == hit.table_id == record_id("table", "shop", "sales", "two")
    index.begin(MODEL, DIMENSIONS)
    assert index.counts() == IndexCounts(3, 5)
    index.replace({}, [str(table_entry("shop.sales.two").record.source_path)])
    index.finish(metadata(), key_graph())
    assert near(other, 1, kind="table_name") == ["one"]


def test_an_index_without_vectors_is_searched_by_words_and_near_to_nothing(index: Index) -> None:
    index.begin("none", 0)
    index.replace({"a.json": [table_entry(names=["order"])]}, [])
    without = {"embedding_model": "none", "embedding_count": 0, "embedding_dimensions": 0}
    index.finish(metadata().model_copy(update=without), key_graph())
    assert found(index, "order") == ["orders"]
    assert near(index, 1) == near(index, 1, kind="table_name") == []


def test_a_question_of_another_length_than_the_vectors_is_near_to_nothing(index: Index) -> None:
    fill(index, table_entry(names=["order"], near=vector(1)))
    assert nearest(index, np.ones(DIMENSIONS + 1, np.float32), "table", EVERYWHERE, 9) == []
