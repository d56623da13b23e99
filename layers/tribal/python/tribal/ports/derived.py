"""A cache of values derived from one generation of an index."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import TypeVar, cast

MAX_GENERATIONS = 4
"""Enough for alternating between two indexes while each is being replaced."""
MAX_VALUES = 16
"""Per generation: a few kinds of values for each scope of callers."""

Value = TypeVar("Value")


class DerivedValues:
    """A small least-recently-used cache that lives as long as its application; thread-safe.

    Values are keyed by the generation they were derived from, so a lookup never returns a stale one. A generation's
    values are evicted together: once it has been replaced, they are large and useless.
    """

    def __init__(self, generations: int = MAX_GENERATIONS, values: int = MAX_VALUES) -> None:
        self._generations_kept = generations
        self._values_kept = values
        self._kept: OrderedDict[Hashable, OrderedDict[Hashable, object]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, generation: Hashable, key: Hashable, derive: Callable[[], Value]) -> Value:
        """The cached value, derived if it is missing; two threads may derive the same one at once."""
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

    def forget(self, generation: Hashable) -> None:
        """Drop what was derived from a generation that has been replaced."""
        with self._lock:
            self._kept.pop(generation, None)

    def _of(self, generation: Hashable) -> OrderedDict[Hashable, object]:
        values = self._kept.setdefault(generation, OrderedDict())
        self._kept.move_to_end(generation)
        while len(self._kept) > self._generations_kept:
            self._kept.popitem(last=False)
        return values
