"""Reports how a run ended, as text and as an exit code."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import typer

from tribal.edges.cli.console import counted

if TYPE_CHECKING:
    from tribal_contracts import RunRecord

LISTED_ERRORS = 20
"""Maximum number of errors and warnings that a command prints."""


def print_record(record: RunRecord, indexed: str = "") -> None:
    """Print one line with the counts, then the errors; `indexed` is the result of indexing, if the run indexed."""
    from tribal.edges.cli.views.model import cache_line, unsupported_line, usage_text
    from tribal.runs.records import state_of
    from tribal.runs.sinks import one_line

    parts = []
    if record.command not in ("plan", "index"):
        parts.append(
            f"{counted(record.tables_documented, 'table')} documented, {record.tables_unchanged} unchanged, "
            f"{record.tables_failed} failed"
        )
    if indexed:
        parts.append(indexed)
    if record.usage is not None:
        parts.append(usage_text(record.usage))
    typer.echo(f"{': '.join([state_of(record, running=False), *filter(None, ['; '.join(parts)])])}.")
    if record.usage is not None and (line := cache_line(record.usage)):
        typer.echo(f"  warning: {line}", err=True)
    if record.texts is not None and (line := unsupported_line(record.texts)):
        typer.echo(f"  warning: {line}", err=True)
    for error in record.errors[:LISTED_ERRORS]:
        typer.echo(f"  {error.severity}: {one_line(error.message)}", err=True)
    if len(record.errors) > LISTED_ERRORS:
        typer.echo(f"  ... and {len(record.errors) - LISTED_ERRORS} more; see `tribal status`", err=True)
    if line := _samples_line(record):
        typer.echo(line, err=True)


def _samples_line(record: RunRecord) -> str:
    """How many tables have no samples, and why; empty if all of them do."""
    from tribal.documenting import PERMISSION_DENIED

    contexts = [error.context for error in record.errors if error.context]
    causes = Counter(str(each["not_sampled"]) for each in contexts if "not_sampled" in each)
    if not causes:
        return ""
    tables = record.tables_documented + record.tables_unchanged + record.tables_failed
    why = next(iter(causes)) if len(causes) == 1 else ", ".join(f"{cause} ({n})" for cause, n in causes.most_common())
    where = "check" if PERMISSION_DENIED in causes else "status"
    return f"no samples for {causes.total()} of {counted(tables, 'table')}: {why}; see `tribal {where}`"


def record_exit_code(record: RunRecord, *, strict: bool = False) -> int:
    """The exit code for a run; `strict` counts tables that wait for a model as failures."""
    from tribal.documenting import WAITING
    from tribal.errors import EXIT_DONE, EXIT_INTERNAL, EXIT_PARTIAL
    from tribal.tools.error_classes import error_class_of, error_from_name

    codes = {"completed": EXIT_DONE, "partial": EXIT_PARTIAL}
    waits = any(error.code in WAITING for error in record.errors)
    if record.status == "completed" and waits and strict:
        return EXIT_PARTIAL
    if record.status == "partial" and waits and not record.tables_failed:
        others = [error for error in record.errors if error.code not in WAITING and error.severity != "warning"]
        return EXIT_PARTIAL if strict or others else EXIT_DONE
    if record.status in codes:
        return codes[record.status]
    last = record.errors[-1] if record.errors else None
    name = (last.context or {}).get("error") if last is not None else None
    if isinstance(name, str):
        return error_from_name(name, "").exit_code
    if record.tables_failed:
        return EXIT_PARTIAL
    return EXIT_INTERNAL if last is None else error_class_of(last.code).exit_code
