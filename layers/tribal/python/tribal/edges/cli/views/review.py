"""Formats the findings of `tribal diff`, `tribal lint` and `tribal todo`, as text and as JSON."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tribal.edges.cli.console import console, counted
from tribal.edges.cli.hints import as_typed
from tribal.identity.table_names import TableIdentity, format_name
from tribal.rendering.words import shorten

if TYPE_CHECKING:
    from tribal.capabilities.retrieval.impact.impact import Impact
    from tribal.documenting import LintReport, TodoList
    from tribal.documenting.lint import Finding
    from tribal.documenting.todo import Blocked, Todo
    from tribal.edges.cli.hints import Place
    from tribal.identity.changes import Change, TableChange
    from tribal.runs.comparing import Comparison

_MARKS = {"added": "+", "dropped": "-", "changed": "~", "excluded": "-", "unreadable": "?"}
_COLORS = {"+": "green", "-": "red", "~": "yellow", "?": "magenta"}
_REASONS = {
    "excluded": "  (now excluded by the configuration)",
    "unreadable": "  (no longer readable; its documents stay)",
}
_GROUPED_COLUMNS = 6
_SHOWN_FINDINGS = 10
"""Of each rule of `tribal lint`, unless all are asked for."""
_SHOWN_CHARS = 120
"""Of the text of something that is affected, and of a question."""
_SHOWN_QUESTIONS = 3


def comparison_data(found: Comparison, impact: Sequence[Impact] | None = None) -> dict[str, Any]:
    """The comparison as one JSON object, with what the changes affect if that was asked for."""
    data: dict[str, Any] = {
        "success": found.complete,
        "changed": found.changed,
        "databases": [
            {
                "database": database.database,
                "problem": database.problem,
                "versions_differ": database.versions_differ,
                "tables": [
                    {**asdict(change), "changes": list(map(asdict, change.changes))} for change in database.tables
                ],
            }
            for database in found.databases
        ],
    }
    if found.documents is not None:
        data["documents"] = {
            "to_write": list(found.documents.to_write),
            "to_remove": list(found.documents.to_remove),
        }
    if impact is not None:
        data["impact"] = list(map(asdict, impact))
    return data


def print_comparison(found: Comparison) -> None:
    """Print one line per table with its changes indented below, then the effect on the documents."""
    from tribal.edges.cli.safe_console import escape

    out, err = console(), console(stderr=True)
    for database in found.databases:
        if database.problem is not None:
            err.print(
                f"[red]error:[/] {escape(database.database)} was not compared: {escape(_plain(database.problem))}"
            )
        _print_lines(_change_lines(database.database, database.tables))
        if database.versions_differ and database.tables:
            err.print(
                f"note: another version of this program read {escape(database.database)} before; a change may be "
                "something that only one of them reads"
            )
    changed = sum(len(database.tables) for database in found.databases)
    out.print(f"{counted(changed, 'table')} changed in the catalog." if changed else "Nothing changed in the catalog.")
    documents = found.documents
    if documents is None:
        return
    if not documents.to_write and not documents.to_remove:
        out.print("The documents are up to date.")
        return
    out.print(
        f"The next run writes the documents of {counted(len(documents.to_write), 'table')} and removes those of "
        f"{counted(len(documents.to_remove), 'table')}."
    )
    _print_lines(("  ", "~", _plain(name)) for name in documents.to_write)
    _print_lines(("  ", "-", _plain(name)) for name in documents.to_remove)


def print_impact(impact: Sequence[Impact]) -> None:
    """Print each change that affects something, with what it affects indented below."""
    if not impact:
        console().print("No view, query, metric, term, decision or memory is affected.")
        return
    console().print("Affected:")
    _print_lines(_impact_lines(impact))


def _impact_lines(impact: Iterable[Impact]) -> Iterator[_Line]:
    for each in impact:
        what = f"{each.what} {_plain(format_name([each.name]))}" if each.name else each.what
        aspects = f": {', '.join(each.aspects)}" if each.aspects else ""
        inside = f", {what}{aspects}" if each.fate == "changed" else ""
        yield "", _MARKS[each.fate], f"{_plain(each.table)}{inside}"
        for one in each.affected:
            text = f": {_plain(shorten(one.text, _SHOWN_CHARS))}" if one.text else ""
            yield "    ", "~", f"{one.kind} {_plain(one.name)}{text}"


_Line = tuple[str, str, str]
"""Indent, mark and text."""


def _change_lines(database: str, tables: Iterable[TableChange]) -> Iterator[_Line]:
    for change in tables:
        yield "", _MARKS[change.fate], _table_text(database, change)
        for inside in change.changes:
            yield "    ", _mark(inside), _change_text(inside)


def _print_lines(lines: Iterable[_Line]) -> None:
    """Print all lines at once: printing thousands one by one with rich takes longer than the comparison."""
    from rich.text import Text

    whole = Text()
    for number, (indent, mark, text) in enumerate(lines):
        whole.append("\n" * bool(number) + indent).append(mark, _COLORS[mark]).append(f" {text}")
    if whole:
        console().print(whole, soft_wrap=True)


def _table_text(database: str, change: TableChange) -> str:
    name = TableIdentity(database, change.schema, change.table)
    return f"{_plain(str(name))}{_REASONS.get(change.fate, '')}"


def _mark(change: Change) -> str:
    if change.before is None and not change.aspect:
        return "+"
    return "-" if change.after is None and not change.aspect else "~"


def _change_text(change: Change) -> str:
    what = f"{change.what} {_plain(format_name([change.name]))}" if change.name else change.what
    if change.aspect:
        return f"{what}: {change.aspect} {_value(change.before)} -> {_value(change.after)}"
    if change.before is None or change.after is None:
        return f"{what}: {_value(change.after if change.before is None else change.before)}"
    return f"{what}: {_value(change.before)} -> {_value(change.after)}"


def _value(value: str | None) -> str:
    return "none" if value is None else _plain(value)


def _plain(text: str) -> str:
    """Text on one line, with control and bidirectional formatting characters escaped."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def lint_data(report: LintReport, *, success: bool) -> dict[str, Any]:
    """The report as one JSON object."""
    from tribal.documenting.lint import RULES

    return {
        "success": success,
        "coverage": {
            kind: {"documented": part.documented, "total": part.total, "percent": part.percent}
            for kind, part in (("tables", report.tables), ("columns", report.columns))
        },
        "minimum_coverage": report.minimum_coverage,
        "counts": {rule: report.count(rule) for rule in RULES},
        "findings": [_finding_data(finding) for finding in report.findings],
    }


