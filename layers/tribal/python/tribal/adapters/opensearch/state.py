"""What an index says of itself: what it was built from, and its keys as one object.

The keys are written in pieces named by their hash before the state that names them, so that a reader never meets half
of them; those of the state before stay until the next, for whoever is reading them.
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
from tribal.adapters.opensearch.layout import LAYOUT, STATE_ID, TOUCHED_ID
from tribal.catalog.hashing import bytes_hash
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
    """Another one for every other state."""
    generation: str
    """The index that it is the state of."""


class OtherVersion(Exception):
    """The index is of another version of this program."""


def state_query() -> dict[str, Any]:
    """The search that every reading request carries."""
    ids = {"ids": {"values": [STATE_ID, TOUCHED_ID]}}
    # Ranked hits would each bear the name of the index if it were not asked for as a value.
    return {"query": ids, "size": 2, "_source": ["value"], "docvalue_fields": ["_index"], "track_total_hits": False}


def read_state(response: Mapping[str, Any]) -> State | None:
    """What the search for the state found; `None` while the index is not finished.

    Raises:
        OtherVersion: when another version of this program has written it.
    """
    hits = response["hits"]["hits"]
    values = {hit["_id"]: str(hit["_source"]["value"]) for hit in hits}
    text = values.get(STATE_ID)
    if text is None:
        return None
    state = json.loads(text)
    if (state["metadata"].get("index_version"), state.get("layout")) != (INDEX_VERSION, LAYOUT):
        raise OtherVersion
    return State(
        metadata=IndexMetadata.model_validate(state["metadata"]),
        graph=tuple(state["graph"]),
        name=f"{state['name']} {values.get(TOUCHED_ID, '')}",
        generation=hits[0]["fields"]["_index"][0],
    )


def touch() -> Action:
    """Marks that records have changed."""
    return Action(TOUCHED_ID, {"kind": "touched", "value": secrets.token_hex(8)})


def graph_actions(graph: KeyGraph) -> list[Action]:
    """The key graph in pieces that fit into a request."""
    data = graph.to_compact_json()
    text = base64.b64encode(zlib.compress(data)).decode()
    pieces = [text[start : start + _PIECE_CHARS] for start in range(0, len(text), _PIECE_CHARS)]
    name = bytes_hash(data)
    return [Action(f"graph {name} {n}", {"kind": "graph", "value": piece}) for n, piece in enumerate(pieces)]


def state_action(metadata: IndexMetadata, graph: Sequence[Action]) -> Action:
    """The state that names a key graph."""
    state = {
        "name": secrets.token_hex(8),
        "layout": LAYOUT,
        "metadata": json.loads(metadata.to_compact_json()),
        "graph": [piece.document_id for piece in graph],
    }
    return Action(STATE_ID, {"kind": "state", "value": json.dumps(state, separators=(",", ":"))})


def read_graph(pieces: Sequence[str]) -> KeyGraph:
    """The key graph from its pieces, in order."""
    return KeyGraph.from_json(zlib.decompress(base64.b64decode("".join(pieces))))
