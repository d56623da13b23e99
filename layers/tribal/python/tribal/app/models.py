"""Describers that call a model. Model code is imported only for runs with a model, SDKs only before the first call."""

from __future__ import annotations

import os
import platform
import secrets as randomness
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING

from pydantic import SecretStr

from tribal.app.asking.model_tests import tested
from tribal.app.parts import model_missing, rules_describers
from tribal.errors import ConfigurationError, TribalError
from tribal.ports import (
    ModelAnnouncement,
    ModelFailure,
    ModelOutcome,
    ModelReadiness,
    ModelRequest,
    Provider,
    StopToken,
)
from tribal_contracts import NANODOLLARS, SpendingSettings

if TYPE_CHECKING:
    from tribal.adapters.language_models.connection import Unsent
    from tribal.models import CappedModel, Caps
    from tribal.ports import (
        Clock,
        Describers,
        LanguageModel,
        ModelFacts,
        ObjectStore,
        Options,
        Secrets,
        UnsentRequest,
    )
    from tribal.ports.models.chains import ModelAccount
    from tribal.ports.models.fitness import ModelTester
    from tribal.prompt_templates import Prompts
    from tribal_contracts import ModelEntry

_PACKAGES = {"anthropic": ("anthropic",), "bedrock": ("anthropic", "boto3")}
"""What the adapter of a provider imports; those of the others import `openai`."""
_WORD_TOKENS = 16
_WORD_SECONDS = 30.0
"""What one word may take when a model is tried."""
DESCRIBING_SECTION = "model"
"""The section of the model that describes tables."""


