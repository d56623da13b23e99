"""Base classes with the rules that all contracts follow, and their scalar types.

A field marked `?` in the specification is omitted when unset and never written as null; a field typed `X | null` is
always present. In Python, both are `None`.

Source: specification section 2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple, Self, TypeVar, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, StringConstraints
from pydantic.json_schema import SkipJsonSchema

if TYPE_CHECKING:
    from tribal_contracts.core.models import ModelEntry
    from tribal_contracts.memory.records import IdentitySettings

SCHEMA_VERSION = "1.0"

Unset = SkipJsonSchema[None]


def _real_time(text: str) -> str:
    datetime.fromisoformat(text)
    return text


ISOTimestamp = Annotated[
    str,
    StringConstraints(pattern=r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$"),
    AfterValidator(_real_time),
    Field(json_schema_extra={"format": "date-time"}),
]
ContentHash = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
DomainName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]*$")]
FullyQualifiedTableName = Annotated[str, StringConstraints(min_length=1)]

AgentStatus = Literal["pending", "running", "completed", "failed", "partial"]
DatabaseType = Literal["postgres", "snowflake"]
TablePriority = Literal[1, 2, 3]
ErrorSeverity = Literal["warning", "error", "fatal"]

Text = Annotated[str, Field(min_length=1)]
Count = Annotated[int, Field(ge=0)]
RowCount = Annotated[int, Field(ge=-1, description="Approximate number of rows; -1 when it is unknown.")]
UnitInterval = Annotated[float, Field(ge=0.0, le=1.0)]


def _is_unset(value: object) -> bool:
    return value is None


def optional(description: str | None = None, **constraints: Any) -> Any:
    """Declare a `?` field: `None` in Python, absent in JSON."""
    return Field(default=None, exclude_if=_is_unset, description=description, **constraints)


class Contract(BaseModel):
    """A frozen message or file. Unknown fields are ignored, so that older readers accept newer files."""

    model_config = ConfigDict(
        frozen=True,
        extra="ignore",
        defer_build=True,
        validate_by_name=True,
        validate_by_alias=True,
        serialize_by_alias=True,
    )

    def to_json(self) -> bytes:
        """The file form: UTF-8, indented by two spaces, with a final newline; equal values give equal bytes."""
        return self.__pydantic_serializer__.to_json(self, indent=2, by_alias=True) + b"\n"

    def to_compact_json(self) -> bytes:
        """The wire form: UTF-8 without insignificant white space."""
        return self.__pydantic_serializer__.to_json(self, by_alias=True)

    @classmethod
    def from_json(cls, data: bytes | str) -> Self:
        """Parse the file form.

        Raises:
            pydantic.ValidationError: when the data does not match the contract.
        """
        return cls.model_validate_json(data)


class ClosedContract(Contract):
    """A contract that refuses unknown fields, for input written by people or agents."""

    model_config = ConfigDict(extra="forbid")


Place = tuple[int | str, ...]
"""Where a value is in a configuration file, such as `("chat", "collection")`."""


def written_place(place: Place) -> str:
    """A place as people write it, such as `collections[0].models`."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place).removeprefix(".")


class SectionProblem(NamedTuple):
    """What is wrong with a section, besides what its model says."""

    place: Place
    message: str
    """What to write instead."""
    code: str


class CapabilitySettings(ClosedContract):
    """The section of a capability in `databases.yaml`."""

    TOP_LEVEL: ClassVar[frozenset[str]] = frozenset()
    """Its lists that stand at the top level of the file, under their own names."""

    def problems(self, models: Mapping[str, ModelEntry]) -> Iterator[SectionProblem]:  # noqa: ARG002
        """What is wrong with it where these models are configured."""
        yield from ()

    def completed(self, identity: IdentitySettings) -> Self:  # noqa: ARG002
        """The section with what follows from who works here.

        Raises:
            ValueError: when something is missing that nothing says.
        """
        return self

    @property
    def has_models(self) -> bool:
        """Whether it names a model to ask."""
        return False


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


class AgentError(Contract):
    """A failure as every stage and tool reports it. Source: specification section 2."""

    code: str
    message: str
    severity: ErrorSeverity
    timestamp: ISOTimestamp
    context: dict[str, JsonValue] | Unset = optional()
    recoverable: bool
