"""Metrics of the server, in Prometheus' text format."""

from __future__ import annotations

import resource
import sys
import time
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

if TYPE_CHECKING:
    from tribal.ports.application import Application

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_BUCKETS = (0.005, 0.01, 0.02, 0.04, 0.08, 0.15, 0.3, 0.6, 1.0, 2.5, 5.0, 10.0)
_MEMORY_EVERY_SECONDS = 5.0


class Metrics:
    """The metrics of one process; thread-safe.

    Args:
        folder: where the processes of a server share their metrics, if there are several.
    """

    def __init__(self, folder: str | None = None) -> None:
        self._folder = folder
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "tribal_requests", "Requests answered.", ("route", "tool", "status"), registry=self._registry
        )
        self._seconds = Histogram(
            "tribal_request_seconds",
            "Time to answer a request.",
            ("route", "tool"),
            registry=self._registry,
            buckets=_BUCKETS,
        )
        self._memory = Gauge(
            "tribal_resident_memory_bytes",
            "Memory of the server's processes.",
            registry=self._registry,
            multiprocess_mode="livesum",
        )
        self._memory_at = -_MEMORY_EVERY_SECONDS

    def count(self, route: str, tool: str | None, status: int, seconds: float) -> None:
        """Count an answered request."""
        self._requests.labels(route, tool or "", str(status)).inc()
        self._seconds.labels(route, tool or "").observe(seconds)
        self._note_memory()

    def text(self, app: Application) -> bytes:
        """All metrics, including those of the current index."""
        self._memory_at = -_MEMORY_EVERY_SECONDS
        self._note_memory()
        if self._folder is None:
            counted = self._registry
        else:
            counted = CollectorRegistry()
            MultiProcessCollector(counted, path=self._folder)  # type: ignore[no-untyped-call]
        return generate_latest(counted) + generate_latest(_of_index(app))

    def _note_memory(self) -> None:
        now = time.monotonic()
        if now - self._memory_at >= _MEMORY_EVERY_SECONDS:
            self._memory_at = now
            self._memory.set(resident_bytes())


def resident_bytes() -> int:
    """The memory of this process; its peak on systems that do not report the current value."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else most * 1024
    return pages * resource.getpagesize()


def _of_index(app: Application) -> CollectorRegistry:
    registry = CollectorRegistry()
    ready = Gauge("tribal_index_ready", "Whether there is a usable index.", registry=registry)
    metadata = app.index().metadata()
    ready.set(metadata is not None)
    if metadata is None:
        return registry
    indexed = datetime.fromisoformat(metadata.last_full_index)
    age = Gauge("tribal_index_age_seconds", "Time since the index was built.", registry=registry)
    age.set(max(0.0, (app.clock.real() - indexed).total_seconds()))
    documents = Gauge("tribal_index_documents", "Records of the index.", registry=registry)
    documents.set(metadata.document_count)
    generation = Gauge("tribal_index_generation", "The manifest of the index.", ("manifest_hash",), registry=registry)
    generation.labels(metadata.manifest_hash).set(1)
    return registry
