"""The state of an index: what it was built from, and its key graph.

The graph is written in pieces named by their hash, before the state that refers to them, so that a reader never sees
half of it.
"""

from __future__ import annotations

import base64
import json
import secrets
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tribal.adapters.opensearch.bulk import Action
from tribal.adapters.opensearch.layout import LAYOUT, STATE_ID
from tribal.identity.hashing import bytes_hash
from tribal.ports import INDEX_VERSION
from tribal_contracts import IndexMetadata, KeyGraph

_PIECE_CHARS = 2 << 20


@dataclass(frozen=True, slots=True)
class State:
    """One state of a finished index."""

    metadata: IndexMetadata
    graph: tuple[str, ...]
    """Ids of the pieces of the key graph."""
    name: str
    """Unique name of the state."""
    generation: str
    """The generation that the state belongs to."""


class OtherVersion(Exception):
    """The index was written by another version of this program."""


def state_query() -> dict[str, Any]:
    """The search for the state, included in every read request."""
    ids = {"ids": {"values": [STATE_ID]}}
    # Request the index name as a value, because ranked hits are stripped of their metadata.
    return {"query": ids, "size": 1, "_source": ["value"], "docvalue_fields": ["_index"], "track_total_hits": False}


def read_state(response: Mapping[str, Any]) -> State | None:
    """Parse the state from the response; `None` while the index is not finished.

    Raises:
        OtherVersion: when another version of this program wrote the index.
    """
    hits = response["hits"]["hits"]
    if not hits:
        return None
    state = json.loads(hits[0]["_source"]["value"])
    if (state["metadata"].get("index_version"), state.get("layout")) != (INDEX_VERSION, LAYOUT):
        raise OtherVersion
    return State(
        metadata=IndexMetadata.model_validate(state["metadata"]),
        graph=tuple(state["graph"]),
        name=state["name"],
        generation=hits[0]["fields"]["_index"][0],
    )


def graph_actions(graph: KeyGraph) -> list[Action]:
    """The actions that write the key graph, in pieces that fit into a request."""
    data = graph.to_compact_json()
    text = base64.b64encode(zlib.compress(data)).decode()
    pieces = [text[start : start + _PIECE_CHARS] for start in range(0, len(text), _PIECE_CHARS)]
    name = bytes_hash(data)
    return [Action(f"graph {name} {n}", {"kind": "graph", "value": piece}) for n, piece in enumerate(pieces)]


def state_action(metadata: IndexMetadata, graph: Sequence[Action]) -> Action:
    """The action that writes the state with its references to the key graph."""
    state = {
        "name": secrets.token_hex(8),
        "layout": LAYOUT,
        "metadata": json.loads(metadata.to_compact_json()),
        "graph": [piece.document_id for piece in graph],
    }
    return Action(STATE_ID, {"kind": "state", "value": json.dumps(state, separators=(",", ":"))})


def read_graph(pieces: Sequence[str]) -> KeyGraph:
    """Reassemble the key graph from its pieces, in order."""
    return KeyGraph.from_json(zlib.decompress(base64.b64decode("".join(pieces))))
