"""Input and output of `get_query_context`. Extension contracts; docs/contracts.md says what the fields mean."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from tribal_contracts.core.shape import ClosedContract, Contract, FullyQualifiedTableName, Unset, optional
from tribal_contracts.retrieval.questions import QuestionReading
from tribal_contracts.retrieval.tools import TableName, ToolOutput

MAX_CONTEXT_TABLES = 20
LEAST_CONTEXT_TOKENS, MOST_CONTEXT_TOKENS = 500, 8_000

Cardinality = Literal["many_to_one", "one_to_one"]
"""How many rows of the first table of a join meet how many of the second."""


class GetQueryContextInput(ClosedContract):
    """At least one of `question` and `tables`."""

    question: str | Unset = optional("What the SQL should answer, in plain words.")
    tables: Annotated[list[TableName], Field(max_length=MAX_CONTEXT_TABLES)] | Unset = optional(
        "Tables that are needed in any case."
    )
    database: str | Unset = optional("Only tables of this database.")
    domain: str | Unset = optional("Only tables of this business domain.")
    max_tokens: int = Field(default=2_000, description="Size of `text`, 500 to 8000.")


class ContextTable(Contract):
    """A table of the context."""

    table: FullyQualifiedTableName
    reason: str


class ContextJoin(Contract):
    """A key that joins two tables of the context."""

    tables: list[FullyQualifiedTableName]
    """The table that holds the key, and the one that it references."""
    sql: str
    cardinality: Cardinality
    inferred: bool
    """Whether the key is likely, but not declared."""


class GetQueryContextOutput(ToolOutput):
    """What someone who writes SQL needs to know."""

    text: str
    """The whole context as Markdown with fenced SQL."""
    tables: list[ContextTable]
    joins: list[ContextJoin]
    missing: list[str]
    """Words of the question that nothing documented explains."""
    omitted: list[str]
    """What did not fit into `text`, by name."""
    reading: QuestionReading | Unset = optional("How the question was read.")
