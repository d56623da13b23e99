"""What models write about tables and domains, and what that is checked against. Extension contracts."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from tribal_contracts.core.models import ModelUsage
from tribal_contracts.core.shape import ContentHash, Contract, ISOTimestamp, Unset, optional


class CatalogNames(Contract):
    """The names of all tables and columns of a database. File: `catalog/{database}/names.json`."""

    schema_version: Literal["1.0"]
    database: str
    tables: list[str]
    """Names without their schemas, each once, in order."""
    columns: list[str]


class DroppedSentence(Contract):
    """A sentence that a model wrote and that was not kept."""

    subject: str
    """Name of the column; empty for the table or the domain itself."""
    rule: str
    """The rule that it broke, such as `figure` or `name`; the sentence itself is not repeated."""


class KeptSlice(Contract):
    """A model's answer to a question about a table, kept while others wait, or the repair of some of its sentences."""

    text: str
    columns: dict[str, str] = Field(default_factory=dict)
    dropped: list[DroppedSentence] = Field(default_factory=list)
    from_samples: bool = False
    usage: ModelUsage
    unrepaired: list[str] | Unset = optional(
        "Subjects to ask for again, since no model was available to repair them; named as in `DroppedSentence`."
    )


class KeptProse(Contract):
    """What a model wrote about a table or a domain. File: `prose/{database}/{subject}.json`.

    It is valid as long as its key, so that it is not paid for twice.
    """

    schema_version: Literal["1.0"]
    subject: str
    """Fully qualified name of a table, or the name of a domain."""
    key: ContentHash
    """Hash of the model's input without samples and counts, and of prompt, model, language and terms."""
    model: str
    title: str = ""
    """Of a domain."""
    text: str
    columns: dict[str, str] = Field(default_factory=dict)
    """By column; those left empty are not here."""
    dropped: list[DroppedSentence] = Field(default_factory=list)
    from_samples: bool = False
    """Whether samples were among what the model was shown."""
    written_at: ISOTimestamp
    usage: ModelUsage
    slices: dict[ContentHash, KeptSlice] | Unset = optional(
        "Answers that others or a repair are waited for, by the key of what the question about the table showed. They "
        "are stored next to what was written before; without any, the key is that of the first of them."
    )
