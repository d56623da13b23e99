"""Build the model detective and the model witness, within the spending limits of a session or an exam."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tribal.capabilities.interrogation.asking_models.configuring import derive_configuration, parties
from tribal.capabilities.interrogation.asking_models.detective import ModelDetective
from tribal.capabilities.interrogation.asking_models.quotes import quote_session
from tribal.capabilities.interrogation.asking_models.witness import ModelWitness
from tribal.capabilities.interrogation.errors import ConfigurationInvalid
from tribal.errors import ConfigurationError
from tribal.identity.scope import EVERYTHING, Scope
from tribal.ports import Provider, StopToken
from tribal.ports.models.chains import ChainedModel, ModelAccount
from tribal.store import load_manifest
from tribal_contracts.interrogation.settings import InterrogationSettings, Location

if TYPE_CHECKING:
    from tribal.answering.documentation import Documentation
    from tribal.capabilities.interrogation.parties import Detective, Witness
    from tribal.ports import ModelFacts, ObjectStore
    from tribal.ports.describing import Secrets
    from tribal.ports.models.chains import ModelChain, ModelSource
    from tribal.prompt_templates import Prompts
    from tribal_contracts import ModelQuote
    from tribal_contracts.interrogation.configuration import Configuration

_SPACES = re.compile(r"\s+")
_RULES_SECONDS = 20.0
"""Time to read the documentation in a step. By judgement."""
_LONGEST_STEP_SECONDS = 600.0
"""A function has 900 s. A longer step is repeated by the next invocation."""
EXAM = "exam:"
"""Prefix of the accounts of exams. Other accounts belong to sessions."""


def _nothing() -> None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelParties:
    """Detective and witness of one session or exam."""

    detective: Detective | None
    """The detective; `None` if rules ask the questions."""
    witness: Witness | None
    """The witness; `None` if the documentation answers, within `scope`."""
    scope: Scope
    """Scope of the session. Databases that are kept from models are excluded."""
    providers: tuple[str, ...]
    """`{provider}:{model}` of each detective, in the order in which a call tries them, then of the witness."""
    step_seconds: float = 0.0
    """Maximum time for a question, its answer and their analysis, if every model has to be tried."""
    close: Callable[[], None] = field(default=_nothing)
    """Records what was spent. No call may follow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartyModels:
    """Builds detectives and witnesses that are models. Nothing is sent before the first question."""

    section: InterrogationSettings
    models: ModelSource
    prompts: Callable[[], Prompts]
    secrets: Provider[Secrets]
    store: Provider[ObjectStore]
    place_of: Callable[[Location], str]
    """Says where a value of the section is, for messages."""

    def configuration(self) -> Configuration:
        """Return the derived configuration, and check that nothing that a call needs is missing.

        Raises:
            ConfigurationInvalid: when a model, its key, price or package is missing. The message names the place.
        """
        # Names first, which the facts of their models need.
        derived = derive_configuration(self.section, self.models.entries, self.secrets().get, self.place_of)
        self._facts()
        return derived

    def open(self, account: str, documentation: Documentation) -> ModelParties:
        """Return the parties of a session (`session:ID`) or an exam (`exam:ID`), which share its spending limit.

        Args:
            account: the account that calls are charged to.
            documentation: what the caller may see; models see only what may be sent.

        Raises:
            ConfigurationInvalid: as in `configuration`.
        """
        self.configuration()
        reads, prompts = documentation.within(self.sendable(documentation.caller.scope)), self.prompts()
        detectives, witnesses = self.section.order, [self.section.witness] if self.section.witness else []
        asking, answering = self._chain(detectives, account), self._chain(witnesses, account)
        closing = ExitStack()
        closing.callback(asking.close)
        closing.callback(answering.close)
        providers = tuple(self._label(name) for name in (*detectives, *witnesses))
        witness = ModelWitness(providers[-1], answering, prompts, reads.context, reads.resolve) if witnesses else None
        return ModelParties(
            detective=ModelDetective(asking, prompts, reads.resolve) if detectives else None,
            witness=witness,
            scope=reads.caller.scope,
            providers=providers,
            step_seconds=self._step_seconds(detectives, witnesses),
            close=closing.close,
        )

    def quote(self, questions: int, iterations: int) -> ModelQuote:
        """Estimate the maximum cost of this many sessions with this many questions each. Nothing is sent."""
        facts, first, witness = self._facts(), self.section.order[:1], self.section.witness
        session = quote_session(
            self.prompts(),
            facts[first[0]] if first else None,
            None if witness is None else facts[witness],
            iterations,
        )
        return session.model_copy(
            update={name: getattr(session, name) * questions for name in ("calls", "tokens", "nanodollars", "seconds")}
        )

    def sendable(self, scope: Scope) -> Scope:
        """Return the part of a scope that models may see, without databases with `describer: rules`."""
        may_send = self.models.may_send()
        if may_send is None:
            return scope
        stored = load_manifest(self.store())
        documented = [] if stored is None else [each.name for each in stored.manifest.databases]
        return without_databases(scope, documented, lambda name: not may_send(name))

    def _facts(self) -> dict[str, ModelFacts]:
        facts = {}
        for location, name in parties(self.section):
            try:
                facts[name] = self.models.require(name)
            except ConfigurationError as error:
                raise ConfigurationInvalid(f"{self.place_of(location)}: {error.message}") from error
        return facts

    def _chain(self, names: Sequence[str], account: str) -> ModelChain:
        section = self.section
        usd = section.per_exam_usd if account.startswith(EXAM) else section.per_session_usd
        models = [ChainedModel(name, self._label(name), self._timeout_seconds(name)) for name in names]
        return self.models.chain(models, ModelAccount(account, usd), StopToken())

    def _label(self, name: str) -> str:
        entry = self.models.entries[name]
        return f"{entry.provider}:{_SPACES.sub('-', entry.name)}"

    def _timeout_seconds(self, name: str) -> float:
        is_local = self.models.entries[name].is_on_this_machine
        return self.section.local_timeout_seconds if is_local else self.section.cloud_timeout_seconds

    def _step_seconds(self, detectives: Sequence[str], witnesses: Sequence[str]) -> float:
        """Return the time of two calls of the detective, each by every model, and one of the witness."""
        calls = (*detectives, *detectives, *witnesses)
        return min(sum(map(self._timeout_seconds, calls)) + _RULES_SECONDS, _LONGEST_STEP_SECONDS)


def without_databases(scope: Scope, documented: Iterable[str], is_kept: Callable[[str], bool]) -> Scope:
    """Return a scope without the databases for which `is_kept` returns true.

    Args:
        scope: what a caller may see.
        documented: all databases, for a scope that covers everything.
        is_kept: returns whether to leave out a database.
    """
    if scope == EVERYTHING:
        return Scope(frozenset(name for name in documented if not is_kept(name)))
    databases = None if scope.databases is None else frozenset(name for name in scope.databases if not is_kept(name))
    schemas = None if scope.schemas is None else frozenset(pair for pair in scope.schemas if not is_kept(pair[0]))
    return Scope(databases, schemas)
