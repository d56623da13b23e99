"""The first view of the page: numbers and lists of everything that a caller may see."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tribal.capabilities.interrogation.sessions.repository import Sessions
from tribal.capabilities.retrieval.toolbox import Toolbox
from tribal.documenting.first_view import LISTED_TODO, first_view
from tribal.identity.table_names import format_name
from tribal.page_data.definitions import visible_to
from tribal.page_data.exam import may_see_exams
from tribal.page_data.survey import Survey
from tribal.page_data.to_document import todo_list
from tribal.ports import Caller, ObjectStore
from tribal.rendering.words import listing
from tribal_contracts.answering.open_gaps import OpenGap

LISTED_CHANGES = 5
LISTED_BLOCKED = 3
"""Questions of an exam that are not answered."""
_FATES = ("dropped", "added", "changed")
"""Changes of tables in a database, most drastic first. Tables that the configuration excludes have not changed."""


@dataclass(frozen=True, slots=True)
class Reports:
    """The parts of other reports that the first view shows, within the caller's scope."""

    gaps: Sequence[OpenGap] = ()
    changes: Mapping[str, Any] | None = None
    """The part `changes`."""
    exam: Mapping[str, Any] | None = None
    """The numbers of the latest exam."""
    exams: Mapping[str, Any] = field(default_factory=lambda: {"exams": []})
    """The part `exam` of a static site."""


NO_REPORTS = Reports()


def home_part(found: Survey, toolbox: Toolbox, reports: Reports = NO_REPORTS) -> dict[str, Any]:
    """The first view of a site or a served page."""
    facts = [table.facts for table in found.tables]
    todo = todo_list(found, toolbox, reports.gaps, LISTED_TODO) if reports.gaps else found.todo
    home = first_view(facts, todo, visible_to(found, toolbox).queries, found.related)
    if reports.changes is not None and reports.changes["before"]:
        home["changes"] = _changes(reports.changes, {table.name for table in found.tables})
    if reports.exam is not None:
        home["exam"] = reports.exam
    return home


def _changes(part: Mapping[str, Any], names: set[str]) -> dict[str, Any]:
    every = [(database["n"], *row) for database in part["databases"] for row in database["tables"]]
    rows = [row for row in every if row[2] in _FATES]
    fates = Counter(fate for _, _, fate, _ in rows)
    rows.sort(key=lambda row: _FATES.index(row[2]))
    items = []
    for database, label, fate, inside in rows[:LISTED_CHANGES]:
        name = f"{format_name((database,))}.{label}"
        items.append([label, _what_changed(inside) if fate == "changed" else fate, *([name] if name in names else [])])
    return {
        "since": _date_of(part["before"]),
        "tables": [fates["added"], fates["dropped"], fates["changed"]],
        "items": items,
    }


def _what_changed(inside: Sequence[Sequence[Any]]) -> str:
    if len(inside) == 1:
        return f"{inside[0][0]} {inside[0][1]}".strip()
    kinds = listing([*dict.fromkeys(what for what, *_ in inside)], limit=3)
    return f"{len(inside)} changes ({kinds})" if inside else "changed"


def _date_of(run_id: str) -> str:
    """The day on which a run began, which its id starts with; empty for another id."""
    day = run_id[:8]
    return f"{day[:4]}-{day[4:6]}-{day[6:]}" if day.isdecimal() and run_id[8:9] == "T" else ""


def latest_exam(store: ObjectStore, caller: Caller) -> dict[str, Any] | None:
    """The result of the latest exam, for callers who may see all sessions; `None` if no exam was taken."""
    if not may_see_exams(caller):
        return None
    exam = Sessions(store).latest_exam()
    if exam is None:
        return None
    blocked = [each.question for each in exam.questions if each.verdict == "blocked"]
    return {
        "at": exam.created_at[:10],
        "answered": exam.answered,
        "total": exam.total - exam.not_asked,
        "blocked": blocked[:LISTED_BLOCKED],
    }
