"""The section `knowledge` of an environment: where decisions are kept, and how often they are synced.

The keys of `knowledge` and `sync` in `databases.yaml`, and a schedule. The repository must be one that functions can
reach.
"""

from __future__ import annotations

import math
import re
from typing import Self
from urllib.parse import urlsplit

from pydantic import Field, field_validator, model_validator

from infra.schedule import Schedule
from infra.sections import CapabilitySection
from tribal_contracts import KnowledgeSettings

_SECRET = re.compile(r"[A-Za-z0-9/_+=.@:-]+(#.+)?\Z")
_PLACEHOLDER = re.compile(r"(.*\.)?example\.(com|net|org)\Z")
_LONGEST_ALARM_HOURS = 168
"""CloudWatch looks back a week at the most.
Source: https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html"""


class Knowledge(CapabilitySection, KnowledgeSettings):
    """Decisions and policies; without this section none of their tools is deployed."""

    CAPABILITY = "knowledge"
    NOT_SENT = frozenset({"schedule", "stale_hours"})

    schedule: Schedule = Schedule(expression="rate(1 hour)")
    """When it is synced."""
    stale_hours: float = Field(default=24.0, gt=0, le=8_760)
    """Hours without a sync until the alarm is raised."""

    @field_validator("repository")
    @classmethod
    def _is_reached_over_https(cls, value: str) -> str:
        parts = urlsplit(value)
        if parts.scheme != "https" or not parts.hostname or not parts.path.strip("/"):
            raise ValueError(
                f"{value!r} is not an https URL of a repository: functions have no local folders and no ssh key"
            )
        if parts.username is not None or parts.password is not None:
            raise ValueError("the URL contains a user or password; use token_secret for the token")
        return value

    @field_validator("token_secret")
    @classmethod
    def _is_one_secret(cls, value: str | None) -> str | None:
        if value is not None and not _SECRET.match(value):
            raise ValueError(f"{value!r} is not a secret name such as tribal/git or tribal/git#token")
        return value

    @model_validator(mode="after")
    def _says_whose_items_they_are(self) -> Self:
        if self.layout == "flat" and (self.layer is None or self.owner is None):
            raise ValueError(
                "a flat folder does not say who owns its items, and neither does an environment: set layer and "
                "owner, such as layer: team, owner: billing"
            )
        return self

    @property
    def variables(self) -> dict[str, str]:
        """The environment variables that describe it to functions."""
        return super().variables | {"TRIBAL_SYNC_STALE_HOURS": f"{self.stale_hours:g}"}

    @property
    def alarm_hours(self) -> int:
        """After how many whole hours without a sync the alarm is raised."""
        return min(math.ceil(self.stale_hours), _LONGEST_ALARM_HOURS)

    @property
    def obstacles(self) -> list[str]:
        """Why it can be synthesised but must not be deployed yet."""
        if _PLACEHOLDER.match(urlsplit(self.repository).hostname or ""):
            return [f"knowledge: {self.repository} is a placeholder; replace it, or remove the section"]
        return []
