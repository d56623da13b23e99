"""The OpenSearch index keeps the port's contract on a real node."""

from __future__ import annotations

import base64
import json
import os
import re
import socket
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from botocore.credentials import Credentials
from opensearchpy import OpenSearch
from opensearchpy.exceptions import AuthorizationException, RequestError
from pydantic import SecretStr

from infra.environment import environment_names, load_environment
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
    lexical,
    metadata,
    nearest,
    table_entries,
    table_entry,
    vector,
)
from tests.conformance.search_index import *  # noqa: F403
from tests.serving import serve_aside
from tribal.adapters.opensearch import client, queries
from tribal.adapters.opensearch import multi_search as reading
from tribal.adapters.opensearch.client import opensearch_client
from tribal.adapters.opensearch.index import OpenSearchIndex
from tribal.adapters.opensearch.layout import LAYOUT
from tribal.adapters.opensearch.writer import OpenSearchIndexWriter
from tribal.errors import IndexNotReady, IndexWriteFailed
from tribal.identity.scope import Scope
from tribal.ports import INDEX_VERSION, IndexFilter

# One worker runs them all, so that one node is enough.
pytestmark = pytest.mark.xdist_group("opensearch")

COLD_START_SECONDS = 3
"""Twice what a cold retriever takes (`python -m bench.first_request`)."""


@pytest.fixture
def index(opensearch: OpenSearch, index_name: str) -> OpenSearchIndexWriter:
    return OpenSearchIndexWriter(opensearch, index_name)


@pytest.fixture
def other(opensearch: OpenSearch, index_name: str) -> OpenSearchIndexWriter:
    return OpenSearchIndexWriter(opensearch, index_name)


@pytest.fixture
def elsewhere(opensearch: OpenSearch, index_name: str) -> OpenSearchIndexWriter:
    return OpenSearchIndexWriter(opensearch, f"{index_name}-elsewhere")


@pytest.fixture
def traces(opensearch: OpenSearch, index_name: str) -> Callable[[], list[str]]:
    def list_all() -> list[str]:
        found = opensearch.indices.get_alias(index=f"{index_name}-*", params={"allow_no_indices": "true"})
        return sorted(f"{name} {alias}" for name, about in found.items() for alias in about["aliases"])

    return list_all


def test_a_rebuild_next_to_readers_never_shows_an_empty_or_a_half_index(
    index: OpenSearchIndexWriter, other: OpenSearchIndexWriter
) -> None:
    change(index, table_entries(40))
    done = threading.Event()

    def read() -> tuple[int, set[tuple[int, ...]]]:
        seen: set[tuple[int, ...]] = set()
        asked = 0
        while not done.is_set() or asked == 0:
            with other.reading():
                hits = lexical(other, ["order"], "table", EVERYWHERE, 100)
                records = other.records([hit.record_id for hit in hits])
                close = nearest(other, vector(1), "table", EVERYWHERE, 100)
                seen.add((len(hits), len(records), len(close), len(other.tables(EVERYWHERE))))
                assert len({record.content_hash for record in records.values()}) == 1
                assert other.key_graph() is not None
                assert other.metadata() is not None
            asked += 1
        return asked, seen

    with ThreadPoolExecutor(2) as pool:
        readers = [pool.submit(read) for _ in range(2)]
        for content_hash in (HASH_B, HASH_A, HASH_B):
            assert index.begin(MODEL, DIMENSIONS, from_scratch=True) == {}
            for path, entries in list(table_entries(40, content_hash).items())[::13]:
                index.replace({path: entries}, [])
            index.replace(table_entries(40, content_hash), [])
            index.finish(metadata(content_hash), key_graph(content_hash))
        done.set()
        answers = [reader.result() for reader in readers]
    assert all(asked > 1 for asked, _ in answers)
    assert set.union(*(seen for _, seen in answers)) == {(40, 40, 40, 40)}
    assert other.metadata() == metadata(HASH_B)


def test_a_generation_is_copied_to_another_node_once_it_is_whole(
    index: OpenSearchIndexWriter, opensearch: OpenSearch, index_name: str
) -> None:
    def copies(alias: str) -> tuple[str, str | None]:
        (about,) = opensearch.indices.get_settings(index=alias).values()
        return about["settings"]["index"]["number_of_replicas"], about["settings"]["index"].get("auto_expand_replicas")

    index.begin(MODEL, DIMENSIONS)
    assert copies(f"{index_name}-next") == ("0", None)
    index.finish(metadata(), key_graph())
    assert copies(index_name) == ("0", "0-1")
    fill(index, table_entry(names=["order"]))
    assert copies(index_name) == ("0", "0-1")
    assert found(index, "order") == ["orders"]


