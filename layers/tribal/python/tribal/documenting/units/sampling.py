"""Sample a table and mask the values immediately."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tribal.documenting.staleness import SERVER_UNAVAILABLE
from tribal.documenting.units.lookups import Lookups
from tribal.errors import (
    ConnectionLost,
    DatabaseError,
    DatabaseUnreachable,
    LoginRefused,
    ServerUnavailable,
    StatementConflict,
    StatementTimedOut,
    TableGone,
)
from tribal.masking import PLACEHOLDER, MaskedSamples, mask_samples, redact_text
from tribal.ports import CatalogReader, Clock, LookupValues, TableSample
from tribal.sql.checks import declared_values
from tribal_contracts import AgentError, CatalogColumn, CatalogTable, agent_error

CONNECTION_ATTEMPTS = 2
_SAMPLED_KINDS = ("table", "partitioned_table", "iceberg_table", "hybrid_table")


@dataclass(frozen=True, slots=True)
class Samples:
    """The result of sampling: masked values by column, or a warning why they are missing."""

    by_column: Mapping[str, MaskedSamples] = field(default_factory=dict)
    lookups: Mapping[str, LookupValues] = field(default_factory=dict)
    """By column."""
    taken: bool = False
    warning: AgentError | None = None


def can_be_sampled(table: CatalogTable, *, views: bool) -> bool:
    """Whether a table may be sampled; views only on request, since they can be slow."""
    return table.selectable and (views or table.kind in _SAMPLED_KINDS)


def take_samples(reader: CatalogReader, table: CatalogTable, rows: int, name: str, clock: Clock) -> Samples:
    """Sample a table; if the server refuses, return a warning, since a table can be documented without samples.

    Raises:
        TableGone: when the table no longer exists.
        ConnectionLost: when the connection broke twice.
        ServerUnavailable: when the server has no connection available now.
    """
    try:
        sample = _sample(reader, table, rows)
    except (StatementTimedOut, StatementConflict) as error:
        return Samples(warning=_warning("DOC_SAMPLING_TIMEOUT", error.message, name, clock))
    except (TableGone, ConnectionLost, ServerUnavailable):
        raise
    except DatabaseError as error:
        return Samples(warning=_warning("DOC_SAMPLING_FAILED", error.message, name, clock))
    return Samples(by_column=mask_table(table, sample), taken=bool(sample.columns))


def lookups_of(tables: Iterable[CatalogTable], reader: CatalogReader | None, *, views: bool) -> Lookups | None:
    """The look-up tables among these that may be sampled; `None` without a reader."""
    return None if reader is None else Lookups([each for each in tables if can_be_sampled(each, views=views)], reader)


def add_lookups(samples: Samples, lookups: Lookups, table: CatalogTable, name: str, clock: Clock) -> Samples:
    """Add what look-up tables say; if one cannot be read, the table is documented without them.

    Raises:
        ServerUnavailable: when the server has no connection available now.
    """
    try:
        return replace(samples, lookups=lookups.of(table))
    except ServerUnavailable:
        raise
    except (StatementTimedOut, StatementConflict, ConnectionLost, DatabaseUnreachable) as error:
        # The next run tries again.
        warning = samples.warning or _warning("DOC_SAMPLING_TIMEOUT", error.message, name, clock)
        return replace(samples, warning=warning)
    except DatabaseError:
        return samples


def not_sampled(error: ServerUnavailable, name: str, clock: Clock) -> Samples:
    """No samples, because the table's server has no free connection."""
    return Samples(warning=_warning(SERVER_UNAVAILABLE, error.message, name, clock))


def _sample(reader: CatalogReader, table: CatalogTable, rows: int) -> TableSample:
    for attempt in range(1, CONNECTION_ATTEMPTS + 1):
        try:
            return reader.sample(table, rows)
        except ServerUnavailable:
            raise
        except (ConnectionLost, DatabaseUnreachable, LoginRefused) as error:
            if attempt == CONNECTION_ATTEMPTS or isinstance(error, LoginRefused):
                raise ConnectionLost(error.message) from error
    raise AssertionError("the loop returns or raises")


def mask_table(table: CatalogTable, sample: TableSample) -> dict[str, MaskedSamples]:
    """Mask a sample column by column."""
    columns = {column.name: column for column in table.columns}
    keys = {name for key in (table.primary_key, *table.unique_keys) if key for name in key.columns}
    keys |= {name for key in table.foreign_keys for name in key.columns}
    return {
        column: mask_samples(
            column,
            table.table_name,
            [row[position] for row in sample.rows],
            type_name=columns[column].type,
            is_key=column in keys,
            declared=_declared(columns[column], table),
        )
        for position, column in enumerate(sample.columns)
        # Columns marked as sensitive in the database are skipped.
        if column in columns and columns[column].sensitive is None
    }


def _declared(column: CatalogColumn, table: CatalogTable) -> Sequence[str]:
    """The values that the type or a check allows, which the catalog already shows."""
    return column.enum_values or declared_values(column, table.checks, PLACEHOLDER)[0]


def _warning(code: str, message: str, name: str, clock: Clock) -> AgentError:
    return agent_error(code, redact_text(message), timestamp=clock.published(), context={"table": name})
