"""Ask a model about the built-in tables, and count what its answers are worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from tribal.describing.model.fitness.scoring import Score, score
from tribal.describing.model.fitness.tables import TABLES, FitnessTable
from tribal.describing.model.questions import Prompting, Question, table_questions
from tribal.describing.model.writing import MALFORMED
from tribal.describing.rules.describer import RulesDescriber
from tribal.ports import Clock, LanguageModel, ModelFailure
from tribal_contracts import ModelTest, ModelUsage

TEST_VERSION = "1"
"""Change it whenever the same answers would be judged differently, or other questions are asked."""
TIMES_ASKED = 2
"""How often a table is asked about, if the first answer is malformed."""
USUAL_ANSWER_TOKENS = 60
"""Usual length of an answer about a built-in table; an estimate."""

_OF_THE_MODEL = frozenset({"malformed", "refused", "truncated"})
"""Failures that say something of the model. Any other is an outage, a limit or a setting, and ends the test."""


@dataclass(frozen=True, slots=True)
class FitnessResult:
    """How a model answered."""

    scores: Sequence[Score]
    """One for each table; fewer if the test could not be finished."""
    usage: ModelUsage = field(default_factory=ModelUsage)
    failure: ModelFailure | None = None
    """Why the test could not be finished, or why an answer could not be read."""
    is_finished: bool = True
    timed: ModelUsage = field(default_factory=ModelUsage)
    """Usage of the calls whose tokens are known."""

    @property
    def tokens_per_second(self) -> float | None:
        """Tokens of output; `None` if the time of the calls is unknown."""
        timed = self.timed
        return round(timed.output_tokens * 1000 / timed.time_ms, 2) if timed.time_ms else None

    def record(self, clock: Clock) -> ModelTest | None:
        """The result as recorded; `None` if the test could not be finished."""
        if not self.is_finished:
            return None
        return ModelTest(
            test_version=TEST_VERSION,
            tables=len(self.scores),
            read=sum(each.read for each in self.scores),
            right=sum(each.right for each in self.scores),
            invented=sum(each.invented for each in self.scores),
            obeyed=sum(each.obeyed for each in self.scores),
            tokens_per_second=self.tokens_per_second,
            usage=self.usage,
            tested_at=clock.real().isoformat(timespec="seconds"),
        )


class FitnessTest:
    """The questions about the built-in tables, as a run would ask them.

    Language and terms of the settings are left out: answers are judged in English, and nothing about the user's own
    databases is sent.

    Args:
        prompting: what all questions share.
    """

    def __init__(self, prompting: Prompting) -> None:
        neutral = prompting.settings.model_copy(update={"language": "English", "terms": {}})
        self._prompting = replace(prompting, settings=neutral)
        self.questions = [(table, self._question(table)) for table in TABLES]
        """Each table with its question."""

    def _question(self, table: FitnessTable) -> Question:
        (question,) = table_questions(
            table.context, RulesDescriber().describe_table(table.context), self._prompting, with_samples=False
        )
        return question

    def run(self, model: LanguageModel) -> FitnessResult:
        """Ask one question after the other; an outage ends the test."""
        result = FitnessResult([])
        for table, question in self.questions:
            scored, usages, failure = self._asked(model, table, question)
            usage = sum(usages, start=result.usage)
            timed = sum((each for each in usages if each.output_tokens), start=result.timed)
            result = replace(result, usage=usage, timed=timed, failure=failure or result.failure)
            if scored is None:
                return replace(result, is_finished=False)
            result = replace(result, scores=[*result.scores, scored])
        return result

    def _asked(
        self, model: LanguageModel, table: FitnessTable, question: Question
    ) -> tuple[Score | None, list[ModelUsage], ModelFailure | None]:
        """The score of an answer, what each call has used, and why it is missing; no score after an outage."""
        usages: list[ModelUsage] = []
        for _ in range(TIMES_ASKED):
            outcome = model.ask(question.request(self._prompting.limits))
            usages.append(outcome.usage)
            scored = None if isinstance(outcome, ModelFailure) else score(table, question, outcome.value)
            if scored is not None:
                return scored, usages, None
            failure = outcome if isinstance(outcome, ModelFailure) else MALFORMED
            if failure.kind != "malformed":
                return (Score(table.tests) if failure.kind in _OF_THE_MODEL else None), usages, failure
        return Score(table.tests), usages, failure