def test_generations_that_no_one_asks_are_swept(
    index: OpenSearchIndexWriter, opensearch: OpenSearch, index_name: str
) -> None:
    for _ in range(3):
        fill(index, table_entry(names=["order"]))
    assert len(opensearch.indices.get_alias(index=f"{index_name}-*")) == 2
    assert found(index, "order") == ["orders"]


def test_the_index_of_a_longer_name_is_left_alone(
    index: OpenSearchIndexWriter, opensearch: OpenSearch, index_name: str
) -> None:
    neighbour = OpenSearchIndexWriter(opensearch, f"{index_name}-dev")
    fill(neighbour, table_entry("shop.sales.theirs", names=["order"]))
    for _ in range(2):
        fill(index, table_entry(names=["order"]))
    index.begin(MODEL, DIMENSIONS)
    index.abandon()
    assert found(neighbour, "order") == ["theirs"]


def test_what_was_abandoned_by_someone_else_cannot_be_finished(
    index: OpenSearchIndexWriter, other: OpenSearchIndexWriter
) -> None:
    index.begin(MODEL, DIMENSIONS)
    other.abandon()
    with pytest.raises(IndexWriteFailed, match="index again"):
        index.replace(table_entries(1), [])
    other.begin(MODEL, DIMENSIONS)
    other.finish(metadata(), key_graph())
    with pytest.raises(IndexWriteFailed, match="index again"):
        index.finish(metadata(HASH_B), key_graph())
    assert other.metadata() == metadata()


def test_a_published_generation_takes_no_write(
    index: OpenSearchIndexWriter, opensearch: OpenSearch, index_name: str
) -> None:
    for _ in range(2):
        fill(index, table_entry(names=["order"]))
        with pytest.raises(AuthorizationException, match="cluster_block_exception"):
            opensearch.index(index=index_name, id="state", body={"kind": "state"})


def test_the_writer_that_resumes_what_another_one_left_is_its_only_writer(
    index: OpenSearchIndexWriter, other: OpenSearchIndexWriter
) -> None:
    fill(index, table_entry("shop.sales.kept", names=["order"]))
    index.begin(MODEL, DIMENSIONS)
    index.replace({"a.json": [table_entry("shop.sales.a", names=["order"])]}, [])
    assert other.begin(MODEL, DIMENSIONS)["a.json"] == HASH_A
    # The first one was only held up, and goes on.
    with pytest.raises(IndexWriteFailed):
        index.replace({"b.json": [table_entry("shop.sales.late", names=["order"])]}, [])
    with pytest.raises(IndexWriteFailed):
        index.finish(metadata(HASH_B), key_graph())
    assert found(other, "order") == ["kept"]
    other.finish(metadata(), key_graph())
    assert sorted(found(index, "order")) == ["a", "kept"]
    assert index.metadata() == metadata()


def test_a_record_that_moves_to_a_file_written_earlier_is_not_removed_with_the_file_that_it_left(
    index: OpenSearchIndexWriter,
) -> None:
    moved, stays = table_entry("shop.sales.moved", names=["order"]), table_entry("shop.sales.stays", names=["order"])
    change(index, {"z.json": [moved, stays]})
    index.begin(MODEL, DIMENSIONS)
    index.replace({"a.json": [moved]}, [])
    index.replace({"z.json": [stays]}, [])
    index.finish(metadata(HASH_B), key_graph())
    assert sorted(found(index, "order")) == ["moved", "stays"]


def test_a_path_of_any_length_is_remembered(index: OpenSearchIndexWriter) -> None:
    paths = ["p" * 1024, "ü" * 512, "p" * 1023 + "q", "short.json"]
    change(index, {path: [table_entry(f"shop.sales.t{number}")] for number, path in enumerate(paths)})
    assert sorted(held(index)) == sorted(paths)
    change(index, {}, *paths)
    assert held(index) == {}
    assert index.tables(EVERYWHERE) == []


def test_a_field_that_is_not_of_the_layout_is_refused(
    index: OpenSearchIndexWriter, opensearch: OpenSearch, index_name: str
) -> None:
    index.begin(MODEL, DIMENSIONS)
    with pytest.raises(RequestError, match="strict_dynamic_mapping_exception"):
        opensearch.index(index=f"{index_name}-next", body={"stranger": 1})


