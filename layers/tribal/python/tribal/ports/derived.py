"""What is worked out from one generation of an index, kept for the next question."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import TypeVar, cast

GENERATIONS_KEPT = 4
"""Two indexes that are asked in turn, each of which is just being replaced."""
VALUES_KEPT = 16
"""Of a generation: a handful of kinds for each part of it that callers see."""

Value = TypeVar("Value")


class Derived:
    """A small cache that lives as long as its application; what was used least recently is dropped first.

    Values are kept by the generation that they were derived from, so that nothing stale is ever found, and are dropped
    together with it: those of a generation that was replaced are large and of no further use.
    """

    def __init__(self, generations: int = GENERATIONS_KEPT, values: int = VALUES_KEPT) -> None:
        self._generations_kept = generations
        self._values_kept = values
        self._kept: OrderedDict[Hashable, OrderedDict[Hashable, object]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, generation: Hashable, key: Hashable, derive: Callable[[], Value]) -> Value:
        """The value of that key, derived when it is not there; two threads may derive the same one at once."""
        with self._lock:
            values = self._of(generation)
            if key in values:
                values.move_to_end(key)
                return cast("Value", values[key])
        value = derive()
        with self._lock:
            values = self._of(generation)
            values[key] = value
            while len(values) > self._values_kept:
                values.popitem(last=False)
        return value

    def _of(self, generation: Hashable) -> OrderedDict[Hashable, object]:
        values = self._kept.setdefault(generation, OrderedDict())
        self._kept.move_to_end(generation)
        while len(self._kept) > self._generations_kept:
            self._kept.popitem(last=False)
        return values
