"""The messages between a run and its worker processes, pickled over the worker's standard input and output."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from tribal.ports import ItemOutcome


@dataclass(frozen=True, slots=True)
class Setup:
    """The first message to a worker: everything it needs to start."""

    run_id: str
    blueprint: object
    """The blueprint of the worker's application; opaque to this package."""
    workers: int
    """Number of workers, which share each database's connections equally."""


@dataclass(frozen=True, slots=True)
class DocumentUnitRequest:
    """To a worker: document this unit."""

    unit_id: str
    postpone: bool
    """Whether to return tables whose server has no free connection."""


@dataclass(frozen=True, slots=True)
class StopRequest:
    """To a worker: finish the current table and return the unit."""

    cause: Exception


@dataclass(frozen=True, slots=True)
class WorkerReady:
    """From a worker, once: it is ready for units."""


@dataclass(frozen=True, slots=True)
class TableDone:
    """From a worker: a table is done."""

    table: str
    outcome: ItemOutcome


@dataclass(frozen=True, slots=True)
class Note:
    """From a worker: a message for the user."""

    message: str


@dataclass(frozen=True, slots=True)
class UnitDone:
    """From a worker: the unit's result, as the bytes of a `UnitResult`, or the exception raised."""

    result: bytes
    error: BaseException | None = None


def send(stream: IO[bytes], message: object) -> None:
    """Write one message and flush it."""
    pickle.dump(message, stream, pickle.HIGHEST_PROTOCOL)
    stream.flush()


def receive(stream: IO[bytes]) -> object:
    """Wait for one message.

    Raises:
        EOFError: when the other side has closed the stream.
    """
    try:
        # Both ends are this program, so the pickle is trusted.
        return pickle.load(stream)  # noqa: S301
    except (pickle.UnpicklingError, OSError, ValueError) as error:  # cut in the middle, or closed under us
        raise EOFError("the other side is gone") from error
