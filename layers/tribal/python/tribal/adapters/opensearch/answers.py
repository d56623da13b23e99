"""Answers with thousands of hits, read as columns.

As JSON has them, the hits of one question are tens of thousands of small objects, and making so many lets Python's
collector walk through everything that the process holds: every fourth question took twice as long for it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from opensearchpy.exceptions import SerializationError
from opensearchpy.serializer import JSONSerializer


@dataclass(frozen=True, slots=True)
class RankedHits:
    """Hits that tell nothing but the values they are sorted by and the names of the clauses that they match."""

    values: list[Any]
    """Of all hits, one hit after the other."""
    names: list[str]
    """Of each hit, joined by commas; empty when the search names no clauses."""
    count: int

    def column(self, number: int) -> list[Any]:
        """What every hit has at one place among its sort values."""
        return self.values[number :: len(self.values) // self.count]


class AnswerSerializer(JSONSerializer):
    """JSON, in which the ranked hits of a search become one `RankedHits`."""

    def loads(self, s: str) -> Any:
        """Read an answer."""
        try:
            return json.loads(s, object_hook=_Columns())
        except (ValueError, TypeError) as exc:
            raise SerializationError(s, exc) from exc


class _Columns:
    """Takes the values out of each hit as soon as it is read; their list, which is read after them, gets them all."""

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
