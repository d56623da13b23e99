"""The section `contribution` of an environment: repositories on GitHub, and when contributions are followed."""

from __future__ import annotations

from typing import Any

from pydantic import Field, field_validator

from infra.schedule import Schedule
from infra.sections import CapabilitySection
from tribal_contracts.contribution.settings import ContributionSettings, RepositoryEntry


class Contribution(CapabilitySection, ContributionSettings):
    """Contributions to repositories; without this section none of their tools is deployed."""

    CAPABILITY = "contribution"

    schedule: Schedule = Schedule(expression="rate(1 hour)")
    """When published contributions are followed, and interrupted ones are finished."""
    prepare_by_schedule: bool = False
    """Whether the schedule also prepares the next contribution."""
    alarm_hours: int = Field(default=24, ge=1, le=168)
    """Hours without a complete look at published contributions until the alarm is raised; must fit the schedule."""

    @field_validator("repositories")
    @classmethod
    def _are_on_github(cls, value: list[RepositoryEntry]) -> list[RepositoryEntry]:
        for entry in value:
            if entry.path is not None:
                raise ValueError(f"{entry.name}: functions have no local clones; give `url` instead of `path`")
            if entry.manifest is not None:
                raise ValueError(
                    f"{entry.name}: functions have no `manifest`; leave it out to find models by their names"
                )
        return value

    @property
    def variables(self) -> dict[str, str]:
        """The environment variables that describe it to functions: what differs from the defaults."""
        own = self.model_dump_json(include={*ContributionSettings.model_fields}, exclude_defaults=True)
        return {"TRIBAL_CONTRIBUTION": own}

    @property
    def scheduled(self) -> dict[str, Any]:
        """The fields of its scheduled event, without the time."""
        return {"prepare": self.prepare_by_schedule}

    @property
    def obstacles(self) -> list[str]:
        """Why it can be synthesised but must not be deployed yet."""
        return [
            f"contribution: {entry.name} has neither `write_secret` nor `app`, so nothing could be published; add one"
            for entry in self.repositories
            if entry.write_secret is None and entry.app is None
        ]
