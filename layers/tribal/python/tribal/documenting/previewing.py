"""Preview what a model would be asked about a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tribal.documenting.units.contexts import unsampled_contexts
from tribal.documenting.units.sampling import Samples, can_be_sampled, take_samples
from tribal.errors import DatabaseError
from tribal.masking import redact_text
from tribal.ports import Application, CatalogReader, Clock, Describer, DocumentingOptions, ModelRequest, TableContext
from tribal_contracts import WorkUnit


@dataclass(frozen=True, slots=True)
class TablePreview:
    """The questions that a run would ask about a table."""

    requests: Sequence[ModelRequest]
    kept: bool
    """Whether the answers are cached, so that a run asks nothing."""
    not_sampled: str
    """Why samples that a run would show are missing; empty if none are."""


def preview_table(
    name: str,
    unit: WorkUnit,
    describer: Describer,
    reader: CatalogReader | None,
    options: DocumentingOptions,
    app: Application,
) -> TablePreview | None:
    """What a run would ask about a table; `None` if the unit's slice does not have it.

    Args:
        reader: takes the samples; `None` for no samples.

    Raises:
        ConfigurationError: when the database's annotations cannot be used.
        StoreError: when the unit has no slice, or it cannot be read.
    """
    found = {spec.fully_qualified_name: context for spec, context in unsampled_contexts(unit, app.store())}
    context = found.get(name)
    if context is None:
        return None
    samples, reason = _samples(context, name, reader, options, app.clock)
    context = replace(context, samples=samples.by_column)
    requests = describer.requests(context)
    return TablePreview(requests, bool(requests) and describer.quote(context) is None, reason)


def _samples(
    context: TableContext, name: str, reader: CatalogReader | None, options: DocumentingOptions, clock: Clock
) -> tuple[Samples, str]:
    """The samples of a table, and why there are none although a run would take them."""
    if reader is None or not can_be_sampled(context.table, views=options.sample_views):
        return Samples(), ""
    try:
        samples = take_samples(reader, context.table, options.rows_to_sample, name, clock)
    except DatabaseError as error:
        return Samples(), redact_text(error.message)
    return samples, samples.warning.message if samples.warning else ""
