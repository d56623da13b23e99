"""A process that documents work units for a run in another process; started by `unit_processes`."""

from __future__ import annotations

import os
import sys
import threading
import traceback
from queue import SimpleQueue
from typing import IO, TYPE_CHECKING

from tribal.app import local as wiring
from tribal.errors import TribalError
from tribal.runs.deadline import NoDeadline
from tribal.runs.workers.messages import Advanced, Document, Done, Noted, Ready, Setup, Stop, receive, send
from tribal.runs.workers.pool import ThreadWorkerPool
from tribal.runs.workers.units import UnitsHere

if TYPE_CHECKING:
    from tribal.ports import Outcome


class PipeSink:
    """Passes progress on to the run; its stages are the run's own."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._lock = threading.Lock()

    def begin(self, stage: str, total: int) -> None:
        """Nothing: the run began the stage."""

    def end(self, stage: str, summary: str) -> None:
        """Nothing: the run ends the stage."""

    def advance(self, stage: str, item: str, outcome: Outcome) -> None:  # noqa: ARG002 - units are documented, no more
        """Pass on."""
        self.tell(Advanced(item, outcome))

    def note(self, message: str) -> None:
        """Pass on."""
        self.tell(Noted(message))

    def tell(self, message: object) -> None:
        """Send any message, whole."""
        with self._lock:
            send(self._stream, message)


def serve(source: IO[bytes], target: IO[bytes]) -> None:
    """Document the units that come in until there are no more; a run that dies takes its workers along at once."""
    setup = receive(source)
    if not isinstance(setup, Setup):
        raise TypeError(f"a worker is set up first, and got {type(setup).__name__}")
    pool, sink, work = ThreadWorkerPool(), PipeSink(target), SimpleQueue[str]()
    with UnitsHere(
        run_id=setup.run_id,
        entries=setup.settings.entries,
        store=wiring.store_of(setup.settings),
        open_reader=wiring.reader_opener(setup.settings),
        describer=wiring.describer(),
        clock=wiring.clock_of(setup.settings),
        pool=pool,
        sink=sink,
        deadline=NoDeadline(),
        options=setup.options,
    ) as units:
        threading.Thread(target=_listen, args=(source, pool, work), daemon=True).start()
        sink.tell(Ready())
        while True:
            sink.tell(_document(units, work.get()))


def _listen(source: IO[bytes], pool: ThreadWorkerPool, work: SimpleQueue[str]) -> None:
    while True:
        try:
            message = receive(source)
        except EOFError:
            # Nobody waits for what is under way, and nobody else may write now: the next run takes it up.
            os._exit(0)
        if isinstance(message, Document):
            work.put(message.unit_id)
        elif isinstance(message, Stop):
            pool.stop()


def _document(units: UnitsHere, unit_id: str) -> Done:
    try:
        return Done(units.document(unit_id).to_compact_json())
    except TribalError as error:
        return Done(b"", error.with_traceback(None))
    except Exception:  # noqa: BLE001 - the outermost edge of this process: the run raises it
        return Done(b"", RuntimeError(traceback.format_exc()))


if __name__ == "__main__":
    replies = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # Replies alone go out there: whatever a library prints shall not cut in.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    serve(sys.stdin.buffer, replies)