def _finding_data(finding: Finding) -> dict[str, Any]:
    data = asdict(finding)
    return {key: value for key, value in data.items() if value is not None or key in ("table", "column")}


def print_lint(report: LintReport, *, show_all: bool) -> None:
    """Print coverage and the number of findings, then the first ones of each rule, or all.

    On a terminal the columns of a table share a row; in a pipe each finding is a line.
    """
    from tribal.documenting.lint import RULES

    out = console()
    out.print(
        f"Documented: {report.tables.percent:.1f} % of the tables ({report.tables.documented:,} of "
        f"{report.tables.total:,}), {report.columns.percent:.1f} % of the columns "
        f"({report.columns.documented:,} of {report.columns.total:,})."
    )
    counts = ", ".join(f"{report.count(rule):,} {rule}" for rule in RULES if report.count(rule))
    out.print(f"Findings: {counts or 'none'}.")
    for rule in RULES:
        findings = [finding for finding in report.findings if finding.rule == rule]
        if findings:
            out.print()
            shown = _print_findings(findings, len(findings) if show_all else _SHOWN_FINDINGS)
            if shown < len(findings):
                out.print(f"{len(findings) - shown:,} more {rule}; --all shows them")
    if not report.covered:
        console(stderr=True).print(f"[red]error:[/] at least {report.minimum_coverage:g} % must be documented")


def _place(finding: Finding) -> str:
    if finding.table is None:
        return f"{finding.file}:{finding.line}"
    return finding.table if finding.column is None else f"{finding.table}.{format_name([finding.column])}"


def _message(finding: Finding) -> str:
    return f"{finding.message} ({finding.owner})" if finding.owner else finding.message


def _print_findings(findings: Sequence[Finding], limit: int) -> int:
    """Print the first findings of a rule, and return how many they are."""
    out = console()
    if not sys.stdout.isatty():
        for finding in findings[:limit]:
            out.print(_plain(f"{_place(finding)}: {finding.rule}: {_message(finding)}"), markup=False, soft_wrap=True)
        return min(limit, len(findings))
    from rich.table import Table

    from tribal.edges.cli.safe_console import escape

    view = Table(box=None, pad_edge=False, header_style="bold", show_edge=False)
    for heading in ("rule", "where", "columns", "finding"):
        view.add_column(heading, overflow="fold")
    shown = 0
    for group in list(_grouped(findings))[:limit]:
        columns = ", ".join(format_name([each.column]) for each in group[:_GROUPED_COLUMNS] if each.column is not None)
        left_out = f" and {len(group) - _GROUPED_COLUMNS} more" if len(group) > _GROUPED_COLUMNS else ""
        texts = (group[0].table or _place(group[0]), columns + left_out, _message(group[0]))
        view.add_row(group[0].rule, *(escape(_plain(text)) for text in texts))
        shown += len(group)
    out.print(view)
    return shown


