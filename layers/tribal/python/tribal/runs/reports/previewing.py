"""Preview what a run would ask a model about a table of the latest plan."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, replace

from tribal.documenting import TablePreview, preview_table
from tribal.errors import DatabaseError, PlanError, TableNotFound
from tribal.identity.table_names import TableIdentity, look_up
from tribal.planning import load_plan
from tribal.ports import Application, StopToken
from tribal_contracts import DatabaseEntry, DocumentationPlan, WorkUnit

_SUGGESTED = 5


@dataclass(frozen=True, slots=True)
class PlannedTable:
    """A table of the latest plan, with its unit and entry."""

    name: str
    unit: WorkUnit
    entry: DatabaseEntry


def find_planned_table(text: str, app: Application) -> PlannedTable:
    """Find a table of the latest plan by name, with the usual lookup rules.

    Raises:
        PlanError: when there is no plan, or it has a database that is not in the configuration.
        TableNotFound: with the candidates for an ambiguous name, or with near misses.
    """
    plan = load_plan(app.store())
    units = {spec.fully_qualified_name: unit for unit in plan.work_units for spec in unit.tables}
    name = _find(text, plan, list(units))
    entries = {entry.name: entry for entry in app.options().databases}
    entry = entries.get(units[name].database)
    if entry is None:
        raise PlanError(
            f"the plan has database {units[name].database!r}, which is not in the configuration; run `tribal plan` "
            "again",
            code="DOC_PLAN_STALE",
        )
    return PlannedTable(name, units[name], entry)


def _find(text: str, plan: DocumentationPlan, names: Sequence[str]) -> str:
    types = {analysis.name: analysis.type for analysis in plan.databases}
    identities = [TableIdentity.parse(name) for name in names]
    found = look_up(text, [(identity, types[identity.database]) for identity in identities])
    if found.found is not None:
        return str(found.found)
    if found.candidates:
        candidates = [str(identity) for identity in found.candidates[:_SUGGESTED]]
        shown = f"{', '.join(candidates)}{', ...' if len(found.candidates) > _SUGGESTED else ''}"
        raise TableNotFound(f"{text!r} matches {len(found.candidates)} tables of the plan: {shown}", candidates)
    near = _near(text, identities)
    hint = f"did you mean {' or '.join(near)}?" if near else "run `tribal plan` to plan the current tables"
    raise TableNotFound(f"the plan has no table {text!r}; {hint}", near)


def _near(text: str, identities: Sequence[TableIdentity]) -> list[str]:
    """Similar names, compared without schema, since people remember the table's name best."""
    own = text.rpartition(".")[2].casefold()
    close = difflib.get_close_matches(own, {each.table.casefold() for each in identities}, n=3, cutoff=0.6)
    return [str(each) for table in close for each in identities if each.table.casefold() == table][:_SUGGESTED]


def preview(planned: PlannedTable, app: Application) -> TablePreview:
    """What a run would ask about a table, with samples taken now; the model is not called.

    Raises:
        ConfigurationError: when prompts, the model or annotations cannot be used.
        PlanError: when the plan's slice is missing or does not have the table.
        StoreError: when the store cannot be read.
    """
    describer = app.run.describers("", StopToken()).of(planned.entry.name)
    options = app.options().documenting.for_entry(planned.entry)
    reason, reader = "", None
    if options.rows_to_sample:
        try:
            reader = app.run.open_reader(planned.entry)
        except DatabaseError as error:
            reason = error.message
    with nullcontext() if reader is None else closing(reader):
        shown = preview_table(planned.name, planned.unit, describer, reader, options, app)
    if shown is None:
        raise PlanError(f"the plan has no structure for {planned.name}; run `tribal plan` again")
    return replace(shown, not_sampled=shown.not_sampled or reason)
