"""Formats what `tribal check` finds: databases, models and sections, and what to do next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import typer

from tribal.edges.cli.console import console, counted
from tribal.edges.cli.project.model_view import RunEstimate, model_data, print_model

if TYPE_CHECKING:
    from tribal.ports import AccessReport, BrokenTexts, ModelReadiness
    from tribal.ports.application import SectionReadiness

_NAMED_PROBLEMS = 3


@dataclass(frozen=True, slots=True)
class CheckReport:
    """Whether each database, model and section is ready."""

    databases: Sequence[dict[str, Any]]
    """As in JSON."""
    models: Sequence[ModelReadiness]
    sections: Sequence[SectionReadiness]
    exit_code: int
    estimate: RunEstimate | None = None
    """What a run would take, if the model that describes was tested."""

    @property
    def failed(self) -> list[str]:
        """The names of what cannot be used."""
        return [
            *(each["name"] for each in self.databases if not each["reachable"]),
            *(model.section for model in self.models if model.problem),
            *(section.section for section in self.sections if section.missing),
        ]

    def data(self, next_step: str) -> dict[str, Any]:
        """The report as JSON."""
        models = {"models": [model_data(model) for model in self.models]} if self.models else {}
        sections = {"sections": [asdict(section) for section in self.sections]} if self.sections else {}
        estimate = {"estimate": asdict(self.estimate)} if self.estimate is not None else {}
        return {
            "success": self.exit_code == 0,
            "databases": self.databases,
            **models,
            **estimate,
            **sections,
            "next_step": next_step,
        }


def next_step(report: CheckReport, check: str, run: str) -> str:
    """One line that says what to do next; empty if there is nothing to document.

    Args:
        report: what was found.
        check: the command that checks again, as typed.
        run: the command that documents the databases, as typed.
    """
    if failed := report.failed:
        more = len(failed) - _NAMED_PROBLEMS
        named = ", ".join(failed[:_NAMED_PROBLEMS]) + f" and {more} more" * (more > 0)
        return f"Not ready: first fix {named} (✗ above), then run {check} again."
    if not report.databases:
        return ""
    if report.exit_code:
        return f"Ready in part: {run} documents what can be read; the lines above say how to read the rest."
    if not any(each["tables_total"] for each in report.databases):
        return f"Nothing to document: no table is visible. Correct the database or its user, then run {check} again."
    return f"Ready. Next: {run}."


def print_report(report: CheckReport, next_step: str) -> None:
    """Print what was found, and what to do next."""
    from tribal.edges.cli.safe_console import escape

    for result in report.databases:
        _print_access(result)
    if len(report.databases) > 1:
        typer.echo(_summary(report.databases))
    for model in report.models:
        print_model(model)
    if report.estimate is not None:
        typer.echo(report.estimate.text)
    for section in report.sections:
        _print_section(section)
    if next_step:
        console().print(escape(next_step), soft_wrap=True)


def access_data(report: AccessReport, broken: Sequence[BrokenTexts]) -> dict[str, Any]:
    """Return what a user can and cannot read in a database, as JSON."""
    return {
        "server_database": report.server_database,
        "server_version": report.server_version,
        "user": report.user,
        "readable_schemas": list(report.readable_schemas),
        "unreadable_schemas": list(report.unreadable_schemas),
        "tables_total": report.tables_total,
        "tables_selectable": report.tables_selectable,
        "missing": [{"what": missing.what, "grant": missing.grant} for missing in report.missing],
        "broken": [each.described() for each in broken],
        "product": report.product,
        "role": report.role,
        "warnings": list(report.warnings),
        "costs": list(report.costs),
        "script": report.script,
    }


def _print_access(result: dict[str, Any]) -> None:
    from tribal.edges.cli.safe_console import escape

    out = console()
    if not result["reachable"]:
        out.print(f"[red]✗[/] [bold]{escape(result['name'])}[/]: {escape(result['error'])}")
        return
    out.print(
        f"[green]✓[/] [bold]{escape(result['name'])}[/]: {result['product']} {escape(result['server_version'])}, "
        f"database {escape(result['server_database'])}, user {escape(result['user'])}"
        + (f", role {escape(result['role'])}" if result["role"] else "")
    )
    schemas = ", ".join(result["readable_schemas"]) or "none"
    out.print(f"  readable schemas: {escape(schemas)}")
    out.print(f"  tables: {_tables_text(result['tables_total'], result['tables_selectable'])}")
    for warning in result["warnings"]:
        out.print(f"  [yellow]warning[/]: {escape(warning)}", soft_wrap=True)
    for broken in result["broken"]:
        out.print(f"  [yellow]broken[/]: {escape(broken)}", soft_wrap=True)
    for cost in result["costs"]:
        out.print(f"  cost: {escape(cost)}", soft_wrap=True)
    for missing in result["missing"]:
        out.print(f"  [yellow]missing[/]: {escape(missing['what'])}\n    {escape(missing['grant'])}", soft_wrap=True)
    if result["script"] and (result["missing"] or result["warnings"]):
        out.print("  [bold]for the administrator[/], a role and a user that may read only this:")
        typer.echo(result["script"])


def _tables_text(total: int, selectable: int) -> str:
    if not total:
        return "none"
    if total == selectable:
        return f"{total}, all of which can be sampled"
    return f"{total}, {selectable} of which can be sampled; the structure of the others is documented too"


def _summary(results: Sequence[dict[str, Any]]) -> str:
    reached = [result for result in results if result["reachable"]]
    lacking = sum(bool(result["missing"] or result["broken"]) for result in reached)
    parts = [f"{len(reached) - lacking} can be read"]
    if lacking:
        parts.append(f"{lacking} can be read partially")
    if len(reached) < len(results):
        parts.append(f"{len(results) - len(reached)} cannot be reached")
    return f"{counted(len(results), 'database')}: {', '.join(parts)}."


def _print_section(section: SectionReadiness) -> None:
    from tribal.edges.cli.safe_console import escape

    name = f"[bold]{escape(section.section)}[/]: {escape(section.name)}"
    if section.missing:
        console().print(f"[red]✗[/] {name}\n  {escape(section.missing)}", soft_wrap=True)
    else:
        console().print(f"[green]✓[/] {name}", soft_wrap=True)
