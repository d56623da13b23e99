"""Base classes with the rules that all contracts follow, and their scalar types.

A field marked `?` in the specification is omitted when unset and never written as null; a field typed `X | null` is
always present. In Python, both are `None`.

Source: specification section 2.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, StringConstraints
from pydantic.json_schema import SkipJsonSchema

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


def optional(description: str | None = None, *, alias: str | None = None) -> Any:
    """Declare a `?` field: `None` in Python, absent in JSON.

    Constraints belong to the type of its values: here, pydantic would apply them to `None` too.
    """
    return Field(default=None, exclude_if=_is_unset, description=description, alias=alias)


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


class AgentError(Contract):
    """A failure as every stage and tool reports it. Source: specification section 2."""

    code: str
    message: str
    severity: ErrorSeverity
    timestamp: ISOTimestamp
    context: dict[str, JsonValue] | Unset = optional()
    recoverable: bool
