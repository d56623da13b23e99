"""The sections of capabilities in `databases.yaml`, and who works here. Extension contracts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, NamedTuple, Self, TypeVar, get_args

from pydantic import BaseModel, Field, StringConstraints

from tribal_contracts.core.models import ModelEntry
from tribal_contracts.core.shape import ClosedContract, Unset, optional

Identifier = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^\S(.*\S)?$")]
Place = tuple[int | str, ...]
"""Where a value is in a configuration file, such as `("chat", "collection")`."""


def written_place(place: Place) -> str:
    """A place as people write it, such as `collections[0].models`."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place).removeprefix(".")


class SectionProblem(NamedTuple):
    """A mistake in a section that its model cannot express."""

    place: Place
    message: str
    """Describes the mistake and how to correct it."""
    code: str


class IdentitySettings(ClosedContract):
    """The part `identity` of `databases.yaml`: who works here, on the command line and over stdio."""

    company: Identifier | Unset = optional("Company that the store belongs to.")
    org: Identifier | Unset = optional("Organization that the user of this folder belongs to.")
    teams: list[Identifier] = Field(default_factory=list, description="Teams that the user of this folder belongs to.")
    project: Identifier | Unset = optional("Project that this folder belongs to.")


class CapabilitySettings(ClosedContract):
    """The section of a capability in `databases.yaml`."""

    TOP_LEVEL: ClassVar[frozenset[str]] = frozenset()
    """The fields that users write at the top level of the file, not in the section."""

    def problems(self, models: Mapping[str, ModelEntry]) -> Iterator[SectionProblem]:  # noqa: ARG002
        """Yield each mistake that the model cannot express, given the configured models."""
        yield from ()

    def completed(self, identity: IdentitySettings) -> Self:  # noqa: ARG002
        """Return the section, completed from the section `identity`.

        Raises:
            ValueError: when a required value is in neither of the two.
        """
        return self

    @property
    def has_models(self) -> bool:
        """Whether it names a model to ask."""
        return False

    @property
    def needs_packages(self) -> bool:
        """Whether it needs the optional packages of its capability."""
        return True


Section = TypeVar("Section", bound=CapabilitySettings)


def section_kinds(file: type[BaseModel]) -> dict[str, type[CapabilitySettings]]:
    """The sections of capabilities that a configuration file may have, by name."""
    return {
        name: kind
        for name, field in file.model_fields.items()
        for kind in (field.annotation, *get_args(field.annotation))
        if isinstance(kind, type) and issubclass(kind, CapabilitySettings)
    }


def sections_in(file: BaseModel) -> dict[str, Any]:
    """The sections of capabilities that are present, by name, with their lists from the top level of the file.

    Raises:
        ValueError: when such a list is in the section itself.
    """
    present = {}
    for name, kind in section_kinds(type(file)).items():
        section = getattr(file, name)
        for key in kind.TOP_LEVEL:
            if section is not None and getattr(section, key):
                raise ValueError(f"{key} belongs at the top level of the file, not under {name}")
        lists = {key: listed for key in kind.TOP_LEVEL if (listed := getattr(file, key))}
        if lists:
            section = (kind() if section is None else section).model_copy(update=lists)
        if section is not None:
            present[name] = section
    return present


def find_section(sections: Mapping[str, CapabilitySettings], kind: type[Section]) -> Section | None:
    """The section of one kind; `None` when it is absent."""
    return next((each for each in sections.values() if isinstance(each, kind)), None)
