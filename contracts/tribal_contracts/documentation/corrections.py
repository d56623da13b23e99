"""Corrections that people make of descriptions over HTTP; `tribal serve --write` takes them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from tribal_contracts.core.shape import ClosedContract, Contract, DomainName, FullyQualifiedTableName, Unset, optional

LONGEST_WORDS = 4_000


class Correction(ClosedContract):
    """A person's words about a table, one of its columns, a domain or a database."""

    table: FullyQualifiedTableName | Unset = optional("As tools name it: database.schema.table.")
    column: str | Unset = optional("A column of the table.")
    database: str | Unset = optional("Where no table is given.")
    domain: DomainName | Unset = optional("A domain of the database; without one, the database is meant.")
    said: Literal["description", "title"] = Field("description", description="Only domains have titles.")
    words: str = Field(max_length=LONGEST_WORDS, description="Empty to take back what was written.")


class ProposedCorrection(Contract):
    """What a correction would change."""

    success: Literal[True] = True
    file: str = Field(description="The annotations file.")
    difference: str = Field(description="As a unified diff; empty where nothing changes.")
    token: str = Field(description="To be sent back with the correction: it holds for this change alone.")


class AgreedCorrection(Correction):
    """A correction whose difference was looked at."""

    token: str = Field(max_length=64)
    proposal: Annotated[str, Field(max_length=64)] | Unset = optional(
        "The proposal that it accepts, as it is or with other words."
    )


class WrittenCorrection(Contract):
    """A correction that is in the annotations file, and in the documents after the next run."""

    success: Literal[True] = True
    file: str


class WrittenWords(Contract):
    """What people have written about something by now; documents say it after the next run."""

    success: Literal[True] = True
    description: str | None
    title: str | Unset = optional("Of a domain.")
    columns: dict[str, str] = Field(description="Of a table.")
    writable: bool = Field(description="Whether the caller may correct it.")
