"""The parts of interrogation: detective and witness by language models, and the open gaps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from tribal.app.asking.configured_models import ConfiguredModels
from tribal.app.building import Building, Built
from tribal.app.parts import start_job
from tribal.capabilities.interrogation.parts import InterrogationParts
from tribal.ports import Provider
from tribal_contracts.core.sections import find_section
from tribal_contracts.interrogation.settings import InterrogationSettings, Location, written_location

if TYPE_CHECKING:
    from tribal.app.project_text import ProjectText
    from tribal.capabilities.interrogation.asking_models.model_parties import PartyModels
    from tribal.ports import Caller, ObjectStore
    from tribal.settings.deployment import Deployment
    from tribal_contracts import CapabilitySettings
    from tribal_contracts.answering.open_gaps import OpenGap


def build(building: Building) -> Built:
    """Build interrogation: models that ask or answer, if its section names any, and the gaps that were found."""
    configured = ConfiguredModels(building.models, building.text)
    place_of = place_in_environment if building.settings is None else partial(place_in_file, building.text)
    models = party_models(building.sections, configured, building.store, place_of)
    parts = None
    if models is not None:
        parts = InterrogationParts(
            parties=lambda account, documentation: models().open(account, documentation),
            quote=lambda questions, iterations: models().quote(questions, iterations),
            launch=None if building.deployment is None else partial(launch_session, building.deployment),
        )
    return Built(parts=parts, gaps=visible_gaps)


def party_models(
    sections: Mapping[str, CapabilitySettings],
    configured: ConfiguredModels,
    store: Provider[ObjectStore],
    place_of: Callable[[Location], str],
) -> Provider[PartyModels] | None:
    """The models that the section `interrogation` names; `None` if it names none."""
    section = find_section(sections, InterrogationSettings)
    if section is None or not section.has_models:
        return None

    def built() -> PartyModels:
        from tribal.capabilities.interrogation.asking_models.model_parties import PartyModels
        from tribal.prompt_templates import INTERROGATING

        models = configured.models
        return PartyModels(
            section=section,
            models=configured,
            prompts=partial(models.templates, INTERROGATING),
            secrets=models.secrets,
            store=store,
            place_of=place_of,
        )

    return Provider(built)


def place_in_file(text: Callable[[], ProjectText], location: Location) -> str:
    """Where a value of the section is in `databases.yaml`."""
    found = text()
    return f"{found.name}, line {found.line(('interrogation', *location))}: {written_location(location)}"


def place_in_environment(location: Location) -> str:
    """Where a value of the section is in an environment."""
    return f"{written_location(location)} in the environment file"


def visible_gaps(store: ObjectStore, caller: Caller, *, exams_only: bool = False) -> list[OpenGap]:
    """The gaps that were found, as far as a caller may see them; see `GapReader`."""
    from tribal.capabilities.interrogation.open_gaps import reading

    return reading.visible_gaps(store, caller, exams_only=exams_only)


def launch_session(deployment: Deployment, session_id: str) -> None:
    """Have the state machine run an interrogation, under the id of the session: launched twice, it runs once.

    Raises:
        ConfigurationError: when the function has no state machine.
        DeploymentRefused, DeploymentUnreachable: when it cannot be started.
    """
    from tribal_contracts.interrogation.tasks import InterrogationTask

    start_job(deployment, session_id, InterrogationTask(session_id=session_id))
