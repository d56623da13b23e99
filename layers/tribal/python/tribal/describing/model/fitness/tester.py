"""Test a model and record the result."""

from __future__ import annotations

from tribal.describing.model.binding import needs_trial, trial_request
from tribal.describing.model.fitness.asking import TEST_VERSION, TIMES_ASKED, USUAL_ANSWER_TOKENS, FitnessTest
from tribal.describing.model.questions import Prompting
from tribal.ports import Clock, LanguageModel, ModelFacts, ModelRequest, ObjectStore
from tribal.ports.models.calls import BYTES_A_TOKEN
from tribal.ports.models.fitness import ModelTestOutcome
from tribal.store.model_tests import change_model_record
from tribal_contracts import ModelUsage


class RecordingTester:
    """Tests the model of a run with the built-in tables. A `ModelTester`.

    Args:
        model: keeps to a budget. prompting: what all questions of the run share. facts: prices.
        store: has the record of results. clock: dates it.
    """

    def __init__(
        self, model: LanguageModel, prompting: Prompting, facts: ModelFacts, store: ObjectStore, clock: Clock
    ) -> None:
        self._model = model
        self._settings = prompting.settings
        self._limits = prompting.limits
        self._thinking_tokens = prompting.thinking_tokens
        self._facts = facts
        self._test = FitnessTest(prompting)
        self._store = store
        self._clock = clock

    @property
    def version(self) -> str:
        """The version of the test."""
        return TEST_VERSION

    @property
    def most_nanodollars(self) -> int:
        """What a test costs if each table is asked about twice, with the longest answers."""
        trial = trial_request(self._thinking_tokens)
        tried = self._facts.worst_price(trial) if needs_trial(self._settings) else 0
        return tried + TIMES_ASKED * sum(self._facts.worst_price(request) for request in self._requests)

    @property
    def usual_nanodollars(self) -> int:
        """What a test costs if each table is asked about once, with usual answers."""
        came = USUAL_ANSWER_TOKENS + self._thinking_tokens // 2
        return sum(
            self._facts.cost(ModelUsage(input_tokens=request.size_bytes // BYTES_A_TOKEN, output_tokens=came))
            for request in self._requests
        )

    def test(self) -> ModelTestOutcome:
        """Ask about the built-in tables. A finished test is recorded.

        Raises:
            StoreError: when the result cannot be recorded.
        """
        result = self._test.run(self._model)
        test = result.record(self._clock)
        if test is not None:
            change_model_record(self._store, self._settings, {"test": test})
        return ModelTestOutcome(test, result.usage, result.failure)

    @property
    def _requests(self) -> list[ModelRequest]:
        return [question.request(self._limits) for _, question in self._test.questions]
