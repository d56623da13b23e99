"""The indexer when a message is about what is no longer so, and when it is stopped or held up in the middle."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from opensearchpy import OpenSearch

from tests.functions.calls import Context, sqs_record
from tests.functions.recorded_runs import (
    MANIFEST,
    MANIFEST_EVENT,
    REBUILD,
    Choices,
    LookingContext,
    Replay,
    Step,
    replaying,
    short_of_time,
)
from tests.functions.test_documentation_run import call
from tests.indexing.index_dump import cluster_dump
from tribal.identity.locations import INDEXER_PROGRESS_FILE, MANIFEST_FILE
from tribal_contracts import DocumentationManifest, IndexerProgress

INDEX = "tribal-knowledge"

pytestmark = pytest.mark.xdist_group("opensearch")


@pytest.fixture
def replay(tmp_path: Path, opensearch: OpenSearch, opensearch_address: str) -> Iterator[Replay]:
    opensearch.indices.delete(index=f"{INDEX}-*", params={"allow_no_indices": "true"})
    with replaying(tmp_path, TRIBAL_INDEX="opensearch", TRIBAL_SEARCH_ENDPOINT=opensearch_address) as replay:
        replay.clear()
        yield replay
    opensearch.indices.delete(index=f"{INDEX}-*", params={"allow_no_indices": "true"})


def progress(replay: Replay) -> IndexerProgress:
    return IndexerProgress.from_json(replay.store.get(INDEXER_PROGRESS_FILE).data)


def tables() -> set[str]:
    """What callers of the API see."""
    answer = call("POST", "/v1/tools/search_tables", {"query": "customer order invoice audit change", "limit": 20})
    return {table["name"] for table in answer["body"]["tables"]}


def test_the_manifest_is_taken_in_and_poison_stays_alone(replay: Replay, steps: list[Step]) -> None:
    from functions.indexer.handler import handle

    assert call("POST", "/v1/tools/search_tables", {"query": "orders"})["statusCode"] == 503
    replay.become(steps[2].files)
    records = [sqs_record("event", MANIFEST_EVENT), sqs_record("poison", "poison")]
    assert handle({"Records": records}, Context()) == {"batchItemFailures": [{"itemIdentifier": "poison"}]}
    replay.take_up()
    assert replay.pending == []
    assert "company.sales.orders" in tables()


def test_a_message_that_meets_another_indexer_comes_back_and_is_not_a_failure(
    replay: Replay, opensearch: OpenSearch, steps: list[Step]
) -> None:
    replay.become(steps[2].files)
    context = LookingContext()
    context.meanwhile = lambda: seen.append((replay.deliver(MANIFEST_EVENT), [*replay.pending]))
    seen: list[tuple[bool, list[str]]] = []
    assert replay.deliver(MANIFEST_EVENT, context)
    assert seen == [(True, [MANIFEST])]
    (published,) = opensearch.indices.get_alias(name=INDEX)
    replay.drain(Choices())
    assert list(opensearch.indices.get_alias(name=INDEX)) == [published]


def test_what_a_killed_indexer_left_is_resumed(replay: Replay, opensearch: OpenSearch, steps: list[Step]) -> None:
    class Killed(BaseException):
        pass

    def die() -> None:
        raise Killed

    replay.become(steps[2].files)
    context = LookingContext()
    context.meanwhile = die
    with pytest.raises(Killed):
        replay.deliver(MANIFEST_EVENT, context)
    assert list(opensearch.indices.get_alias(index=f"{INDEX}-*")) == [f"{INDEX}-000001"]
    assert replay.deliver(MANIFEST_EVENT)
    replay.drain(Choices())
    assert "company.sales.orders" in tables()
    assert list(opensearch.indices.get_alias(index=f"{INDEX}-*")) == [f"{INDEX}-000002"]


def test_a_rebuild_that_runs_out_of_time_hides_no_table_and_is_carried_to_its_end(
    replay: Replay, opensearch: OpenSearch, steps: list[Step]
) -> None:
    replay.become(steps[2].files)
    assert replay.deliver(MANIFEST)
    whole, seen = cluster_dump(opensearch, INDEX), tables()
    assert replay.deliver(REBUILD, short_of_time())
    assert replay.pending == [MANIFEST]
    assert (cluster_dump(opensearch, INDEX), tables()) == (whole, seen)
    replay.become(steps[4].files)
    replay.drain(Choices())
    rebuilt = cluster_dump(opensearch, INDEX)
    assert rebuilt != whole
    opensearch.indices.delete(index=f"{INDEX}-*")
    assert replay.deliver(MANIFEST)
    assert cluster_dump(opensearch, INDEX) == rebuilt


def test_a_rebuild_of_what_is_up_to_date_is_not_dropped_when_it_runs_out_of_time(
    replay: Replay, opensearch: OpenSearch, steps: list[Step]
) -> None:
    replay.become(steps[2].files)
    assert replay.deliver(MANIFEST)
    (damaged,) = opensearch.indices.get_alias(name=INDEX)
    whole = cluster_dump(opensearch, INDEX)
    # Someone has emptied records by hand, which no hash tells of.
    opensearch.indices.put_settings(index=damaged, body={"index.blocks.write": None})
    opensearch.update_by_query(
        index=damaged,
        body={"query": {"term": {"doc_type": "table"}}, "script": "ctx._source.terms_table = 'nothing'"},
        params={"refresh": "true"},
    )
    assert cluster_dump(opensearch, INDEX) != whole
    assert replay.deliver(REBUILD, short_of_time())
    replay.drain(Choices())
    assert cluster_dump(opensearch, INDEX) == whole


@pytest.mark.parametrize("message", [MANIFEST_EVENT, REBUILD])
def test_a_document_that_is_missing_is_a_failure_on_record_and_no_message_that_comes_for_ever(
    replay: Replay, opensearch: OpenSearch, steps: list[Step], message: str
) -> None:
    manifest = DocumentationManifest.from_json(steps[2].files[MANIFEST_FILE])
    missing = next(file.path for file in manifest.indexable_files if file.table == "orders")
    replay.become({key: data for key, data in steps[2].files.items() if key != f"docs/{missing}"})
    assert replay.deliver(message)
    replay.drain(Choices())
    assert replay.failures == {}
    failed = progress(replay)
    assert (failed.status, [error.code for error in failed.errors]) == ("failed", ["MANIFEST_FILE_MISSING"])
    assert missing in failed.errors[0].message
    # The next run writes the document again, and its manifest tells of it.
    replay.become(steps[4].files)
    assert replay.deliver(MANIFEST_EVENT)
    replay.drain(Choices())
    assert progress(replay).status == "completed"
    assert "company.sales.orders" in tables()


def test_without_a_manifest_the_daily_look_ends_quietly(replay: Replay) -> None:
    assert replay.deliver(MANIFEST)
    assert replay.store.head(INDEXER_PROGRESS_FILE) is None
