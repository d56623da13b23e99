"""A part that is made when it is first asked for."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

Part = TypeVar("Part")


class Provider(Generic[Part]):
    """Makes a part when it is first asked for, and hands out the same one from then on; safe on many threads.

    Whoever never asks spares the import behind it: a retriever loads no database driver. A failure is raised to
    whoever asked, and the next one tries again.
    """

    __slots__ = ("_lock", "_made", "_make")

    def __init__(self, make: Callable[[], Part]) -> None:
        self._make = make
        self._made: tuple[Part] | None = None
        self._lock = threading.Lock()

    @classmethod
    def of(cls, part: Part) -> Provider[Part]:
        """Provide a part that is there already."""
        return cls(lambda: part)

    def __call__(self) -> Part:
        """The part."""
        with self._lock:
            if self._made is None:
                self._made = (self._make(),)
            return self._made[0]

    @property
    def made(self) -> bool:
        """Whether anybody asked for the part yet: what was never made need not be closed."""
        return self._made is not None
