"""What an OpenSearch index does when its domain refuses writes for now, or its writer is killed between requests."""

from __future__ import annotations

from typing import Any

import pytest
from opensearchpy import OpenSearch

from tests.conformance.index_entries import (
    DIMENSIONS,
    EVERYWHERE,
    HASH_A,
    HASH_B,
    MODEL,
    change,
    fill,
    found,
    held,
    key_graph,
    metadata,
    table_entries,
    table_entry,
)
from tribal.adapters.opensearch.writer import OpenSearchIndexWriter
from tribal.errors import IndexWriteFailed

# One worker runs them all, so that one node is enough.
pytestmark = pytest.mark.xdist_group("opensearch")


@pytest.fixture
def index(opensearch: OpenSearch, index_name: str) -> OpenSearchIndexWriter:
    return OpenSearchIndexWriter(opensearch, index_name)


class _Busy:
    """A client whose domain refuses some items of a bulk request for now, as a node under load does."""

    def __init__(self, client: OpenSearch, refusals: int) -> None:
        self._client = client
        self.refusals = refusals

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def bulk(self, body: bytes, **options: Any) -> Any:
        if self.refusals <= 0:
            return self._client.bulk(body=body, **options)
        self.refusals -= 1
        lines = body.split(b"\n")[:-1]
        # The first document alone is taken in.
        first = 2 if b'"index"' in lines[0] else 1
        answer = self._client.bulk(body=b"\n".join(lines[:first]) + b"\n", **options)
        rest = sum(line.startswith((b'{"index"', b'{"delete"')) for line in lines) - 1
        error = {"type": "rejected_execution_exception", "reason": "the queue is full"}
        return {"items": [*answer["items"], *[{"index": {"status": 429, "error": error}}] * rest]}


def test_documents_that_were_too_much_at_once_are_sent_again(opensearch: OpenSearch, index_name: str) -> None:
    pauses: list[float] = []
    busy: Any = _Busy(opensearch, 5)
    index = OpenSearchIndexWriter(busy, index_name, pause=pauses.append)
    change(index, table_entries(30))
    assert len(index.tables(EVERYWHERE)) == 30
    assert len(held(index)) == 30
    assert len(pauses) == 5
    assert all(0 < pause <= 10 for pause in pauses)


def test_a_domain_that_stays_busy_is_a_clear_refusal_and_the_next_try_mends_it(
    opensearch: OpenSearch, index_name: str, index: OpenSearchIndexWriter
) -> None:
    fill(index, table_entry("shop.sales.t0", names=["order"]))
    pauses: list[float] = []
    busy: Any = _Busy(opensearch, 100)
    writer = OpenSearchIndexWriter(busy, index_name, pause=pauses.append)
    writer.begin(MODEL, DIMENSIONS)
    with pytest.raises(IndexWriteFailed, match="queue is full"):
        writer.replace(table_entries(12, HASH_B), [])
    assert sum(pauses) < 60
    assert index.begin(MODEL, DIMENSIONS) != dict.fromkeys(table_entries(12), HASH_B)
    assert found(index, "order") == ["t0"]
    change(index, table_entries(12, HASH_B))
    assert held(index) == dict.fromkeys(table_entries(12), HASH_B)


def test_what_a_refused_write_has_left_goes_when_the_same_writer_tries_again(
    opensearch: OpenSearch, index_name: str
) -> None:
    busy: Any = _Busy(opensearch, 100)
    writer = OpenSearchIndexWriter(busy, index_name, pause=lambda _: None)
    writer.begin(MODEL, DIMENSIONS)
    with pytest.raises(IndexWriteFailed, match="queue is full"):
        writer.replace({"a.json": [table_entry(f"shop.sales.t{number}", names=["old"]) for number in range(12)]}, [])
    busy.refusals = 0
    assert writer.counts().documents > 0
    writer.replace({"a.json": [table_entry("shop.sales.new", names=["new"])]}, [])
    writer.finish(metadata(), key_graph())
    assert (found(writer, "old"), found(writer, "new")) == ([], ["new"])


def test_a_writer_killed_between_two_requests_leaves_the_file_to_be_done_again(
    opensearch: OpenSearch, index_name: str, index: OpenSearchIndexWriter
) -> None:
    change(index, table_entries(2))
    path = next(iter(table_entries(1)))

    class Killed(BaseException):
        pass

    class Dying(_Busy):
        def bulk(self, body: bytes, **options: Any) -> Any:
            if self.refusals == 0:
                raise Killed
            self.refusals -= 1
            return opensearch.bulk(body=body, **options)

    changed = {path: [table_entry("shop.sales.t9", names=["new"])]}
    for requests in range(3):
        dying: Any = Dying(opensearch, requests)
        writer = OpenSearchIndexWriter(dying, index_name)
        writer.begin(MODEL, DIMENSIONS)
        with pytest.raises(Killed):
            writer.replace(changed, [], {path: HASH_B})
        started = index.begin(MODEL, DIMENSIONS)
        assert started[path] == (HASH_A if requests == 0 else "")
        assert set(started) == set(table_entries(2))
    index.replace(changed, [], {path: HASH_B})
    index.finish(metadata(), key_graph())
    assert sorted(found(index, "order", "new")) == ["t1", "t9"]
    assert held(index)[path] == HASH_B
