"""The key graph, ready to walk: built once for each state of the index."""

from __future__ import annotations

import threading

from tribal.catalog.graph import JoinGraph
from tribal.ports import SearchIndex
from tribal_contracts import KeyGraph

_lock = threading.Lock()
_built: tuple[KeyGraph, JoinGraph] | None = None


def join_graph(index: SearchIndex) -> JoinGraph:
    """Every key of the index, whatever the caller may see: whoever walks it says which tables are allowed."""
    global _built
    keys = index.key_graph()
    if keys is None:
        return JoinGraph()
    with _lock:
        # An index hands out the same object until it changes, so identity tells whether there is anything to build.
        if _built is None or _built[0] is not keys:
            _built = (keys, JoinGraph.of(keys.edges))
        return _built[1]
