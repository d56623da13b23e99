"""The describers of a run that uses a model."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from dataclasses import replace
from functools import cached_property

from tribal.describing.model.binding import TriedModel
from tribal.describing.model.describer import CONFIDENCE, ModelDescriber, RunModel
from tribal.describing.model.failing import FailureStreak
from tribal.describing.model.fitness import TEST_VERSION, RecordingTester
from tribal.describing.model.prose_cache import ProseCache
from tribal.describing.model.questions import Prompting
from tribal.describing.rules.describer import RulesDescriber
from tribal.ports import (
    BudgetedModel,
    Clock,
    Describer,
    LanguageModel,
    ModelFacts,
    ModelOutcome,
    ModelRequest,
    ObjectStore,
    Options,
)
from tribal.ports.models.calls import FIRST_TOKEN_FACTOR, ignore_text
from tribal.store import read_names
from tribal.store.model_tests import read_model_test
from tribal.text_checks import KnownNames
from tribal_contracts import ModelTest, ModelUsage, WrittenTexts


class ModelDescribers:
    """A model for the databases that may be shown to it, rules for the others.

    Args:
        model: closed with the describers.
        prompting: what all questions share. facts: prices, for quotes.
        options: say which databases the model describes, and whether it rewrites everything.
    """

    def __init__(
        self,
        model: BudgetedModel,
        prompting: Prompting,
        facts: ModelFacts,
        options: Options,
        store: ObjectStore,
        clock: Clock,
    ) -> None:
        self._budgeted = model
        self._model = MeteredModel(model, clock)
        self._tried = TriedModel(self._model, prompting.settings, store, facts.thinking_tokens)
        self._prompting = prompting
        self._facts = facts
        self._store = store
        self._clock = clock
        self._fresh = options.new_prose
        self._asked = {entry.name for entry in options.databases if options.described_by_model(entry)}
        self._rules = RulesDescriber()
        # Two waits for a first token, or ten for the next.
        patience = 2 * FIRST_TOKEN_FACTOR * prompting.settings.idle_timeout_seconds
        self._failing = FailureStreak(model.stop, clock, patience)
        self._lock = threading.Lock()
        self._describers: dict[str, Describer] = {}

    def of(self, database: str, /) -> Describer:
        """The describer of a database; the same one each time."""
        with self._lock:
            if database not in self._describers:
                self._describers[database] = self._build(database) if database in self._asked else self._rules
            return self._describers[database]

    def on_text(self, listener: Callable[[str], None], /) -> None:
        """Pass each piece of an answer on as it arrives."""
        self._model.on_text = listener

    @property
    def usage(self) -> ModelUsage:
        """What the model has used so far."""
        return self._model.usage

    @property
    def texts(self) -> WrittenTexts:
        """Texts about tables and columns that the model has written so far."""
        with self._lock:
            models = [each for each in self._describers.values() if isinstance(each, ModelDescriber)]
        return sum((each.texts for each in models), start=WrittenTexts())

    @cached_property
    def tester(self) -> RecordingTester:
        """Tests the model within the budget of the run."""
        return RecordingTester(self._tried, self._prompting, self._facts, self._store, self._clock)

    def _build(self, database: str) -> ModelDescriber:
        cache = ProseCache(self._store, database, self._clock, fresh=self._fresh)
        names = _Names(self._store, database)
        prompting = replace(self._prompting, is_strict=self._test is not None and not self._test.is_fit)
        return ModelDescriber(self._run_model, prompting, cache, names, self._clock)

    @cached_property
    def _test(self) -> ModelTest | None:
        """The recorded test of the model."""
        return read_model_test(self._store, self._prompting.settings, TEST_VERSION)

    @cached_property
    def _run_model(self) -> RunModel:
        """The model with the confidence that its recorded test gives it."""
        confidence = CONFIDENCE if self._test is None else min(CONFIDENCE, self._test.share_right)
        return RunModel(self._tried, self._facts, self._failing, confidence, self._test)

    def close(self) -> None:
        """Book what was spent and release the reserved money."""
        self._budgeted.close()


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


class MeteredModel:
    """Asks another model and sums up its usage; with a fixed clock, calls take no time."""

    def __init__(self, model: LanguageModel, clock: Clock) -> None:
        self._model = model
        self._clock = clock
        self._lock = threading.Lock()
        self._usage = ModelUsage()
        self.on_text: Callable[[str], None] = ignore_text
        """Gets each piece of a streamed answer."""

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    @property
    def usage(self) -> ModelUsage:
        """The usage of all calls so far."""
        with self._lock:
            return self._usage

    def ask(self, request: ModelRequest) -> ModelOutcome:
        """Ask the model."""
        return self._counted(self._model.ask(replace(request, on_text=self.on_text)))

    def stream(self, request: ModelRequest) -> Generator[str, None, ModelOutcome]:
        """Ask the model for text as it arrives."""
        return self._counted((yield from self._model.stream(request)))

    def _counted(self, outcome: ModelOutcome) -> ModelOutcome:
        if self._clock.is_fixed:
            outcome = replace(outcome, usage=outcome.usage.model_copy(update={"time_ms": 0}))
        with self._lock:
            self._usage += outcome.usage
        return outcome
