"""Describing tables and domains, and looking up secrets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from tribal_contracts import (
    AgentError,
    CatalogTable,
    DatabaseType,
    Description,
    IncomingKey,
    InferredKey,
    ModelQuote,
    ModelUsage,
    SliceNeighbour,
)

if TYPE_CHECKING:
    from pydantic import SecretStr

    from tribal.masking import MaskedSamples
    from tribal.ports.models import ModelRequest


@dataclass(frozen=True, slots=True)
class HumanDescription:
    """A person's words about a table."""

    table: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TableContext:
    """Everything a describer may know about a table."""

    database: str
    database_type: DatabaseType
    domain: str
    table: CatalogTable
    row_count: int
    incoming: tuple[IncomingKey, ...]
    neighbours: Mapping[str, SliceNeighbour]
    """By fully qualified name."""
    samples: Mapping[str, MaskedSamples]
    """By column; empty when no sample was taken."""
    human: HumanDescription = field(default_factory=lambda: HumanDescription())
    """What a person has written: it stands, and is context for the rest."""
    inferred_keys: Sequence[InferredKey] = ()
    """Likely keys from and to this table."""


@dataclass(frozen=True, slots=True)
class TableDescription:
    """A table and its columns in a describer's words."""

    table: Description
    columns: Mapping[str, Description]
    """By column; every column of the table has one."""
    notes: tuple[str, ...] = ()
    usage: ModelUsage | None = None
    """What a model used for it just now; `None` where none was asked."""
    warning: AgentError | None = None
    """Why rules stand where a model should have written."""
    left_to_rules: str = ""
    """Why a model's answer says nothing of the table itself; empty where it does, or was not asked for it."""


@dataclass(frozen=True, slots=True)
class DomainContext:
    """What a describer may know about a domain: its tables with their descriptions, most central first."""

    database: str
    domain: str
    title: str
    tables: Sequence[tuple[str, str]]
    schema_comments: Sequence[str] = field(default_factory=tuple)


@dataclass(frozen=True, slots=True)
class DomainDescription:
    """A domain in a describer's words."""

    description: Description
    title: str = ""
    """Empty where the describer has none of its own."""
    usage: ModelUsage | None = None
    warning: AgentError | None = None


class Describer(Protocol):
    """Puts a table and a domain into words."""

    @property
    def version(self) -> str:
        """Changes whenever the same input would yield different text."""
        ...

    @property
    def at_once(self) -> int:
        """The most tables that it can work on at once, because it waits for others meanwhile; 1 where it does not."""
        ...

    @property
    def longest_seconds(self) -> float:
        """The longest that describing one table may wait for others; 0 where it does not."""
        ...

    def quote(self, context: TableContext) -> ModelQuote | None:
        """What describing the table would take of a model; `None` where none would be asked."""
        ...

    def requests(self, context: TableContext) -> Sequence[ModelRequest]:
        """What a model would first be asked about the table, whether or not its answers are kept; empty for nothing."""
        ...

    def quote_domain(self, context: DomainContext, *, changed: bool) -> ModelQuote | None:
        """The same for a domain; `changed` if its tables will say something else, and nobody knows yet what."""
        ...

    def describe_table(self, context: TableContext) -> TableDescription:
        """Describe a table and every column of it."""
        ...

    def describe_domain(self, context: DomainContext) -> DomainDescription:
        """Say what a domain is about."""
        ...


class Describers(Protocol):
    """The describers of one run, a database each."""

    def of(self, database: str, /) -> Describer:
        """The describer of a database, by the name of its entry; the same one each time."""
        ...

    @property
    def usage(self) -> ModelUsage:
        """What the run's models have used so far, in this process."""
        ...

    def close(self) -> None:
        """End the calls of the run, and book what they cost; none is made afterwards."""
        ...


class Secrets(Protocol):
    """Named secrets. Raises, from every method: `SecretsUnavailable`, when the secret store does not answer."""

    def get(self, name: str) -> SecretStr | None:
        """The secret of that name; `None` when there is none."""
        ...

    def refresh(self, name: str) -> SecretStr | None:
        """The same, bypassing the cache; called once after a refused login."""
        ...
