"""What is worked out from one generation of an index, kept for the next question."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import TypeVar, cast

KEPT = 32
"""Values that are kept: a handful of kinds for each part of the index that callers see."""

Value = TypeVar("Value")


class Derived:
    """A small cache that lives as long as its application; the least recently used value is dropped first.

    A key names the generation that a value was derived from, so that nothing stale is ever found.
    """

    def __init__(self, kept: int = KEPT) -> None:
        self._kept = kept
        self._values: OrderedDict[Hashable, object] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, derive: Callable[[], Value]) -> Value:
        """The value of that key, derived when it is not there; two threads may derive the same one at once."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return cast("Value", self._values[key])
        value = derive()
        with self._lock:
            self._values[key] = value
            self._values.move_to_end(key)
            while len(self._values) > self._kept:
                self._values.popitem(last=False)
        return value
