"""Detective and witness by language models, within the caps of a session or an exam. SDKs load with the first call."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from tribal.app.building import Building, Built
from tribal.app.models import thinking_tokens
from tribal.app.parts import text_in_bucket, text_in_folder
from tribal.capabilities.interrogation.parts import InterrogationParts
from tribal.errors import ConfigurationError
from tribal.ports import StopToken
from tribal_contracts import NANODOLLARS
from tribal_contracts.core.shape import find_section
from tribal_contracts.interrogation.settings import InterrogationSettings, Location, written_location

if TYPE_CHECKING:
    from tribal.answering.documentation import Documentation
    from tribal.app.models import Models
    from tribal.app.project_text import ProjectText
    from tribal.capabilities.interrogation.asking_models.model_parties import CatalogAccess, ModelParties
    from tribal.capabilities.interrogation.asking_models.providers import PartyModel
    from tribal.identity.scope import Scope
    from tribal.models import CappedModel
    from tribal.ports import Caller, ModelFacts, ObjectStore, Provider
    from tribal.prompt_templates import Prompts
    from tribal.settings import Settings
    from tribal.settings.deployment import Deployment
    from tribal_contracts import ModelEntry, ModelQuote
    from tribal_contracts.answering.open_gaps import OpenGap
    from tribal_contracts.interrogation.configuration import Configuration

_SPACES = re.compile(r"\s+")
_RULES_SECONDS = 20.0
"""What the documentation may take to be read in a step. By judgement."""
_LONGEST_STEP_SECONDS = 600.0
"""A function has 900 s; a step that needs more is repeated by the next invocation."""
EXAM = "exam:"
"""Accounts of exams begin with it; others are of sessions."""


def local_party_models(
    settings: Settings, models: Models, store: Provider[ObjectStore]
) -> ApplicationPartyModels | None:
    """The models that the section `interrogation` of the file names; `None` if it names none."""
    section = find_section(settings.sections, InterrogationSettings)
    if section is None or not section.has_models:
        return None
    text = partial(text_in_folder, settings)
    return ApplicationPartyModels(section, models, store, text, lambda location: _place(text(), location))


def deployed_party_models(
    deployment: Deployment, models: Models, store: Provider[ObjectStore]
) -> ApplicationPartyModels | None:
    """The models that the section `interrogation` of an environment names; `None` if it names none."""
    section = find_section(deployment.sections, InterrogationSettings)
    if section is None or not section.has_models:
        return None
    return ApplicationPartyModels(section, models, store, lambda: text_in_bucket(store()), _place_in_environment)


def interrogation_parts(
    models: ApplicationPartyModels | None, launch: Callable[[str], None] | None = None
) -> InterrogationParts | None:
    """The parts of interrogation; `None` without models."""
    return (
        None
        if models is None
        else InterrogationParts(parties=partial(_parties, models), quote=models.quote, launch=launch)
    )


def visible_gaps(store: ObjectStore, caller: Caller, *, exams_only: bool = False) -> list[OpenGap]:
    """Read the open gaps; a `GapReader`."""
    from tribal.capabilities.interrogation.open_gaps import reading

    return reading.visible_gaps(store, caller, exams_only=exams_only)


def _parties(models: ApplicationPartyModels, account: str, documentation: Documentation) -> ModelParties:
    from tribal.capabilities.interrogation.asking_models.model_parties import CatalogAccess

    def access(scope: Scope) -> CatalogAccess:
        narrowed = documentation.within(scope)
        return CatalogAccess(narrowed.resolve, narrowed.context)

    return models.open(account, documentation.caller.scope, access)


def _step_seconds(detectives: Sequence[PartyModel], witnesses: Sequence[PartyModel]) -> float:
    """Two calls of the detective, each of which may try every provider, and one of the witness."""
    calls = (*detectives, *detectives, *witnesses)
    return min(sum(each.timeout_seconds for each in calls) + _RULES_SECONDS, _LONGEST_STEP_SECONDS)


@dataclass(frozen=True, slots=True)
class ApplicationPartyModels:
    """Builds detectives and witnesses from the settings; a `PartyModels`."""

    section: InterrogationSettings
    models: Models
    store: Provider[ObjectStore]
    text: Callable[[], ProjectText]
    """Says which databases are kept from models; read for each session, because it may change."""
    place_of: Callable[[Location], str]
    """Where a value of the section is, for messages."""

    def configuration(self) -> Configuration:
        """The derived configuration, once everything is there that a call needs.

        Raises:
            ConfigurationInvalid: when a model, its key, price or package is missing; the message names the place.
        """
        from tribal.capabilities.interrogation.asking_models.configuring import derive_configuration

        # Names first, which the facts of their models need.
        derived = derive_configuration(self.section, self.models.named, self.models.secrets().get, self.place_of)
        self._facts()
        return derived

    def open(self, account: str, scope: Scope, access: Callable[[Scope], CatalogAccess]) -> ModelParties:
        """The parties of a session or an exam; see `PartyModels.open`."""
        from tribal.capabilities.interrogation.asking_models.detective import ModelDetective
        from tribal.capabilities.interrogation.asking_models.model_parties import ModelParties
        from tribal.capabilities.interrogation.asking_models.witness import ModelWitness

        self.configuration()
        narrowed = self.sendable(scope)
        opened, prompts, facts = _OpenModels(self, account), self._prompts(), self._facts()
        detectives = [opened.party(self.models.named[name], facts[name]) for name in self.section.order]
        name = self.section.witness
        witnesses = [] if name is None else [opened.party(self.models.named[name], facts[name])]
        reads = access(narrowed)
        return ModelParties(
            detective=ModelDetective(detectives, prompts, reads.resolve) if detectives else None,
            witness=ModelWitness(witnesses[0], prompts, reads.context, reads.resolve) if witnesses else None,
            scope=narrowed,
            providers=tuple(each.name for each in (*detectives, *witnesses)),
            step_seconds=_step_seconds(detectives, witnesses),
            close=opened.close,
        )

    def quote(self, questions: int, iterations: int) -> ModelQuote:
        """What so many sessions would cost at most by the first detective; see `PartyModels.quote`."""
        from tribal.capabilities.interrogation.asking_models.quotes import QuotedModel, quote_session

        facts = self._facts()
        quoted = {name: QuotedModel(each, thinking_tokens(each)) for name, each in facts.items()}
        first, witness = self.section.order[:1], self.section.witness
        session = quote_session(
            self._prompts(),
            quoted[first[0]] if first else None,
            None if witness is None else quoted[witness],
            iterations,
        )
        return session.model_copy(
            update={name: getattr(session, name) * questions for name in ("calls", "tokens", "nanodollars", "seconds")}
        )

    def sendable(self, scope: Scope) -> Scope:
        """The part of a scope that models may see: no database of an entry with `describer: rules`."""
        text = self.text()
        if not text.keeps_any:
            return scope
        from tribal.store import load_manifest

        stored = load_manifest(self.store())
        documented = [] if stored is None else [each.name for each in stored.manifest.databases]
        return without_databases(scope, documented, text.keeps_from_models)

    def _facts(self) -> dict[str, ModelFacts]:
        from tribal.capabilities.interrogation.asking_models.configuring import parties
        from tribal.capabilities.interrogation.errors import ConfigurationInvalid

        facts = {}
        for location, name in parties(self.section):
            try:
                facts[name] = self.models.require(self.models.named[name])
            except ConfigurationError as error:
                raise ConfigurationInvalid(f"{self.place_of(location)}: {error.message}") from error
        return facts

    def _prompts(self) -> Prompts:
        from tribal.prompt_templates import INTERROGATING, load_prompts

        return load_prompts(self.models.prompts(), self.models.prompts_place, INTERROGATING)


class _OpenModels:
    """The models of one account, each built once, and closed together."""

    def __init__(self, source: ApplicationPartyModels, account: str) -> None:
        self._source = source
        self._account = account
        self._capped: list[CappedModel] = []

    def party(self, entry: ModelEntry, facts: ModelFacts) -> PartyModel:
        from tribal.capabilities.interrogation.asking_models.providers import PartyModel
        from tribal.models import Caps

        section, source = self._source.section, self._source
        usd = section.per_exam_usd if self._account.startswith(EXAM) else section.per_session_usd
        caps = Caps(round(usd * NANODOLLARS), round(source.models.per_day_usd * NANODOLLARS), entry.calls_at_once)
        model = source.models.capped(entry, facts, self._account, caps, StopToken())
        self._capped.append(model)
        is_local = entry.is_on_this_machine
        return PartyModel(
            name=f"{entry.provider}:{_SPACES.sub('-', entry.name)}",
            model=model,
            timeout_seconds=section.local_timeout_seconds if is_local else section.cloud_timeout_seconds,
            thinking_tokens=thinking_tokens(facts),
        )

    def close(self) -> None:
        with ExitStack() as closing:
            for each in self._capped:
                closing.callback(each.close)


def without_databases(scope: Scope, documented: Iterable[str], is_kept: Callable[[str], bool]) -> Scope:
    """A scope without some databases.

    Args:
        scope: what a caller may see.
        documented: all databases, of which a scope of everything keeps the others.
        is_kept: whether a database is left out.
    """
    from tribal.identity.scope import EVERYTHING, Scope

    if scope == EVERYTHING:
        return Scope(frozenset(name for name in documented if not is_kept(name)))
    databases = None if scope.databases is None else frozenset(name for name in scope.databases if not is_kept(name))
    schemas = None if scope.schemas is None else frozenset(pair for pair in scope.schemas if not is_kept(pair[0]))
    return Scope(databases, schemas)


def _place(text: ProjectText, location: Location) -> str:
    return f"{text.name}, line {text.line(('interrogation', *location))}: {written_location(location)}"


def _place_in_environment(location: Location) -> str:
    return f"{written_location(location)} in the environment file"


def build(building: Building) -> Built:
    """Build interrogation: models that ask or answer, if its section names any, and the gaps that were found."""
    launch = None
    if building.settings is not None:
        models = local_party_models(building.settings, building.models, building.store)
    else:
        assert building.deployment is not None
        models = deployed_party_models(building.deployment, building.models, building.store)
        launch = partial(launch_session, building.deployment)
    return Built(parts=interrogation_parts(models, launch), gaps=visible_gaps)


def launch_session(deployment: Deployment, session_id: str) -> None:
    """Have the state machine run an interrogation, under the id of the session: launched twice, it runs once.

    Raises:
        ConfigurationError: when the function has no state machine.
        DeploymentRefused, DeploymentUnreachable: when it cannot be started.
    """
    from tribal.adapters.aws.clients import aws_client
    from tribal.adapters.aws.state_machine import StateMachine
    from tribal_contracts.interrogation.tasks import InterrogationTask

    if deployment.state_machine is None:
        raise ConfigurationError("TRIBAL_STATE_MACHINE is not set; the stack sets it, so deploy again")
    machine = StateMachine(aws_client("stepfunctions", region=deployment.region), deployment.state_machine)
    machine.start_once(session_id, InterrogationTask(session_id=session_id).to_compact_json())
