"""What a run and its worker processes say to each other: pickles through the worker's standard input and output."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from tribal.ports import ItemOutcome


@dataclass(frozen=True, slots=True)
class Setup:
    """The first message to a worker: all that it works with."""

    run_id: str
    blueprint: object
    """What the worker's main builds its application from; nobody in between looks into it."""
    workers: int
    """How many there are; each keeps to its share of every database's connections."""


@dataclass(frozen=True, slots=True)
class Document:
    """To a worker: document this unit."""

    unit_id: str


@dataclass(frozen=True, slots=True)
class Stop:
    """To a worker: finish what is under way and hand back."""

    cause: Exception


@dataclass(frozen=True, slots=True)
class WorkerReady:
    """From a worker, once: everything is loaded."""


@dataclass(frozen=True, slots=True)
class Advanced:
    """From a worker: a table is done."""

    table: str
    outcome: ItemOutcome


@dataclass(frozen=True, slots=True)
class Noted:
    """From a worker: something that a person should know."""

    message: str


@dataclass(frozen=True, slots=True)
class Done:
    """From a worker: how the unit ended, as the bytes of a `UnitResult`, or what was raised."""

    result: bytes
    error: BaseException | None = None


def send(stream: IO[bytes], message: object) -> None:
    """Write one message and flush it."""
    pickle.dump(message, stream, pickle.HIGHEST_PROTOCOL)
    stream.flush()


def receive(stream: IO[bytes]) -> object:
    """Wait for one message.

    Raises:
        EOFError: when the other side is gone.
    """
    try:
        # Both ends are this program: what is read here, we wrote.
        return pickle.load(stream)  # noqa: S301
    except (pickle.UnpicklingError, OSError, ValueError) as error:  # cut in the middle, or closed under us
        raise EOFError("the other side is gone") from error
