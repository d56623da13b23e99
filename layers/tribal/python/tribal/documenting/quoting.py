"""What the model would cost for the tables of a plan that have work."""

from __future__ import annotations

from tribal.documenting.units.contexts import unsampled_contexts
from tribal.errors import ConfigurationError, StoreError
from tribal.ports import Describer, ObjectStore
from tribal_contracts import ModelQuote, WorkUnit


def quote_unit(
    unit: WorkUnit, describer: Describer, store: ObjectStore, *, everything: bool = False
) -> ModelQuote | None:
    """What the model would cost for tables of a unit that have work, or for all; `None` where it would not be asked.

    Annotations or slices that cannot be read are reported by documenting: the unit is not quoted then.
    """
    quote = ModelQuote()
    try:
        for spec, context in unsampled_contexts(unit, store):
            if everything or spec.has_work is not False:
                quote += describer.quote(context) or ModelQuote()
    except (ConfigurationError, StoreError):
        return None
    return quote if quote.calls else None
