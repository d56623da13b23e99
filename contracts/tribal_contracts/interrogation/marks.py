"""An answer that someone called wrong. Extension contracts."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from tribal_contracts.answering.open_gaps import MAX_MARKED_TABLES, SessionScope
from tribal_contracts.core.camel import CamelContract
from tribal_contracts.core.shape import ContentHash, FullyQualifiedTableName, ISOTimestamp, Text, Unset, optional
from tribal_contracts.interrogation.sessions import SessionId

MAX_WHY_CHARS = 500


class Mark(CamelContract):
    """A wrong answer, an open gap of the tables that it cited. File: `sessions/mark_{id}_{start}.json`."""

    id: SessionId
    question: Text
    why: Text
    """Why the answer is wrong."""
    tables: Annotated[list[FullyQualifiedTableName], Field(min_length=1, max_length=MAX_MARKED_TABLES)]
    owner: str
    """Subject of the caller who marked it."""
    scope: SessionScope | Unset = optional("What its owner could see; without it, everything.")
    created_at: ISOTimestamp
    manifest_hash: ContentHash
    """The documentation when it was marked."""
