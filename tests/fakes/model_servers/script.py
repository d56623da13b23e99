"""What happens to the next calls of a fake, and what a failure is."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.http_server import Delivery

Event = dict[str, Any]
"""One event of a stream, as JSON."""


@dataclass(frozen=True)
class Failure:
    """What happens instead of an answer, or to one.

    Args:
        cites: where the vendor says so; what no vendor says comes from something in between, or from the future.
        status: of an error; 200 changes the answer that the model gave. vendors: whether the shape is the vendor's,
            which is then checked. billed: whether the model ran. change: what becomes of the whole answer, which a
            stream then sends in parts. change_stream: what becomes of the events of a stream. change_chunks: what
            becomes of their bytes. done: whether a stream of OpenAI's protocol says `[DONE]`.
    """

    name: str
    cites: str
    status: int = 200
    type: str = ""
    code: str | None = None
    message: str = "An error occurred."
    headers: tuple[tuple[str, str], ...] = ()
    change: Callable[[dict[str, Any]], Any] | None = None
    change_stream: Callable[[Sequence[Event]], Sequence[Event]] | None = None
    change_chunks: Callable[[Sequence[bytes]], Sequence[bytes]] | None = None
    done: bool = True
    body: bytes | None = None
    content_type: str = "application/json"
    delivery: Delivery = "whole"
    vendors: bool = True
    billed: bool = True


class Refused(Exception):
    """What is answered with an error."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.name)
        self.failure = failure


@dataclass
class Script:
    """What happens to the next calls: a list first, then a share of all others."""

    next: list[Failure | None] = field(default_factory=list)
    share: float = 0.0
    among: tuple[Failure, ...] = ()
    """What the share is drawn from."""
    dice: random.Random = field(default_factory=lambda: random.Random(0))

    def draw(self) -> Failure | None:
        """What happens to this call."""
        if self.next:
            return self.next.pop(0)
        return self.dice.choice(self.among) if self.share and self.dice.random() < self.share else None
