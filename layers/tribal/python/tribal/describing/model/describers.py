"""The describers of a run in which a model is asked."""

from __future__ import annotations

import threading

from tribal.describing.model.calls import CappedModel
from tribal.describing.model.describer import ModelDescriber
from tribal.describing.model.grounding import KnownNames
from tribal.describing.model.questions import Asking
from tribal.describing.model.shelf import ProseShelf
from tribal.describing.model.tallied import TalliedModel
from tribal.describing.rules.describer import RulesDescriber
from tribal.ports import Clock, Describer, ModelFacts, ObjectStore, Options
from tribal.store import read_names
from tribal_contracts import ModelUsage


class ModelDescribers:
    """A model for the databases that are not kept from it, rules for the others.

    Args:
        model: is asked, and closed with the describers.
        asking: what is the same for all questions. facts: prices, for quotes.
        options: say which databases the model describes, and whether it writes everything anew.
    """

    def __init__(
        self,
        model: CappedModel,
        asking: Asking,
        facts: ModelFacts,
        options: Options,
        store: ObjectStore,
        clock: Clock,
    ) -> None:
        self._capped = model
        self._model = TalliedModel(model, clock)
        self._asking = asking
        self._facts = facts
        self._store = store
        self._clock = clock
        self._fresh = options.new_prose
        self._asked = {entry.name for entry in options.databases if options.described_by_model(entry)}
        self._rules = RulesDescriber()
        self._lock = threading.Lock()
        self._made: dict[str, Describer] = {}

    def of(self, database: str, /) -> Describer:
        """The describer of a database; the same one each time."""
        with self._lock:
            if database not in self._made:
                self._made[database] = self._build(database) if database in self._asked else self._rules
            return self._made[database]

    @property
    def usage(self) -> ModelUsage:
        """What the model has used so far."""
        return self._model.usage

    def _build(self, database: str) -> ModelDescriber:
        shelf = ProseShelf(self._store, database, self._clock, fresh=self._fresh)
        names = _Names(self._store, database)
        return ModelDescriber(self._model, self._asking, self._facts, shelf, names, self._clock)

    def close(self) -> None:
        """Book what was spent, and return what was set aside."""
        self._capped.close()


class _Names:
    """The names of a database, read once."""

    def __init__(self, store: ObjectStore, database: str) -> None:
        self._store = store
        self._database = database
        self._lock = threading.Lock()
        self._read: tuple[KnownNames | None] | None = None

    def __call__(self) -> KnownNames | None:
        with self._lock:
            if self._read is None:
                found = read_names(self._store, self._database)
                self._read = (None if found is None else KnownNames.of(found),)
            return self._read[0]
