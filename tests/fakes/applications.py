"""An application of parts that a test chooses; what it did not choose fails when it is asked for."""

from __future__ import annotations

from typing import Any, NoReturn

from tests.fakes.fixed_clock import FixedClock
from tests.fakes.memory_store import MemoryStore
from tribal.errors import EmbeddingFailed
from tribal.ports import Application, Clock, Embedder, ObjectStore, Provider
from tribal.retrieval.toolbox import Toolbox


def application_over(
    index: Any = None,
    embedder: Embedder | None = None,
    clock: Clock | None = None,
    store: ObjectStore | None = None,
) -> Application:
    """An application over an index; without an embedder its model cannot be loaded."""

    def no_embedder() -> Embedder:
        raise EmbeddingFailed("this application has no model")

    def chosen_by_nobody(*_: object, **__: object) -> NoReturn:
        raise NotImplementedError

    return Application(
        clock=clock or FixedClock(),
        options=Provider(chosen_by_nobody),
        store=Provider.of(store or MemoryStore()),
        secrets=Provider(chosen_by_nobody),
        open_reader=chosen_by_nobody,
        describer=Provider(chosen_by_nobody),
        embedder=Provider(no_embedder) if embedder is None else Provider.of(embedder),
        index=Provider.of(index) if index is not None else Provider(chosen_by_nobody),
        index_writer=chosen_by_nobody,
        locks=lambda _: None,
    )


def application_of(toolbox: Toolbox) -> Application:
    """An application whose tools work with what a toolbox holds, but for its scope, which is the caller's."""
    return application_over(toolbox.index, toolbox.embedder, toolbox.clock)
