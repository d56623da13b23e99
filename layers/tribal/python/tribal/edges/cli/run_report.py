"""Reports how a run ended, as text and as an exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from tribal.edges.cli.console import counted

if TYPE_CHECKING:
    from tribal_contracts import RunRecord

_LISTED_ERRORS = 20


def print_record(record: RunRecord, indexed: str = "") -> None:
    """Print one line with the counts, then the errors; `indexed` is the result of indexing, if that was part of the
    run."""
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
    typer.echo(f"{': '.join([state_of(record, running=False), *filter(None, ['; '.join(parts)])])}.")
    for error in record.errors[:_LISTED_ERRORS]:
        typer.echo(f"  {error.severity}: {one_line(error.message)}", err=True)
    if len(record.errors) > _LISTED_ERRORS:
        typer.echo(f"  ... and {len(record.errors) - _LISTED_ERRORS} more; see `tribal status`", err=True)


def record_exit_code(record: RunRecord) -> int:
    """The exit code of a command that performed or followed the run."""
    from tribal.errors import EXIT_DONE, EXIT_INTERNAL, EXIT_PARTIAL, code_outcome, error_named, outcome

    codes = {"completed": EXIT_DONE, "partial": EXIT_PARTIAL}
    if record.status in codes:
        return codes[record.status]
    last = record.errors[-1] if record.errors else None
    name = (last.context or {}).get("error") if last is not None else None
    if isinstance(name, str):
        return outcome(error_named(name, "")).exit_code
    if record.tables_failed:
        return EXIT_PARTIAL
    return EXIT_INTERNAL if last is None else code_outcome(last.code).exit_code
