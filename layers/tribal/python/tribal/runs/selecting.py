"""Check a command's selection before its run starts."""

from __future__ import annotations

import difflib
from collections.abc import Collection

from tribal.errors import PlanError, SelectionUnknown
from tribal.planning import latest_outline, load_plan, plan_was_edited
from tribal.ports import Application, Selection
from tribal.store import documented_before
from tribal_contracts import RunOutline

_LISTED_NAMES = 10


def require_known(kind: str, wanted: Collection[str], known: Collection[str], where: str = "the plan") -> None:
    """Refuse a selection of unknown names.

    Raises:
        SelectionUnknown: with the first unknown name and similar names, or all names.
    """
    unknown = sorted(set(wanted) - set(known))
    if not unknown:
        return
    close = difflib.get_close_matches(unknown[0], known, n=3, cutoff=0.5)
    if close:
        hint = f"did you mean {' or '.join(map(repr, close))}?"
    else:
        names = sorted(known)
        more = f" and {len(names) - _LISTED_NAMES} more" if len(names) > _LISTED_NAMES else ""
        hint = f"it has {', '.join(names[:_LISTED_NAMES])}{more}"
    raise SelectionUnknown(
        f"{where} has no {kind} {unknown[0]!r}; {hint}", context={"unknown": unknown[0], "suggestions": list(close)}
    )


def require_selected(outline: RunOutline, asked: Selection) -> None:
    """Refuse a selection that is not in an outline.

    Raises:
        SelectionUnknown: when it names such a unit, domain or database.
    """
    require_known("work unit", asked.units, outline.unit_ids)
    require_known("domain", asked.domains, {unit.domain for unit in outline.units})
    require_known("database", asked.databases, {unit.database for unit in outline.units})


def require_planned(app: Application) -> None:
    """Refuse a selection that is not in the latest plan; writes nothing.

    A plan with edited domains gets its units when it is run, so only its domains and databases are checked.

    Raises:
        SelectionUnknown: when the selection is not in the plan.
        PlanError: when the plan cannot be read; a missing plan is reported by the run.
    """
    asked = app.options().selection
    if not (asked.units or asked.domains or asked.databases):
        return
    outline = latest_outline(app.store())
    if outline is not None:
        require_selected(outline, asked)
        return
    try:
        plan = load_plan(app.store())
    except PlanError as error:
        if error.code == "DOC_PLAN_NOT_FOUND":
            return
        raise
    if not plan_was_edited(plan):
        require_known("work unit", asked.units, {unit.id for unit in plan.work_units})
    require_known("domain", asked.domains, {domain for analysis in plan.databases for domain in analysis.domains})
    require_known("database", asked.databases, {analysis.name for analysis in plan.databases})


def require_documented(app: Application) -> None:
    """Refuse to index units that the manifest does not have; writes nothing.

    Raises:
        SelectionUnknown: when the options select another unit.
        ManifestError: when the manifest cannot be read.
    """
    asked = app.options().selection.units
    manifest = documented_before(app.store()) if asked else None
    if manifest is not None:
        require_known("work unit", asked, {unit.id for unit in manifest.work_units}, "the manifest")
