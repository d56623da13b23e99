"""Measures the indexer of an environment with OpenSearch: does the index agree in the end, and how soon.

`python -m bench.indexing` has four workers, delayed, stalled and lost at random, take in 400 changed tables of 16
units, 20 times; then it times one changed table of 5,000, and 5,000 changed ones. The cluster is that of
`OPENSEARCH_URL`, or else a node on this machine. The store is a folder: in AWS, a request to S3 takes some 15 ms more,
and 16 run at once.
"""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from opensearchpy import OpenSearch

from bench.opensearch import cluster
from servers.java_packages import PackagesUnavailable
from servers.opensearch import NodeError
from tests.runs.unreliable_indexing import Experiment
from tests.sample_shop.indexed import Key, table_document, write_documentation
from tribal.adapters.local.folder import FolderStore
from tribal.adapters.opensearch.client import opensearch_client
from tribal.adapters.opensearch.index import OpenSearchIndex
from tribal.adapters.opensearch.writer import OpenSearchIndexWriter
from tribal.adapters.wordllama.embedder import WordLlamaEmbedder
from tribal.indexing import IndexingContext, IndexTask
from tribal.ports import IndexFilter, StopToken
from tribal.runs.clock import SystemClock
from tribal.runs.indexing import carry_out_alone
from tribal.runs.sinks import SilentSink
from tribal_contracts import TableDocument

RESULTS = Path(".bench") / "indexing.json"
SEEDS, CHANGED_TABLES = 20, 400
TABLES, TABLES_A_UNIT = 5_000, 25
MOST_SECONDS_FOR_ONE = 60.0
_NAME = "bench-indexing"
_WORDS = "customer order invoice amount currency status created updated region owner price quantity note email".split()


def disagreements(client: OpenSearch, seeds: int) -> list[int]:
    """The seeds with which index and manifest do not agree in the end."""
    found = []
    for seed in range(seeds):
        experiment = Experiment(client, f"{_NAME}-{seed}", CHANGED_TABLES)
        began = time.monotonic()
        agrees = experiment.agrees(seed)
        said = ", ".join(f"{count} x {what}" for what, count in experiment.endings.most_common())
        print(f"seed {seed}: {'agrees' if agrees else 'DIFFERS'} after {time.monotonic() - began:.0f} s ({said})")
        found += [] if agrees else [seed]
        _remove(client, f"{_NAME}-{seed}")
    return found


def tables(comments: list[str]) -> Iterator[TableDocument]:
    """One table of 15 columns a comment, each with a key to the one before."""
    for number, comment in enumerate(comments):
        word, before = _WORDS[number % len(_WORDS)], _WORDS[(number - 1) % len(_WORDS)]
        key = Key((f"owner_{number % 7}",), f"s{(number - 1) % 20}.{before}_{number - 1:05}", ("id",))
        yield table_document(
            f"shop.s{number % 20}.{word}_{number:05}",
            " ".join(["id", *(f"{word}_{number % 7}" for word in _WORDS)]),
            domain=f"d{number // TABLES_A_UNIT:03}",
            comment=comment,
            keys=[key] if number else [],
        )


def seconds(client: OpenSearch, folder: Path) -> dict[str, float]:
    """Seconds from a manifest until readers find what it lists, by what has changed."""
    parts = FolderStore(folder), OpenSearchIndexWriter(client, _NAME), WordLlamaEmbedder(), SystemClock(None)
    context = IndexingContext(*parts, SilentSink(), StopToken())
    reader, taken = OpenSearchIndex(client, _NAME), {}
    old, new = ["An old word."] * TABLES, ["A new word."] * TABLES
    for what, comments in {"from nothing": old, "one changed": [*new[:1], *old[1:]], "all changed": new}.items():
        write_documentation(context.store, list(tables(comments)))
        began = time.monotonic()
        assert carry_out_alone(IndexTask(kind="manifest"), context, what).summary == "indexed"
        found = [table.record_id for table in reader.tables(IndexFilter())]
        taken[what] = round(time.monotonic() - began, 1)
        assert [record.summary for record in reader.records(found).values()].count(new[0]) == comments.count(new[0])
    _remove(client, _NAME)
    return taken


def _remove(client: OpenSearch, name: str) -> None:
    for generation in client.indices.get_alias(index=f"{name}-*", params={"allow_no_indices": "true"}):
        client.indices.delete(index=generation)


def main() -> int:
    """Run the benchmark, print what it found and write the file; returns the exit code."""
    # Requests of workers that were taken for dead are refused, as they should be.
    logging.getLogger("opensearch").setLevel(logging.CRITICAL)
    try:
        with cluster(install=True) as address, TemporaryDirectory(prefix="tribal-bench-") as scratch:
            assert address is not None
            client = opensearch_client(address)
            differing = disagreements(client, int(sys.argv[1]) if len(sys.argv) > 1 else SEEDS)
            taken = seconds(client, Path(scratch))
    except (PackagesUnavailable, NodeError) as error:
        print(f"bench.indexing: FAILED: {error}", file=sys.stderr)
        return 1
    print(", ".join(f"{what}: {number} s" for what, number in taken.items()))
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps({"differing_seeds": differing, "seconds": taken}, indent=2) + "\n", encoding="utf-8")
    passed = not differing and taken["one changed"] <= MOST_SECONDS_FOR_ONE
    print(f"bench.indexing: {'done' if passed else 'FAILED'}; written to {RESULTS}")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
