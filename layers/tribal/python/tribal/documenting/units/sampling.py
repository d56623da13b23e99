"""Sample a table and mask the values immediately."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tribal.documenting.staleness import SERVER_UNAVAILABLE
from tribal.documenting.units.lookups import Lookups
from tribal.errors import (
    AccessDenied,
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
PERMISSION_DENIED = "permission denied"
"""Why a table has no samples, in the context of its warning."""
_PASSING = (StatementTimedOut, StatementConflict, ConnectionLost, DatabaseUnreachable)
_SAMPLED_KINDS = ("table", "partitioned_table", "iceberg_table", "hybrid_table")


@dataclass(frozen=True, slots=True)
class Samples:
    """The result of sampling: masked values by column, or a warning why they are missing."""

    by_column: Mapping[str, MaskedSamples] = field(default_factory=dict)
    lookups: Mapping[str, LookupValues] = field(default_factory=dict)
    """By column."""
    taken: bool = False
    warning: AgentError | None = None


def has_samples(table: CatalogTable, *, views: bool) -> bool:
    """Whether a table is of a kind that is sampled; views only on request, since they can be slow."""
    return views or table.kind in _SAMPLED_KINDS


def can_be_sampled(table: CatalogTable, *, views: bool) -> bool:
    """Whether a table is sampled and the user may select from it."""
    return table.selectable and has_samples(table, views=views)


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
        cause = "took too long" if isinstance(error, StatementTimedOut) else "the server cancelled the statement"
        return _not_sampled("DOC_SAMPLING_TIMEOUT", error.message, name, clock, cause=cause)
    except (TableGone, ConnectionLost, ServerUnavailable):
        raise
    except DatabaseError as error:
        cause = PERMISSION_DENIED if isinstance(error, AccessDenied) else "the server reports an error"
        return _not_sampled("DOC_SAMPLING_FAILED", error.message, name, clock, cause=cause)
    return Samples(by_column=mask_table(table, sample), taken=bool(sample.columns))


def lookups_of(tables: Iterable[CatalogTable], reader: CatalogReader | None, *, views: bool) -> Lookups | None:
    """The look-up tables among these that may be sampled; `None` without a reader."""
    return None if reader is None else Lookups([each for each in tables if can_be_sampled(each, views=views)], reader)


def add_lookups(samples: Samples, lookups: Lookups, table: CatalogTable, name: str, clock: Clock) -> Samples:
    """Add what look-up tables say; if one cannot be read, the table is documented without them.

    Raises:
        ServerUnavailable: when the server has no connection available now.
    """
    found, failures = lookups.of(table)
    # The next run tries again.
    passing = next((error for error in failures if isinstance(error, _PASSING)), None)
    warning = _warning("DOC_SAMPLING_TIMEOUT", passing.message, name, clock) if passing else None
    return replace(samples, lookups=found, warning=samples.warning or warning)


def not_sampled(error: ServerUnavailable, name: str, clock: Clock) -> Samples:
    """No samples, because the table's server has no free connection."""
    return Samples(warning=_warning(SERVER_UNAVAILABLE, error.message, name, clock))


def may_not_select(name: str, clock: Clock) -> Samples:
    """No samples, because the catalog says that the user may not select from the table."""
    message = f"{name} has no samples: permission denied. `tribal check` prints the GRANT that is missing."
    return _not_sampled("DOC_SAMPLING_FAILED", message, name, clock, cause=PERMISSION_DENIED)


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


def _not_sampled(code: str, message: str, name: str, clock: Clock, *, cause: str) -> Samples:
    return Samples(warning=_warning(code, message, name, clock, not_sampled=cause))


def _warning(code: str, message: str, name: str, clock: Clock, **context: str) -> AgentError:
    return agent_error(code, redact_text(message), timestamp=clock.published(), context={"table": name, **context})
