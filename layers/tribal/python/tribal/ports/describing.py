"""Describing tables and domains, and looking up secrets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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
    ValueMeaning,
    ViewReads,
    WrittenTexts,
)

if TYPE_CHECKING:
    from pydantic import SecretStr

    from tribal.masking import MaskedSamples
    from tribal.ports.models.calls import ModelRequest
    from tribal.ports.models.fitness import ModelTester


@dataclass(frozen=True, slots=True)
class HumanDescription:
    """What a person wrote about a table."""

    table: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LookupValues:
    """What a look-up table says of a column that references it; safe to show."""

    values: tuple[str, ...]
    """All codes of the table; empty if they are not shown or the column's type or a check lists its values."""
    meanings: Mapping[str, str] = field(default_factory=dict)
    """By value."""


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
    """Text written by a person: it is kept, and is context for the rest."""
    inferred_keys: Sequence[InferredKey] = ()
    """Likely keys from and to this table."""
    lookups: Mapping[str, LookupValues] = field(default_factory=dict)
    """By column; empty when no sample was taken."""
    reads: ViewReads | None = None
    """What it reads, if it is a view."""
    read_by: Sequence[str] = ()
    """The views that read it."""
    viewed: Mapping[str, Mapping[str, ValueMeaning]] = field(default_factory=dict)
    """What values mean by views, by column."""
    published: Mapping[str, str] = field(default_factory=dict)
    """Descriptions of neighbours by fully qualified name, as last published."""


@dataclass(frozen=True, slots=True)
class TableDescription:
    """A describer's text about a table and its columns."""

    table: Description
    columns: Mapping[str, Description]
    """By column; every column of the table has one."""
    notes: tuple[str, ...] = ()
    usage: ModelUsage | None = None
    """Usage of the model for this text; `None` if no model was called."""
    warning: AgentError | None = None
    """Why rules replaced the model."""
    left_to_rules: str = ""
    """Why the model did not describe the table itself; empty if it did, or was not asked to."""


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
    """A describer's text about a domain."""

    description: Description
    title: str = ""
    """Empty if the describer has no title of its own."""
    usage: ModelUsage | None = None
    warning: AgentError | None = None


class Describer(Protocol):
    """Describes tables and domains."""

    @property
    def version(self) -> str:
        """Changes whenever the same input would yield different text."""
        ...

    @property
    def at_once(self) -> int:
        """Maximum number of tables in parallel, if it waits for a remote service; otherwise 1."""
        ...

    @property
    def longest_seconds(self) -> float:
        """Maximum wait for a remote service per table; 0 if it calls none."""
        ...

    def quote(self, context: TableContext) -> ModelQuote | None:
        """The cost of a model for describing the table; `None` if no model would be called."""
        ...

    def requests(self, context: TableContext) -> Sequence[ModelRequest]:
        """The first requests to a model about the table, whether or not answers are stored; may be empty."""
        ...

    def quote_domain(self, context: DomainContext, *, changed: bool) -> ModelQuote | None:
        """The same for a domain; `changed` if the descriptions of its tables will change."""
        ...

    def describe_table(self, context: TableContext) -> TableDescription:
        """Describe a table and every column of it."""
        ...

    def describe_domain(self, context: DomainContext) -> DomainDescription:
        """Describe a domain."""
        ...


class Describers(Protocol):
    """The describers of one run, one per database."""

    def of(self, database: str, /) -> Describer:
        """The describer of a database, by the name of its entry; the same one each time."""
        ...

    def on_text(self, listener: Callable[[str], None], /) -> None:
        """Pass each piece of a model's answer on as it arrives."""
        ...

    @property
    def usage(self) -> ModelUsage:
        """Usage of the run's models so far, in this process."""
        ...

    @property
    def texts(self) -> WrittenTexts:
        """Texts about tables and columns that the run's models have written so far, in this process."""
        ...

    @property
    def tester(self) -> ModelTester | None:
        """Tests the model of the run; `None` without a model."""
        ...

    def close(self) -> None:
        """End the run's calls and record their cost; no calls are made afterwards."""
        ...


class Secrets(Protocol):
    """Named secrets. Raises, from every method: `SecretsUnavailable`, when the secret store does not respond."""

    def get(self, name: str) -> SecretStr | None:
        """The secret of that name; `None` if it does not exist."""
        ...

    def refresh(self, name: str) -> SecretStr | None:
        """The same, bypassing the cache; called once after a refused login."""
        ...