def _grouped(findings: Iterable[Finding]) -> Iterable[Sequence[Finding]]:
    """The findings of a rule that say the same of the columns of one table, together."""
    groups: dict[tuple[str, bool, str], list[Finding]] = {}
    for finding in findings:
        key = (finding.table or _place(finding), finding.column is None, _message(finding))
        groups.setdefault(key, []).append(finding)
    return groups.values()


def todo_data(found: TodoList) -> dict[str, Any]:
    """The list as one JSON object."""
    return {
        "success": True,
        "total": found.total,
        "items": [
            {
                "table": item.table,
                "column": item.column,
                "worth": round(item.worth, 3),
                "tables_that_refer": item.tables_that_refer,
                **({"owner": item.owner} if item.owner else {}),
                **_blocked_data(item.blocked),
            }
            for item in found.items
        ],
        "words": [{"word": each.word, **_blocked_data(each.blocked)} for each in found.words],
        "lines": found.lines(),
    }


def _blocked_data(blocked: Blocked) -> dict[str, Any]:
    marks = [
        {
            "mark": each.mark,
            "question": each.text,
            "why": each.description,
            **({"by": each.owner} if each.owner else {}),
            "at": each.marked_at,
        }
        for each in blocked.marks
    ]
    shown = {"blocks": blocked.count, "questions": list(blocked.questions), "lacks": list(blocked.lacks)}
    return {**shown, **({"marks": marks} if marks else {})}


def print_todo(found: TodoList, place: Place) -> None:
    """Print what to document, most important first, then the lines to fill in for each annotations file.

    Args:
        found: what to document.
        place: the folder, or the profile, where the user types commands.
    """
    out = console()

    def line(text: str) -> None:
        out.print(_plain(text), markup=False, highlight=False, soft_wrap=True)

    if not found.items and not found.words:
        out.print("Everything is described.")
        return
    for item in found.items:
        line(_todo_text(item))
        for question in _questions(item.blocked):
            line(question)
    if found.items:
        line(f"Listed: {len(found.items):,} of {found.total:,} to document.")
    if found.words:
        out.print()
        line("Words of questions that nothing explains; define them under terms: in an annotations file:")
    for each in found.words:
        line(f"{each.word}: blocks {counted(each.blocked.count, 'question')}")
        for question in _questions(each.blocked):
            line(question)
    if isinstance(place, Path) and any(each.blocked.marks for each in found.items):
        out.print()
        line(f"Close a mark once its answer is correct: {as_typed('interrogations remove ID', place)}")
    for file, lines in found.lines().items():
        out.print(f"\nTo fill in, in {file}:\n", markup=False, highlight=False, soft_wrap=True)
        out.print(lines, markup=False, highlight=False, soft_wrap=True)


def _questions(blocked: Blocked) -> Iterator[str]:
    shown = blocked.questions[:_SHOWN_QUESTIONS]
    for question in shown:
        yield f"    {shorten(question, _SHOWN_CHARS)}"
    more = blocked.count - len(blocked.marks) - len(shown)
    if shown and more:
        yield f"    and {more:,} more"
    for mark in blocked.marks:
        yield f"    {shorten(mark.text, _SHOWN_CHARS)}"
        yield f"        marked wrong: {shorten(mark.description, _SHOWN_CHARS)} ({mark.mark})"


def _todo_text(item: Todo) -> str:
    reasons = []
    if item.blocked.count:
        reasons.append(f"blocks {counted(item.blocked.count, 'question')}")
    if item.tables_that_refer:
        refer = "refers" if item.tables_that_refer == 1 else "refer"
        to = "it" if item.column is None else "its table"
        reasons.append(f"{counted(item.tables_that_refer, 'table')} {refer} to {to}")
    owner = f" ({item.owner})" if item.owner else ""
    return "; ".join([f"{_todo_place(item)}: {_todo_subject(item)}", *reasons]) + owner


def _todo_place(item: Todo) -> str:
    return item.table if item.column is None else f"{item.table}.{format_name([item.column])}"


def _todo_subject(item: Todo) -> str:
    if item.blocked.lacks:
        return shorten("; ".join(each.rstrip(".") for each in item.blocked.lacks), _SHOWN_CHARS)
    if item.described_by is not None:
        return "more than its description says"
    return "what it is about" if item.column is None else "what it means"
