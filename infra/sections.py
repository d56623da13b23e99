"""The sections of capabilities in the file of an environment, which extend those in `databases.yaml`."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, cast

from pydantic import Field, create_model

from tribal.capabilities import capability
from tribal_contracts import CapabilitySettings, MemorySettings
from tribal_contracts.chat.settings import ChatSettings
from tribal_contracts.interrogation.settings import InterrogationSettings


class CapabilitySection(CapabilitySettings):
    """A section of the environment file."""

    CAPABILITY: ClassVar[str]
    NOT_SENT: ClassVar[frozenset[str]] = frozenset()
    """Keys that are not passed to functions."""

    @property
    def variables(self) -> dict[str, str]:
        """The environment variables that describe it to functions."""
        return {f"TRIBAL_{self.CAPABILITY.upper()}": self.model_dump_json(exclude={*self.NOT_SENT})}

    @property
    def scheduled(self) -> dict[str, Any]:
        """The fields of its scheduled event, without the time."""
        return {}

    @property
    def obstacles(self) -> list[str]:
        """Reasons why it can be synthesised but must not be deployed yet."""
        return []


def section_of(name: str) -> Any:
    """The section of a capability, with the keys that it has in `databases.yaml`."""
    settings = capability(name).section
    assert settings is not None, f"{name} has no section"
    made = cast(Any, create_model(name.capitalize(), __base__=(CapabilitySection, settings())))
    made.CAPABILITY = name
    return made


class Chat(CapabilitySection, ChatSettings):
    """The chat; without this section and without `collections`, none of it is deployed."""

    CAPABILITY = "chat"

    @property
    def variables(self) -> dict[str, str]:
        """The environment variables that describe it to functions: what differs from the defaults."""
        return {"TRIBAL_CHAT": self.model_dump_json(exclude_defaults=True)}


class Interrogation(CapabilitySection, InterrogationSettings):
    """Models that question the documentation; without this section, rules do."""

    CAPABILITY = "interrogation"


class Memory(CapabilitySection, MemorySettings):
    """Memory; without this section its tools are not deployed."""

    CAPABILITY = "memory"
    NOT_SENT = frozenset({"company"})

    company: Annotated[str, Field(min_length=1, max_length=200, pattern=r"^\S(.*\S)?$")] | None = None
    """The company of the environment and of all its callers."""

    @property
    def variables(self) -> dict[str, str]:
        """The environment variables that describe it to functions."""
        return super().variables | ({} if self.company is None else {"TRIBAL_COMPANY": self.company})
