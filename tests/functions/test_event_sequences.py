"""Whatever the order in which a queue delivers, and however often, the index ends as if built from nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from opensearchpy import OpenSearch

from tests.functions.recorded_runs import (
    MANIFEST,
    MANIFEST_EVENT,
    MOST_ATTEMPTS,
    REBUILD,
    Choices,
    Replay,
    Step,
    replaying,
)
from tests.indexing.index_dump import cluster_dump, logical_dump, without_times
from tests.plugins.verify import examples
from tribal.adapters.sqlite.published import FOLDER, POINTER

NAME = "tribal-knowledge"
NUMBERS = st.lists(st.integers(0, 59), max_size=80)
EXAMPLES_IN_SQLITE, EXAMPLES_IN_OPENSEARCH = examples(4, 10), examples(2, 3)

pytestmark = pytest.mark.xdist_group("opensearch")


def deterministic(count: int) -> settings:
    return settings(max_examples=count, derandomize=True, suppress_health_check=list(HealthCheck), database=None)


class Index:
    """One kind of index: how it is emptied, and what it holds."""

    def __init__(self, disks: Path, client: OpenSearch | None, address: str = "") -> None:
        self._disks = disks
        self._client = client
        self._variables = {"TRIBAL_INDEX": "sqlite"}
        if client is not None:
            self._variables = {"TRIBAL_INDEX": "opensearch", "TRIBAL_SEARCH_ENDPOINT": address}

    @contextmanager
    def replaying(self) -> Iterator[Replay]:
        """An environment of which this is the index."""
        with replaying(self._disks, **self._variables) as replay:
            yield replay
            self.clear(replay)

    def clear(self, replay: Replay) -> None:
        """Make it as if nothing had ever been indexed."""
        replay.clear()
        if self._client is not None:
            self._client.indices.delete(index=f"{NAME}-*", params={"allow_no_indices": "true"})

    def dump(self, replay: Replay) -> list[str]:
        """Everything that readers may ask for, without times."""
        if self._client is not None:
            assert len(self._client.indices.get_alias(index=f"{NAME}-*")) <= 2
            return cluster_dump(self._client, NAME)
        key = f"{FOLDER}{json.loads(replay.store.get(POINTER).data)['content_hash']}.db"
        path = self._disks / "dumped.db"
        path.write_bytes(replay.store.get(key).data)
        return list(map(without_times, logical_dump(path)))

    def from_nothing(self, replay: Replay, step: Step) -> list[str]:
        """What an index holds that is built once."""
        self.clear(replay)
        replay.become(step.files)
        assert replay.deliver(MANIFEST)
        assert replay.pending == []
        return self.dump(replay)


@pytest.fixture
def sqlite(tmp_path: Path) -> Index:
    return Index(tmp_path, None)


@pytest.fixture
def in_opensearch(tmp_path: Path, opensearch: OpenSearch, opensearch_address: str) -> Index:
    return Index(tmp_path, opensearch, opensearch_address)


def recorded(index: Index, replay: Replay, steps: Sequence[Step]) -> list[str]:
    """Each message of the three runs, and of a rebuild that ran out of time."""
    index.clear(replay)
    for step in steps:
        replay.become(step.files)
        if step.announced:
            replay.pending.append(MANIFEST_EVENT)
        replay.drain(Choices())
    assert replay.failures == {}
    return [*replay.delivered, REBUILD, MANIFEST]


def every_order_ends_alike(index: Index, steps: Sequence[Step], count: int) -> None:
    with index.replaying() as replay:
        whole = index.from_nothing(replay, steps[-1])
        messages = recorded(index, replay, steps)
        assert index.dump(replay) == whole

        @deterministic(count)
        @given(st.permutations(messages), st.lists(st.sampled_from(messages), max_size=5), NUMBERS)
        def deliver(order: list[str], again: list[str], numbers: list[int]) -> None:
            index.clear(replay)
            replay.pending = [*order, *again]
            # The drawn order, but for duplicates and for what the indexer queues meanwhile.
            replay.drain(Choices(numbers))
            assert replay.failures == {}
            assert index.dump(replay) == whole

        deliver()


def late_messages_do_no_harm(index: Index, steps: Sequence[Step], count: int, *, held_up: bool) -> None:
    with index.replaying() as replay:
        whole = index.from_nothing(replay, steps[-1])

        @deterministic(count)
        @given(NUMBERS)
        def live(numbers: list[int]) -> None:
            choices = Choices(numbers)
            index.clear(replay)
            for step in steps:
                replay.become(step.files)
                if step.announced:
                    replay.pending.append(MANIFEST_EVENT)
                for _ in range(choices.among(4)):
                    if replay.pending:
                        replay.deliver_one(choices, held_up=held_up)
            replay.drain(choices, held_up=held_up)
            assert max(replay.failures.values(), default=0) < (MOST_ATTEMPTS if held_up else 1)
            assert index.dump(replay) == whole

        live()


def test_any_order_and_number_of_messages_makes_the_same_published_index(sqlite: Index, steps: list[Step]) -> None:
    every_order_ends_alike(sqlite, steps, EXAMPLES_IN_SQLITE)


def test_any_order_and_number_of_messages_makes_the_same_index_in_opensearch(
    in_opensearch: Index, steps: list[Step]
) -> None:
    every_order_ends_alike(in_opensearch, steps, EXAMPLES_IN_OPENSEARCH)


def test_messages_that_come_late_between_and_after_runs_do_a_published_index_no_harm(
    sqlite: Index, steps: list[Step]
) -> None:
    late_messages_do_no_harm(sqlite, steps, EXAMPLES_IN_SQLITE, held_up=False)


def test_messages_that_come_late_or_are_held_up_halfway_do_an_index_in_opensearch_no_harm(
    in_opensearch: Index, steps: list[Step]
) -> None:
    late_messages_do_no_harm(in_opensearch, steps, EXAMPLES_IN_OPENSEARCH, held_up=True)
