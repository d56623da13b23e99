"""What `/metrics` tells: requests by route, tool and status, their times, the memory, and the index."""

from __future__ import annotations

import os
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from tests.edges.http.served import Served
from tests.edges.mcp.asked import index_project
from tribal.edges.http.asgi.metrics import resident_bytes


def samples(server: Served) -> dict[tuple[str, tuple[str, ...]], float]:
    """Every figure by its name and the values of its labels."""
    answer = server.client.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    families = text_string_to_metric_families(answer.text)
    return {
        (sample.name, tuple(sample.labels[name] for name in sorted(sample.labels))): sample.value
        for family in families
        for sample in family.samples
    }


def test_requests_are_counted_by_what_was_asked_and_how_it_ended(tmp_path: Path) -> None:
    with Served(tmp_path) as server:
        server.ask()
        before = samples(server)
        assert before["tribal_index_ready", ()] == 0
        index_project(tmp_path)
        for _ in range(3):
            server.ask()
        server.client.get("/v1/nobody/knows/1")
        server.client.get("/v1/nobody/knows/2")
        told = samples(server)
    assert told["tribal_requests_total", ("/v1/tools/{name}", "503", "search_tables")] == 1
    assert told["tribal_requests_total", ("/v1/tools/{name}", "200", "search_tables")] == 3
    assert told["tribal_requests_total", ("other", "404", "")] == 2
    assert told["tribal_request_seconds_count", ("/v1/tools/{name}", "search_tables")] == 4
    assert told["tribal_request_seconds_bucket", ("+Inf", "/v1/tools/{name}", "search_tables")] == 4
    assert told["tribal_index_ready", ()] == 1
    assert told["tribal_index_age_seconds", ()] > 0
    assert told["tribal_index_documents", ()] > 10
    (manifest,) = [labels for name, labels in told if name == "tribal_index_generation"]
    assert len(manifest[0]) == 64
    assert told["tribal_resident_memory_bytes", ()] > 10_000_000


def test_the_memory_of_a_process_grows_with_what_it_holds() -> None:
    before = resident_bytes()
    held = os.urandom(50_000_000)
    assert resident_bytes() - before > 40_000_000
    assert len(held) == 50_000_000
