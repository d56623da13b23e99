"""Names of what there is, which servers list and complete; no tool that agents see. Extension contracts."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from tribal_contracts.core.shape import ClosedContract, Unset, optional
from tribal_contracts.retrieval.tools import ToolOutput

NameKind = Literal["database", "schema", "domain", "table"]
MAX_NAMES = 1_000


class ListNamesInput(ClosedContract):
    """Which names."""

    kind: NameKind
    prefix: Annotated[str, Field(max_length=500)] = ""
    """How a name begins, in any case; of a table with or without its schema and database."""
    database: str | Unset = optional()
    schema_: str | Unset = Field(default=None, alias="schema", exclude_if=lambda value: value is None)
    after: list[str] | Unset = optional("The last name of the page before.")
    limit: Annotated[int, Field(ge=1, le=MAX_NAMES)] = 100


class ListNamesOutput(ToolOutput):
    """The names, in parts that start with the database, in order."""

    names: list[list[str]]
