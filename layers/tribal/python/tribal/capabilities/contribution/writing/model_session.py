"""Asks the model that writes changes, within what a contribution may cost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from tribal.capabilities.contribution.errors import (
    AgentTimedOut,
    ContributionFailed,
    LimitExceeded,
    RepositoryNotAllowed,
)
from tribal.capabilities.contribution.writing.schemas import fits
from tribal.errors import ConfigurationError, RepositoryUnusable
from tribal.ports import ModelFacts, StopToken
from tribal.ports.models.calls import BYTES_A_TOKEN
from tribal.ports.models.chains import (
    ChainedModel,
    ModelAccount,
    ModelChain,
    ModelPrompt,
    ModelSource,
    NoReply,
    Reading,
)
from tribal.prompt_templates import Prompts
from tribal_contracts import ModelQuote, ModelUsage
from tribal_contracts.contribution.settings import ContributionSettings, RepositoryEntry

T = TypeVar("T")
Read = Callable[[Mapping[str, Any]], Reading[T]]
# Sizes are assumed, not measured.
_SECONDS_A_CALL = 20.0
_CALLS = (("issue_scout.md", 25_000, 200), ("issue_analyst.md", 60_000, 800)) + 3 * (
    ("issue_editor.md", 60_000, 2_000),
)
"""Of one contribution without repairs: the prompt, the bytes of its data, and the tokens of the answer."""

_UNUSABLE = ("malformed", "refused", "truncated", "too_long")
_MOST_TOKENS = 8_000
"""Of an answer; a judgement: 300 lines and what they replace."""


@dataclass(frozen=True, slots=True)
class WritingModels:
    """Opens the model that writes a contribution."""

    settings: ContributionSettings
    source: ModelSource
    prompts: Callable[[], Prompts]
    stop: StopToken = field(default_factory=StopToken)
    """The deadline of calls, if they have one."""

    @contextmanager
    def open(self, name: str, cycle: int) -> Iterator[ModelSession]:
        """Open a model for one contribution, to which its calls are booked."""
        account = ModelAccount(f"cycle:{cycle}", self.settings.per_cycle_usd)
        chain = self.source.chain([ChainedModel(name)], account, self.stop)
        try:
            yield ModelSession(chain, self.prompts())
        finally:
            chain.close()

    def require(self, name: str, entry: RepositoryEntry) -> ModelFacts:
        """Check that a model can be asked about a repository.

        Raises:
            ConfigurationError: when the model is unknown, or its key, price or package is missing.
            RepositoryNotAllowed: when a database that the repository creates is kept from models.
        """
        facts, may_send = self.source.require(name), self.source.may_send()
        kept = [each for each in entry.databases if may_send is not None and not may_send(each)]
        if kept:
            raise RepositoryNotAllowed(
                f"repository {entry.name!r} creates {kept[0]!r}, which `describer: rules` keeps from models"
            )
        return facts

    def quote(self, facts: ModelFacts) -> ModelQuote:
        """What one contribution costs about, estimated before anything is sent."""
        quote, texts = ModelQuote(), self.prompts().texts
        for prompt, sent, answered in _CALLS:
            usage = ModelUsage(
                input_tokens=-(-(len(texts[prompt].encode()) + sent) // BYTES_A_TOKEN),
                output_tokens=answered + facts.thinking_tokens // 2,
            )
            quote += ModelQuote(calls=1, tokens=usage.tokens, nanodollars=facts.cost(usage), seconds=_SECONDS_A_CALL)
        return quote


@dataclass(frozen=True, slots=True)
class ModelSession:
    """A model that is open for one contribution."""

    chain: ModelChain
    prompts: Prompts

    def ask(self, prompt: str, schema: Mapping[str, Any], data: Mapping[str, Any], read: Read[T]) -> T:
        """Return what the model answers; an answer with faults is asked for once more.

        Raises:
            AgentTimedOut: when it cannot be reached now.
            LimitExceeded: when the money is spent.
            RepositoryUnusable: when its answers cannot be used.
            ConfigurationError: when its key, name or address is wrong.
            ContributionFailed: when it fails in another way.
        """
        wanted = ModelPrompt(instructions=self.prompts.texts[prompt], answer_tokens=_MOST_TOKENS, schema=schema)
        reply = self.chain.ask(
            wanted, data, lambda value: read(_cleaned(value)) if fits(value, schema) else Reading(None)
        )
        if not isinstance(reply, NoReply):
            return reply.value
        if reply.is_spent:
            raise LimitExceeded(
                "the money is spent: contribution.per_cycle_usd or spending.per_day_usd leaves too little for another"
                " call; raise it, and prepare the issue again"
            )
        if all(failure.kind in _UNUSABLE for _, failure in reply.failures):
            raise RepositoryUnusable(f"the model gave no answer that can be used: {reply.message}")
        if any(failure.kind == "stopped" for _, failure in reply.failures):
            raise ConfigurationError(f"the model cannot be asked: {reply.message}")
        failed = AgentTimedOut if reply.may_pass else ContributionFailed
        raise failed(f"the model did not answer: {reply.message}")


def _cleaned(value: Any) -> Any:
    """A value of JSON whose texts can be written in UTF-8."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, list):
        return [_cleaned(each) for each in value]
    return {name: _cleaned(each) for name, each in value.items()} if isinstance(value, dict) else value
