"""The part `knowledge` of an environment: where people keep what they decided, and how often it is synced.

The keys of `knowledge` and `sync` in `databases.yaml`, written anew because what deploys imports nothing of what is
deployed; a test holds them together. A schedule comes on top, and a repository has to be one that functions can reach.
"""

from __future__ import annotations

import math
import re
from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import Field, field_validator, model_validator

from infra.model import Part
from infra.schedule import Schedule

KNOWLEDGE_TOOLS = {
    "memory": ("knowledge_query", "knowledge_show", "sync_status"),
    "checker": ("knowledge_check",),
    "syncer": ("sync_now",),
}
"""The tools behind API resources of their own, by the function that answers them; a test compares the functions."""

_Text = Annotated[str, Field(min_length=1, max_length=1_000, pattern=r"^\S(.*\S)?$")]
_SECRET = re.compile(r"[A-Za-z0-9/_+=.@:-]+(#.+)?\Z")
_PLACEHOLDER = re.compile(r"(.*\.)?example\.(com|net|org)\Z")
_LONGEST_ALARM_HOURS = 168
"""CloudWatch looks back a week at the most.
Source: https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html"""


class Knowledge(Part):
    """Decisions and policies; without this part none of their tools is deployed."""

    repository: _Text
    """The URL of a git repository over https."""
    branch: _Text | None = None
    """Its own default when unset."""
    folder: Annotated[str, Field(max_length=1_000)] = ""
    """The folder in it that holds the items."""
    token_secret: _Text | None = None
    """Name of the secret with the token for the repository."""
    layout: Literal["layered", "flat"] = "layered"
    layer: Literal["company", "org", "team", "project"] | None = None
    owner: _Text | None = None
    type: Literal["adr", "policy", "pattern", "spec"] | None = None
    """Layer, owner and type of the items of a flat folder."""
    schedule: Schedule = Schedule(expression="rate(1 hour)")
    """When it is synced."""
    stale_hours: float = Field(default=24.0, gt=0, le=8_760)
    """After how many hours without a sync somebody is told."""

    @field_validator("repository")
    @classmethod
    def _is_reached_over_https(cls, value: str) -> str:
        parts = urlsplit(value)
        if parts.scheme != "https" or not parts.hostname or not parts.path.strip("/"):
            raise ValueError(
                f"{value!r} is no URL of a repository over https: functions have no folder of yours and no key for ssh"
            )
        if parts.username is not None or parts.password is not None:
            raise ValueError("the URL holds a name or a password; token_secret names the secret with the token")
        return value

    @field_validator("token_secret")
    @classmethod
    def _is_one_secret(cls, value: str | None) -> str | None:
        if value is not None and not _SECRET.match(value):
            raise ValueError(f"{value!r} is no name of a secret, such as tribal/git or tribal/git#token")
        return value

    @model_validator(mode="after")
    def _says_whose_items_they_are(self) -> Self:
        if self.layout == "flat" and (self.layer is None or self.owner is None):
            raise ValueError(
                "a flat folder says nothing of whose items are in it, and neither does an environment: write layer and "
                "owner, such as layer: team, owner: billing"
            )
        if self.layout == "layered" and (self.layer or self.owner or self.type):
            raise ValueError("layer, owner and type are of layout: flat; folders say so otherwise")
        return self

    @property
    def variables(self) -> dict[str, str]:
        """The environment variables by which functions are told."""
        told = self.model_dump_json(exclude={"schedule", "stale_hours"}, exclude_none=True)
        return {"TRIBAL_KNOWLEDGE": told, "TRIBAL_SYNC_STALE_HOURS": f"{self.stale_hours:g}"}

    @property
    def alarm_hours(self) -> int:
        """After how many whole hours without a sync the alarm is raised."""
        return min(math.ceil(self.stale_hours), _LONGEST_ALARM_HOURS)

    @property
    def obstacles(self) -> list[str]:
        """Why it can be synthesised but must not be deployed yet."""
        if _PLACEHOLDER.match(urlsplit(self.repository).hostname or ""):
            return [f"knowledge: {self.repository} is a placeholder; put in your own, or leave the part out"]
        return []
