"""The section `interrogation` of `databases.yaml`. Extension contract; unknown keys are refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Annotated

from pydantic import Field

from tribal_contracts.answering.settings import ANSWER_TOKENS, AnsweringSettings
from tribal_contracts.core.models import Dollars, ModelEntry, ModelName, unknown_model
from tribal_contracts.core.sections import SectionProblem, written_place
from tribal_contracts.core.shape import Unset, optional
from tribal_contracts.interrogation.sessions import IterationLimit

SECTION = "interrogation"
Location = tuple[str | int, ...]
"""Where a value is in the section, such as `("detectives", 0)`."""
_MAY_QUESTION = ("openai", "anthropic", "gemini", "bedrock")
ModelNames = Annotated[list[ModelName], Field(max_length=20)]


class InterrogationSettings(AnsweringSettings):
    """Who questions the documentation, who answers, and what that may cost. Without it, rules do both."""

    detectives: ModelNames = Field(
        default_factory=list,
        description="Names under `models` that ask and judge answers, the preferred one first. Without any, rules ask.",
    )
    witness: ModelName | Unset = optional(
        "Name under `models` of the model that answers. By default the documentation does."
    )
    fallback: ModelNames | Unset = optional(
        "The names in `detectives`, in the order in which they are tried if the first one fails."
    )
    cloud_timeout_seconds: int = Field(
        default=60, ge=15, le=120, description="Maximum time of a call that leaves this machine, with its retries."
    )
    local_timeout_seconds: int = Field(
        default=120, ge=15, le=360, description="Maximum time of a call on this machine, with its retries."
    )
    iterations: IterationLimit = Field(
        default=10, description="Maximum questions of a session, unless it has a number of its own."
    )
    per_session_usd: Dollars = Field(default=1.0, description="Maximum cost of a session in dollars.")
    per_exam_usd: Dollars = Field(default=5.0, description="Maximum cost of an exam in dollars.")
    answer_tokens: int = Field(
        default=ANSWER_TOKENS, ge=500, le=8_000, description="Most tokens of an answer of `tribal ask`."
    )
    sessions_days: int = Field(
        default=365, ge=1, le=36_500, description="Days for which ended sessions, exams and marks are kept."
    )

    def problems(self, models: Mapping[str, ModelEntry]) -> Iterator[SectionProblem]:
        """Yield each mistake in the names of models, given the configured models."""
        for location, message in wrong_names(self, models):
            yield SectionProblem((SECTION, *location), message, "INT_CONFIG_INVALID")

    @property
    def order(self) -> list[str]:
        """The detectives in the order in which a call tries them."""
        return list(dict.fromkeys([*self.detectives[:1], *(self.fallback or self.detectives)]))

    @property
    def most_answer_tokens(self) -> int:
        """The most tokens of an answer of `ask`."""
        return self.answer_tokens

    @property
    def has_models(self) -> bool:
        """Whether a model asks or answers."""
        return bool(self.detectives) or self.witness is not None


def wrong_names(section: InterrogationSettings, models: Mapping[str, ModelEntry]) -> Iterator[tuple[Location, str]]:
    """What is wrong with the names in the section, each with its place."""
    repeated = {name for name, count in Counter(section.detectives).items() if count > 1}
    for number, name in enumerate(section.detectives):
        if name in repeated:
            yield ("detectives", number), f"{name!r} is listed twice; keep one of them"
        elif name not in models:
            yield ("detectives", number), unknown_model(name, models)
        elif models[name].provider not in _MAY_QUESTION:
            problem = f"{name!r} is of provider {models[name].provider}, which cannot be a detective"
            yield ("detectives", number), f"{problem}; use one of {', '.join(_MAY_QUESTION)}"
    if section.fallback is not None and sorted(section.fallback) != sorted(section.detectives):
        yield ("fallback",), "it must list each of detectives once, and nothing else"
    if section.witness is not None and section.witness not in models:
        yield ("witness",), unknown_model(section.witness, models)


def written_location(location: Location) -> str:
    """A place as people write it, such as `interrogation.detectives[0]`."""
    return written_place((SECTION, *location))