@pytest.mark.parametrize(
    ("version", "layout"), [("0", {"layout": LAYOUT}), (INDEX_VERSION, {"layout": "0"}), (INDEX_VERSION, {})]
)
def test_an_index_of_another_version_or_layout_is_not_ready(
    index: OpenSearchIndexWriter,
    other: OpenSearchIndexWriter,
    opensearch: OpenSearch,
    index_name: str,
    version: str,
    layout: dict[str, str],
) -> None:
    fill(index, table_entry(names=["old"]))
    metadata_there = {**json.loads(metadata().to_compact_json()), "index_version": version}
    state = {"name": "x", "metadata": metadata_there, "graph": [], **layout}
    opensearch.indices.put_settings(index=index_name, body={"index.blocks.write": None})
    opensearch.index(
        index=index_name, id="state", body={"kind": "state", "value": json.dumps(state)}, params={"refresh": "true"}
    )
    assert other.metadata() is None
    with pytest.raises(IndexNotReady, match="another version"):
        other.tables(EVERYWHERE)
    index.begin(MODEL, DIMENSIONS, from_scratch=True)
    index.replace({"a.json": [table_entry("shop.sales.fresh", names=["new"])]}, [])
    index.finish(metadata(), key_graph())
    assert found(other, "new") == ["fresh"]


def test_a_domain_that_does_not_answer_is_never_an_empty_success() -> None:
    nobody = OpenSearchIndexWriter(opensearch_client("http://127.0.0.1:9"), pause=lambda _: None)
    assert nobody.metadata() is None
    with pytest.raises(IndexNotReady, match="cannot be searched"):
        nobody.tables(EVERYWHERE)
    for write in (
        lambda: nobody.is_unfinished(MODEL),
        lambda: nobody.begin(MODEL, DIMENSIONS),
        lambda: nobody.begin(MODEL, DIMENSIONS, from_scratch=True),
        nobody.abandon,
    ):
        with pytest.raises(IndexWriteFailed, match="check that the domain is healthy"):
            write()


def test_a_domain_that_falls_silent_is_given_up_before_the_caller_is(monkeypatch: pytest.MonkeyPatch) -> None:
    shipped = [
        load_environment(name).functions.model_dump()["retriever"]["timeout_seconds"] for name in environment_names()
    ]
    assert min(shipped) > reading.ATTEMPTS * client.READING_SECONDS + COLD_START_SECONDS
    monkeypatch.setattr(client, "READING_SECONDS", 0.05)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        index = OpenSearchIndex(opensearch_client(address, reading=True), pause=lambda _: None)
        with pytest.raises(IndexNotReady, match="cannot be searched"):
            index.tables(EVERYWHERE)


def test_an_index_says_what_is_slow_for_the_logs_of_the_domain(
    index: OpenSearchIndexWriter, opensearch: OpenSearch, index_name: str
) -> None:
    fill(index, table_entry())
    (told,) = opensearch.indices.get_settings(index=index_name).values()
    assert told["settings"]["index"]["search"]["slowlog"]["threshold"]["query"]["warn"] == "2s"


def test_many_vectors_are_searched_by_the_graph_with_the_same_scores(
    index: OpenSearchIndexWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(index, *(table_entry(f"shop.sales.t{number}", near=vector(number, 10 - number)) for number in range(10)))
    exact = nearest(index, vector(1, 2), "table", EVERYWHERE, 4)
    monkeypatch.setattr(queries, "EXACT_VECTORS", 0)
    assert nearest(index, vector(1, 2), "table", EVERYWHERE, 4) == exact
    narrow = IndexFilter(scope=Scope(schemas=frozenset({("shop", "hr")})))
    assert nearest(index, vector(1, 2), "table", narrow, 4) == []


@pytest.mark.skipif(os.name == "nt", reason="a plain socket server")
def test_requests_are_signed_for_the_service_of_managed_domains() -> None:
    logins: list[str] = []

    class Domain(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            logins.append(self.headers["Authorization"])
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, *_: object) -> None:
            return

    with ThreadingHTTPServer(("127.0.0.1", 0), Domain) as server:
        serve_aside(server)
        address = f"http://127.0.0.1:{server.server_port}"
        opensearch_client(address, region="eu-central-1", credentials=Credentials("AKIDEXAMPLE", "secret")).info()
        opensearch_client(address, user="tribal", password=SecretStr("pass")).info()
        server.shutdown()
    signed, basic = logins
    assert re.match(r"AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/\d{8}/eu-central-1/es/aws4_request", signed)
    assert basic == f"Basic {base64.b64encode(b'tribal:pass').decode()}"
