"""Bases of contracts in camel case, and how their tools fail. Source: memory specification, section 7."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field, JsonValue
from pydantic.alias_generators import to_camel

from tribal_contracts.core.shape import ClosedContract, Contract, Unset, optional


class CamelContract(Contract):
    """A contract whose fields are in camel case outside of Python."""

    model_config = ConfigDict(alias_generator=to_camel)


class ClosedCamelContract(ClosedContract):
    """Such a contract that refuses unknown fields."""

    model_config = ConfigDict(alias_generator=to_camel)


ToolErrorCode = Literal[
    "INVALID_INPUT", "NOT_FOUND", "PROVIDER_ERROR", "RATE_LIMITED", "UNAUTHORIZED", "TIMEOUT", "CONFLICT"
]

RETRYABLE_CODES: frozenset[ToolErrorCode] = frozenset({"PROVIDER_ERROR", "RATE_LIMITED", "TIMEOUT", "CONFLICT"})


class ToolError(CamelContract):
    """How a call of these tools fails. Source: memory specification, section 7."""

    success: Literal[False] = Field(default=False, description="Error indicator")
    error_code: ToolErrorCode = Field(description="Error code")
    message: str = Field(description="Human-readable message")
    details: dict[str, JsonValue] | Unset = optional("Additional details")
    retryable: bool = Field(description="Whether the operation can be retried")
