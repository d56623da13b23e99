"""Declared keys and likely ones of the tables around two, ready to walk; kept, for the next question is often near."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tribal.catalog.graph import JoinGraph
from tribal.ports import SearchIndex, TableEntry
from tribal.retrieval.inferred_keys import undeclared_keys
from tribal.retrieval.key_words import role_words
from tribal_contracts import KeyEdge, KeyGraph

LOOKED_AT = 200
"""Tables whose columns are looked at."""

_KEPT = 8
_lock = threading.Lock()
_made: list[tuple[KeyGraph | None, frozenset[int], LikelyJoins]] = []


@dataclass(frozen=True, slots=True)
class LikelyJoins:
    """Some tables with every key between them, declared or told from names and types."""

    graph: JoinGraph
    tables: frozenset[str]
    """The tables that were looked at, by their fully qualified names."""
    confidences: Mapping[bytes, float]
    """Of each key that nobody declared, by its JSON."""

    def confidence(self, key: KeyEdge) -> float | None:
        """How sure it is of a key; `None` of one that is declared."""
        return None if key.source == "declared" else self.confidences[key.to_compact_json()]


def likely_joins(
    source: TableEntry, target: TableEntry, tables: Sequence[TableEntry], index: SearchIndex
) -> LikelyJoins:
    """The joins of two tables and of those in their schemas, as far as `tables` may be seen."""
    schemas = {(entry.database, entry.schema) for entry in (source, target)}
    around = (entry for entry in tables if (entry.database, entry.schema) in schemas)
    ids = [entry.record_id for entry in dict.fromkeys((source, target, *around))][:LOOKED_AT]
    keys, wanted = index.key_graph(), frozenset(ids)
    with _lock:
        for made_of, kept_ids, kept in _made:
            # An index hands out the same keys until it changes.
            if made_of is keys and kept_ids == wanted:
                return kept
    made = _make(ids, keys, index)
    with _lock:
        _made.insert(0, (keys, wanted, made))
        del _made[_KEPT:]
    return made


def _make(ids: Sequence[int], keys: KeyGraph | None, index: SearchIndex) -> LikelyJoins:
    records = index.records(sorted(ids)).values()
    documents = [record.structured for record in records if record.structured is not None]
    known = frozenset(document.name for document in documents)
    declared = [edge for edge in (keys.edges if keys else ()) if {edge.from_table, edge.to_table} <= known]
    guesses = undeclared_keys(documents)
    graph = JoinGraph.of([*declared, *(guess.edge for guess in guesses)], role_words)
    return LikelyJoins(graph, known, {guess.edge.to_compact_json(): guess.confidence for guess in guesses})
