"""`tribal diff`, `tribal lint` and `tribal todo`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from tribal.edges.cli.console import command, print_json
from tribal.edges.cli.databases import with_databases
from tribal.edges.cli.options import Dsn, Json, NoSamples, Project, run_ids

if TYPE_CHECKING:
    from tribal.runs.comparing import Comparison
    from tribal.settings import Settings

_HERE = Path()


@command
def diff(
    dsn: Dsn = None,
    project: Project = _HERE,
    since: Annotated[
        Optional[str],  # noqa: UP045 - typer reads it at run time
        typer.Option(
            "--since",
            metavar="RUN",
            help="What changed from this run to the last one; asks no database.",
            callback=run_ids,
        ),
    ] = None,
    between: Annotated[
        Optional[tuple[str, str]],  # noqa: UP045 - typer reads it at run time
        typer.Option(
            "--between",
            metavar="RUN RUN",
            help="What changed from the first run to the second one.",
            callback=run_ids,
        ),
    ] = None,
    no_samples: NoSamples = False,
    full: Annotated[bool, typer.Option("--full", help="Show long values whole, as those of view definitions.")] = False,
    exit_code: Annotated[
        bool, typer.Option("--exit-code", help="End with exit code 1 when something changed, for CI.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Say what changed since the last run.

    It reads the structure of the databases and compares it with what the last run read: tables, columns, keys,
    indexes, checks, comments and views; then it says which documents the next tribal run would write. It writes
    nothing. With --since or --between it compares recorded runs instead; the folders in progress/runs are their names.
    """
    from tribal.edges.cli.review_view import comparison_data, print_comparison
    from tribal.errors import EXIT_DATABASE, EXIT_PARTIAL
    from tribal.settings import load_settings

    if since is not None and between is not None:
        raise typer.BadParameter("give --since or --between, not both")
    settings = load_settings(project=project, dsn=dsn, take_samples=not no_samples)
    found = _compared(settings, since, between, full=full)
    if as_json:
        print_json(comparison_data(found))
    else:
        print_comparison(found)
    if not found.complete:
        raise typer.Exit(EXIT_DATABASE)
    if exit_code and found.changed:
        raise typer.Exit(EXIT_PARTIAL)


def _compared(settings: Settings, since: str | None, between: tuple[str, str] | None, *, full: bool) -> Comparison:
    from tribal.app.local import local_application
    from tribal.runs.comparing import compare_runs, compare_with_databases
    from tribal.runs.comparing.value_diff import FULL_VALUE_CHARS, VALUE_CHARS

    store = local_application(settings).store()
    value_chars = FULL_VALUE_CHARS if full else VALUE_CHARS
    if between is not None:
        return compare_runs(*between, store=store, value_chars=value_chars)
    if since is not None:
        return compare_runs(since, None, store=store, value_chars=value_chars)
    return compare_with_databases(local_application(with_databases(settings)), value_chars=value_chars)


@command
def lint(
    project: Project = _HERE,
    strict: Annotated[
        bool, typer.Option("--strict", help="End with exit code 1 when any rule that is switched on finds something.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Say how well everything is documented, and what is amiss.

    It looks at the documents alone. The rules undocumented, unclear, unmasked, orphaned and without_key are switched
    on and off under lint: in databases.yaml. A value that should be masked, or a coverage below minimum_coverage there,
    ends it with exit code 1; other findings do so with --strict.
    """
    from tribal.app.local import local_application
    from tribal.documenting import lint as lint_documents
    from tribal.edges.cli.review_view import lint_data, print_lint
    from tribal.errors import EXIT_PARTIAL
    from tribal.settings import load_settings

    settings = load_settings(project=project, needs_databases=False)
    report = lint_documents(local_application(settings).store(), settings.lint)
    failed = report.unmasked or not report.covered or (strict and bool(report.findings))
    if as_json:
        print_json(lint_data(report, success=not failed))
    else:
        print_lint(report)
    if failed:
        raise typer.Exit(EXIT_PARTIAL)


@command
def todo(
    project: Project = _HERE,
    limit: Annotated[int, typer.Option("--limit", min=1, max=1000, help="The most to list.")] = 20,
    as_json: Json = False,
) -> None:
    """Say what is most worth a sentence of yours.

    It ranks tables that no person, comment or model has described, and columns of which nothing is known: by the tables
    that refer to theirs, and by how unclear their names are. The lines to fill in come last, for annotations/ in this
    folder.
    """
    from tribal.app.local import local_application
    from tribal.documenting import todo as rank
    from tribal.edges.cli.review_view import print_todo, todo_data
    from tribal.settings import load_settings

    settings = load_settings(project=project, needs_databases=False)
    found = rank(local_application(settings).store(), limit)
    if as_json:
        print_json(todo_data(found))
    else:
        print_todo(found)