@dataclass(frozen=True, slots=True)
class Models:
    """Builds the describers of a run and their model."""

    options: Provider[Options]
    store: Provider[ObjectStore]
    secrets: Provider[Secrets]
    clock: Clock
    prompts: Callable[[], Mapping[str, bytes]]
    """Prompts that replace the shipped ones."""
    prompts_place: str
    hint: str
    """Tells the user what to do when the secret with the key is missing."""
    region: str | None = None
    """Region of Bedrock, if the settings have none."""
    named: Mapping[str, ModelEntry] = field(default_factory=dict)
    """The entries under `models`."""
    per_day_usd: float = SpendingSettings().per_day_usd
    """What all models together may cost in a UTC day."""

    def describers(self, run_id: str, stop: StopToken) -> Describers:
        """The describers of a run.

        Raises:
            ConfigurationError: when the price of the model is unknown, or a prompt is invalid.
        """
        options = self.options()
        settings = options.model
        if settings is None:
            return rules_describers()
        from tribal.describing.model.describers import ModelDescribers
        from tribal.describing.model.questions import Prompting
        from tribal.models import RUN, Caps
        from tribal.models.known_models import model_facts
        from tribal.prompt_templates import DESCRIBING

        facts = model_facts(settings)
        prompts = self.templates(DESCRIBING)
        lazy = LazyModel(settings, Provider(partial(self._tried, settings, facts)))
        model = self.capped_over(lazy, lazy.name, facts, RUN + run_id, Caps.of(settings), stop, lazy.prepare)
        return ModelDescribers(
            model,
            Prompting(prompts, settings, model.name, facts.thinking_tokens),
            facts,
            options,
            self.store(),
            self.clock,
        )

    def templates(self, wanted: Mapping[str, frozenset[str]]) -> Prompts:
        """Load some prompt templates, or those of the project that replace them.

        Raises:
            ConfigurationError: when a prompt of the project cannot be used.
        """
        from tribal.prompt_templates import load_prompts

        return load_prompts(self.prompts(), self.prompts_place, wanted)

    def caps(self, account: ModelAccount, calls_at_once: int) -> Caps:
        """The caps of an account, and of all models in a day."""
        from tribal.models import Caps

        day = round(self.per_day_usd * NANODOLLARS)
        chats = None if account.day_share is None else round(day * account.day_share)
        return Caps(round(account.usd * NANODOLLARS), day, calls_at_once, chats=chats)

    def capped(
        self,
        settings: ModelEntry,
        facts: ModelFacts,
        account: str,
        caps: Caps,
        stop: StopToken,
    ) -> CappedModel:
        """A model within the caps of an account, which loads its SDK with its first call."""
        model = LazyModel(settings, Provider(partial(self._model, settings, facts)))
        return self.capped_over(model, model.name, facts, account, caps, stop, model.prepare)

    def capped_over(
        self,
        model: LanguageModel,
        name: str,
        facts: ModelFacts,
        account: str,
        caps: Caps,
        stop: StopToken | None = None,
        prepare: Callable[[], None] = lambda: None,
    ) -> CappedModel:
        """A model that is built already, within the caps of an account, under a name of its own in the record."""
        from tribal.models import Budget, CappedModel, Spender, Timing

        timing = Timing(self.clock)
        budget = Budget(self.store(), caps, Spender(account, name, _holder()), timing)
        return CappedModel(model, budget, facts.worst_price, stop or StopToken(), timing, prepare)

    def require(self, settings: ModelEntry) -> ModelFacts:
        """The facts of a model that has all that a call needs; loads no SDK.

        Raises:
            ConfigurationError: when the price is unknown, or the key, the package or the region is missing.
        """
        from tribal.models.known_models import model_facts

        facts = model_facts(settings)
        for package in _PACKAGES.get(settings.provider, ("openai",)):
            if find_spec(package) is None:
                missing = ModuleNotFoundError(name=package)
                raise model_missing(missing, bedrock=settings.provider == "bedrock")
        if settings.provider == "bedrock":
            self._region(settings)
        elif settings.api_key_secret is not None:
            self._key(settings.api_key_secret)
        return facts

    def unsent(self, requests: Sequence[ModelRequest]) -> list[UnsentRequest]:
        """The requests as the client would send them; needs neither key nor AWS credentials.

        Raises:
            ConfigurationError: when the price of the model is unknown, or a package is missing.
        """
        settings = self.options().model
        if settings is None:
            return []
        from tribal.models.known_models import model_facts

        try:
            from tribal.adapters.language_models.connection import Unsent
        except ModuleNotFoundError as error:
            raise model_missing(error, bedrock=settings.provider == "bedrock") from error
        unsent = Unsent()
        model = self._model(settings, model_facts(settings), unsent)
        for request in requests:
            model.ask(request)
        return unsent.requests

    def readiness(self, ask: bool) -> Sequence[ModelReadiness]:
        """Whether each configured model can be called: checks price, package and key.

        Args:
            ask: test the model that describes, and ask each other one for one word, within the cap of a day.
        """
        describing = self.options().model
        day = self.per_day_usd if describing is None else describing.per_day_usd
        return [self._ready(section, entry, day if ask else None) for section, entry in self._configured()]

    def announcements(self) -> Sequence[ModelAnnouncement]:
        """Announce each request that `readiness` would send, with its highest price; sends nothing."""
        from tribal.models.known_models import model_facts

        found = []
        for section, entry in self._configured():
            # Without a price nothing is asked; `readiness` says so.
            with suppress(ConfigurationError):
                facts = model_facts(entry)
                most, sends = facts.worst_price(_word_request(facts)), "one request for one word"
                if section == DESCRIBING_SECTION:
                    lazy = LazyModel(entry, Provider(partial(self._model, entry, facts)))
                    most = self._tester(lazy, facts, lambda _: None).most_nanodollars
                    sends = "questions about five built-in tables, and nothing of your databases"
                found.append(ModelAnnouncement(section, entry.label, sends, most / NANODOLLARS))
        return found

    def _configured(self) -> list[tuple[str, ModelEntry]]:
        """Each model with its section; the one that describes is first, and is not repeated."""
        describing = self.options().model
        found: list[tuple[str, ModelEntry]] = [] if describing is None else [(DESCRIBING_SECTION, describing)]
        known = [_same(entry) for _, entry in found]
        return found + [(f"models.{name}", each) for name, each in self.named.items() if _same(each) not in known]

    def _ready(self, section: str, settings: ModelEntry, day_usd: float | None) -> ModelReadiness:
        from tribal.models.known_models import model_facts

        needs_key, at_once = settings.api_key_secret is not None, settings.parallel_calls
        ready = ModelReadiness(section, settings.label, "", needs_key=needs_key, calls_at_once=at_once)
        try:
            facts = model_facts(settings)
            ready = replace(ready, prices=facts.source)
            model = self._tried(settings, facts) if section == DESCRIBING_SECTION else self._model(settings, facts)
        except TribalError as error:
            return replace(ready, missing=error.message)
        return ready if day_usd is None else self._asked(ready, model, facts, day_usd)

    def _asked(self, ready: ModelReadiness, model: LanguageModel, facts: ModelFacts, day_usd: float) -> ModelReadiness:
        from tribal.models import Caps

        day = round(day_usd * NANODOLLARS)
        caps = Caps(account=day, day=day, calls_at_once=1)
        with closing(self.capped_over(model, model.name, facts, f"check:{_holder()}", caps)) as capped:
            if ready.section == DESCRIBING_SECTION:
                damaged: list[str] = []
                test = self._tester(capped, facts, damaged.append).test()
                return tested(ready, test, damaged)
            outcome = capped.ask(_word_request(facts))
        took, usd = outcome.usage.time_ms, outcome.usage.nanodollars / NANODOLLARS
        missing = outcome.message if isinstance(outcome, ModelFailure) else ""
        return replace(ready, missing=missing, answered_ms=took, usd=usd)

    def _tester(self, model: LanguageModel, facts: ModelFacts, notify: Callable[[str], None]) -> ModelTester:
        """A tester of the model that describes; `notify` gets a line if the record of results is damaged."""
        from tribal.describing.model.binding import TriedModel
        from tribal.describing.model.fitness import RecordingTester
        from tribal.describing.model.questions import Prompting
        from tribal.prompt_templates import DESCRIBING
        from tribal.store import WatchedStore

        settings = self.options().model
        assert settings is not None
        prompting = Prompting(self.templates(DESCRIBING), settings, model.name, facts.thinking_tokens)
        store = WatchedStore(self.store(), notify)
        tried = TriedModel(model, settings, store, facts.thinking_tokens)
        return RecordingTester(tried, prompting, facts, store, self.clock)

    def _tried(self, settings: ModelEntry, facts: ModelFacts) -> LanguageModel:
        """The model that describes, with what an earlier trial has shown."""
        from tribal.store.model_tests import read_model_record

        record = read_model_record(self.store(), settings)
        return self._model(settings, facts, binds_answers=None if record is None else record.binds_answers)

    def _model(
        self,
        settings: ModelEntry,
        facts: ModelFacts,
        unsent: Unsent | None = None,
        *,
        binds_answers: bool | None = None,
    ) -> LanguageModel:
        from tribal.adapters.anthropic.model import anthropic_model
        from tribal.adapters.bedrock.model import bedrock_model
        from tribal.adapters.openai.model import openai_model

        try:
            # They import the SDK, which may be missing.
            if settings.provider == "bedrock":
                return bedrock_model(settings, facts, self._region(settings), unsent)
            name = settings.api_key_secret
            key = None if name is None else SecretStr("") if unsent is not None else self._key(name)
            if settings.provider == "anthropic":
                return anthropic_model(settings, facts, key or SecretStr(""), self._renewing(name), unsent)
            return openai_model(settings, facts, key, self._renewing(name), unsent, binds_answers=binds_answers)
        except ModuleNotFoundError as error:
            raise model_missing(error, bedrock=settings.provider == "bedrock") from error

    def _renewing(self, name: str | None) -> Callable[[], SecretStr | None] | None:
        return None if name is None else lambda: self.secrets().refresh(name)

    def _key(self, name: str) -> SecretStr:
        key = self.secrets().get(name)
        if key is None:
            raise ConfigurationError(f"the secret {name!r} with the key of the model is missing; {self.hint}")
        return key

    def _region(self, settings: ModelEntry) -> str:
        region = settings.region or self.region
        if region is None:
            raise ConfigurationError("no region is set for Bedrock; set model.region or AWS_REGION")
        return region


