"""Parses responses with thousands of hits into columns.

Parsed naively, the hits of one query become tens of thousands of small objects. Allocating so many triggers full
garbage collections: every fourth query took twice as long.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from opensearchpy.exceptions import SerializationError
from opensearchpy.serializer import JSONSerializer


@dataclass(frozen=True, slots=True)
class RankedHits:
    """Hits reduced to their sort values and the names of the clauses they match."""

    values: list[Any]
    """The sort values of all hits, flattened."""
    names: list[str]
    """The matched clause names of each hit, joined by commas; empty when the search names no clauses."""
    count: int

    def column(self, number: int) -> list[Any]:
        """The sort value at one position, of every hit."""
        return self.values[number :: len(self.values) // self.count]


class AnswerSerializer(JSONSerializer):
    """JSON serializer that turns the ranked hits of a search into one `RankedHits`."""

    def loads(self, s: str) -> Any:
        """Parse a response."""
        try:
            return json.loads(s, object_hook=_Columns())
        except (ValueError, TypeError) as exc:
            raise SerializationError(s, exc) from exc


class _Columns:
    """JSON object hook that collects the values of each hit as it is parsed, for the list that encloses them."""

    def __init__(self) -> None:
        self._values: list[Any] = []
        self._names: list[str] = []

    def __call__(self, read: dict[str, Any]) -> Any:
        values = read.get("sort")
        if values is not None and "_id" not in read:
            self._values += values
            names = read.get("matched_queries")
            if names is not None:
                self._names.append(",".join(names))
            return None
        if self._values and isinstance(read.get("hits"), list):
            read["hits"] = RankedHits(self._values, self._names, len(read["hits"]))
            self._values, self._names = [], []
        return read
