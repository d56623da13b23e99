"""An application in memory, and runs with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NoReturn

from tests.fakes.fixed_clock import FixedClock
from tests.fakes.memory_store import MemoryStore
from tests.fakes.recording_sink import RecordingSink
from tribal.capabilities.knowledge.parts import KnowledgeParts
from tribal.capabilities.memory.parts import MemoryParts
from tribal.capabilities.retrieval.toolbox import Toolbox
from tribal.describing import RulesDescribers
from tribal.errors import EmbeddingFailed
from tribal.ports import (
    Application,
    CatalogReader,
    Clock,
    DocumentingOptions,
    Embedder,
    ObjectStore,
    Options,
    PlanOptions,
    ProgressSink,
    Provider,
    RunContext,
    StopToken,
)
from tribal.ports.application import RunParts
from tribal.ports.remembering.memory_index import MemoryIndex
from tribal.runs.workers.pool import ThreadWorkerPool
from tribal_contracts import DatabaseEntry

CONFIG_HASH = "c" * 64


def no_part(*_: object, **__: object) -> NoReturn:
    """A part that the test did not give, and that nothing should ask for."""
    raise AssertionError("this application has no such part")


def options(*entries: DatabaseEntry, config_hash: str = CONFIG_HASH) -> Options:
    """Options of a run over these databases; everything else by default."""
    return Options(
        databases=entries, planning=PlanOptions(config_hash), documenting=DocumentingOptions(record_pid=False)
    )


def application(
    *,
    store: ObjectStore | None = None,
    clock: Clock | None = None,
    open_reader: Callable[[DatabaseEntry], CatalogReader] = no_part,
    opts: Options | None = None,
) -> Application:
    """An application in memory; other parts are put in with `dataclasses.replace`."""
    return Application(
        clock=clock or FixedClock(),
        options=Provider.of(opts or options()),
        store=Provider.of(store or MemoryStore()),
        secrets=Provider(no_part),
        embedder=Provider(_no_embedder),
        index=Provider(no_part),
        locks=lambda _: None,
        run=RunParts(
            open_reader=open_reader,
            describers=lambda _run, _stop: RulesDescribers(),
            index_writer=no_part,
            queue=Provider(no_part),
        ),
    )


def _no_embedder() -> Embedder:
    raise EmbeddingFailed("this application has no model")


def application_over(
    index: Any = None,
    embedder: Embedder | None = None,
    clock: Clock | None = None,
    store: ObjectStore | None = None,
) -> Application:
    """An application over an index; without an embedder its model cannot be loaded."""

    return replace(
        application(store=store, clock=clock),
        embedder=Provider(_no_embedder) if embedder is None else Provider.of(embedder),
        index=Provider(no_part) if index is None else Provider.of(index),
    )


def application_of(toolbox: Toolbox) -> Application:
    """An application whose tools work with what a toolbox holds, but for its scope, which is the caller's."""
    app = application_over(toolbox.index, toolbox.embedder, toolbox.clock)
    return replace(app, derived=toolbox.derived, answer_tokens=toolbox.answer_tokens)


class OurLease:
    """A lease that no one else wants."""

    run_id = "run"

    def check(self) -> None:
        """It is always ours."""


def run_with(
    app: Application, run_id: str, *, stop: StopToken | None = None, sink: ProgressSink | None = None
) -> RunContext:
    """A run of that id whose lease no one else wants."""
    stop = stop or StopToken()
    return RunContext(run_id, app, OurLease(), stop, ThreadWorkerPool(stop), sink or RecordingSink())


def with_run(app: Application, **parts: Any) -> Application:
    """An application with other parts for runs."""
    return replace(app, run=replace(app.run, **parts))


def with_memory(app: Application, **parts: Any) -> Application:
    """An application with memory, or with other parts of it."""
    memory = app.part(MemoryParts)
    return app.with_part(MemoryParts(**parts) if memory is None else replace(memory, **parts))


def with_knowledge(app: Application, **parts: Any) -> Application:
    """An application with knowledge, or with other parts of it."""
    return app.with_part(replace(app.part(KnowledgeParts) or KnowledgeParts(), **parts))


def memory_index(app: Application) -> MemoryIndex:
    """The index of memories of an application, in line with its store."""
    memory = app.part(MemoryParts)
    assert memory is not None
    return memory.ready_index()