def _word_request(facts: ModelFacts) -> ModelRequest:
    """A request for one word."""
    return ModelRequest(
        "You are asked whether you can be reached.",
        "Answer with the word: yes",
        None,
        _WORD_TOKENS + facts.thinking_tokens,
        _WORD_SECONDS,
    )


def _same(entry: ModelEntry) -> tuple[str | None, ...]:
    """What two entries for one model have in common."""
    return entry.provider, entry.name, entry.base_url, entry.api_key_secret, entry.region


class LazyModel:
    """A model that is built, with its SDK, on first use; if that fails, so do all calls."""

    def __init__(self, settings: ModelEntry, model: Provider[LanguageModel]) -> None:
        self._settings = settings
        self._model = model

    @property
    def name(self) -> str:
        """Provider and model."""
        return self._settings.label

    def prepare(self) -> None:
        """Build the model; a failure is reported by the first call."""
        with suppress(TribalError):
            self._model()

    def ask(self, request: ModelRequest) -> ModelOutcome:
        """Ask the model."""
        model = self._built()
        return model if isinstance(model, ModelFailure) else model.ask(request)

    def stream(self, request: ModelRequest) -> Generator[str, None, ModelOutcome]:
        """Ask the model for text as it arrives."""
        model = self._built()
        return model if isinstance(model, ModelFailure) else (yield from model.stream(request))

    def _built(self) -> LanguageModel | ModelFailure:
        try:
            return self._model()
        except TribalError as error:
            return ModelFailure("stopped", error.message)


def _holder() -> str:
    """A unique name for this process's share of the budget."""
    return f"{platform.node()}/{os.getpid()}/{randomness.token_hex(4)}"
