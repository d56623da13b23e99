"""Anyone who searches in OpenSearch while the whole index is rebuilt gets every answer, and each is whole."""

from __future__ import annotations

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from opensearchpy import OpenSearch

from tests.fakes import application_over
from tests.indexing.test_generations import WordEmbedder, build, documented, seen
from tribal.adapters.opensearch.writer import OpenSearchIndexWriter
from tribal.ports import Caller
from tribal.tools.call import call_tool

# The node is started once for all tests that need one.
pytestmark = pytest.mark.xdist_group("opensearch")


def test_readers_that_never_pause_get_every_answer_while_the_whole_index_is_rebuilt(
    opensearch: OpenSearch, index_name: str
) -> None:
    def opened() -> OpenSearchIndexWriter:
        return OpenSearchIndexWriter(opensearch, index_name)

    few, many = documented("alpha", 110), documented("beta", 130)
    writer, done = opened(), threading.Event()
    expected = set()
    for store in (many, few):
        build(store, writer, force=True)
        expected.add(seen(writer))

    def ask() -> Counter[tuple[bool, int, int]]:
        app = application_over(opened(), WordEmbedder())
        answers: Counter[tuple[bool, int, int]] = Counter()
        while not done.is_set() or not answers:
            answer: Any = call_tool("search_tables", {"query": "alpha beta", "limit": 10}, Caller("test"), app)
            answers[answer.success, len(answer.tables), answer.total_matches] += 1
        return answers

    def look() -> set[str]:
        index, found = opened(), set[str]()
        while not done.is_set() or not found:
            found.add(seen(index))
        return found

    with ThreadPoolExecutor(3) as pool:
        asking, looking = [pool.submit(ask) for _ in range(2)], pool.submit(look)
        try:
            for store in (many, few, many):
                build(store, writer, force=True)
        finally:
            done.set()
    answers = sum((asked.result() for asked in asking), Counter[tuple[bool, int, int]]())
    assert set(answers) <= {(True, 10, 110), (True, 10, 130)}
    assert answers.total() > 3
    assert looking.result() <= expected
    assert len(expected) == 2
