"""`tribal diff`, `tribal lint` and `tribal todo`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from tribal.edges.cli.console import command, print_json
from tribal.edges.cli.databases import lists_none, with_databases
from tribal.edges.cli.options import Dsn, Json, NoSamples, Project, deployed, documented, refuse_with_profile, run_ids
from tribal.ports.capability import USE_STORE

if TYPE_CHECKING:
    from tribal.capabilities.retrieval.impact.impact import Impact
    from tribal.ports import ObjectStore
    from tribal.runs.comparing import Comparison
    from tribal.settings import Settings

_HERE = Path()
_Runs = tuple[str, str | None]
"""The run before, and the one after; `None` for what is documented now."""


@command
def diff(
    context: typer.Context,
    dsn: Dsn = None,
    project: Project = _HERE,
    since: Annotated[
        Optional[str],  # noqa: UP045 - typer reads it at run time
        typer.Option(
            "--since",
            metavar="RUN",
            help="What changed since this run; does not connect to a database.",
            callback=run_ids,
        ),
    ] = None,
    between: Annotated[
        Optional[tuple[str, str]],  # noqa: UP045 - typer reads it at run time
        typer.Option(
            "--between",
            metavar="RUN RUN",
            help="What changed between these two runs.",
            callback=run_ids,
        ),
    ] = None,
    no_samples: NoSamples = False,
    full: Annotated[bool, typer.Option("--full", help="Show long values, such as view definitions, in full.")] = False,
    impact: Annotated[
        bool,
        typer.Option(
            "--impact", help="Also show which views, queries, metrics, terms, decisions and memories it affects."
        ),
    ] = False,
    exit_code: Annotated[
        bool, typer.Option("--exit-code", help="Exit with code 1 when something changed, for CI.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Show what changed since the last run.

    Reads the structure of the databases and compares it with the last run: tables, columns, keys, indexes, checks,
    comments and views. Then lists the documents that the next tribal run would write. Writes nothing. With --since or
    --between it compares recorded runs instead; progress/runs has a folder for each run.
    """
    from tribal.settings import load_settings

    if since is not None and between is not None:
        raise typer.BadParameter("give --since or --between, not both")
    runs = between or (None if since is None else (since, None))
    if context.obj is not None:
        _require_recorded(context, compares_runs=runs is not None and dsn is None, impact=impact)
        assert runs is not None
        found = _compared_runs(deployed(context)[0].store(), runs, full=full)
        _show_comparison(found, None, exit_code=exit_code, as_json=as_json)
        return
    settings = load_settings(project=project, dsn=dsn, take_samples=not no_samples)
    if runs is None and lists_none(settings):
        if as_json:
            print_json({"success": True, "databases": []})
        return
    found = _compared(settings, runs, full=full)
    _show_comparison(found, _impact(found, settings) if impact else None, exit_code=exit_code, as_json=as_json)


def _show_comparison(found: Comparison, affected: list[Impact] | None, *, exit_code: bool, as_json: bool) -> None:
    from tribal.edges.cli.views.review import comparison_data, print_comparison, print_impact
    from tribal.errors import EXIT_DATABASE, EXIT_PARTIAL

    if as_json:
        print_json(comparison_data(found, affected))
    else:
        print_comparison(found)
        if affected is not None:
            print_impact(affected)
    if not found.complete:
        raise typer.Exit(EXIT_DATABASE)
    if exit_code and found.changed:
        raise typer.Exit(EXIT_PARTIAL)


def _require_recorded(context: typer.Context, *, compares_runs: bool, impact: bool) -> None:
    """Refuse what needs the databases or a whole index, which are not there with a profile."""
    if not compares_runs:
        refuse_with_profile(
            context,
            "a comparison with the databases",
            f"it connects to them from this machine; compare recorded runs with --since or --between, or {USE_STORE}",
        )
    if impact:
        refuse_with_profile(
            context,
            "--impact",
            f"it reads a whole index on this machine; {USE_STORE}, and run `tribal index` there first",
        )


def _compared(settings: Settings, runs: _Runs | None, *, full: bool) -> Comparison:
    from tribal.app.local import local_application
    from tribal.runs.comparing import compare_with_databases

    if runs is None:
        return compare_with_databases(local_application(with_databases(settings)), value_chars=_value_chars(full))
    return _compared_runs(local_application(settings).store(), runs, full=full)


def _compared_runs(store: ObjectStore, runs: _Runs, *, full: bool) -> Comparison:
    from tribal.runs.comparing import compare_runs

    return compare_runs(*runs, store=store, value_chars=_value_chars(full))


def _value_chars(full: bool) -> int:
    from tribal.runs.comparing import FULL_VALUE_CHARS, VALUE_CHARS

    return FULL_VALUE_CHARS if full else VALUE_CHARS


def _impact(found: Comparison, settings: Settings) -> list[Impact]:
    from contextlib import closing

    from tribal.app.local import local_application
    from tribal.capabilities.retrieval.tools import changes_impact
    from tribal.edges.local_caller import local_caller

    with closing(local_application(settings, limits=False)) as app:
        return changes_impact(found, local_caller(settings), app)


@command
def lint(
    project: Project = _HERE,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with code 1 when any enabled rule reports a finding.")
    ] = False,
    show_all: Annotated[
        bool, typer.Option("--all", help="Show every finding, not only the first ten of each rule.")
    ] = False,
    badge: Annotated[
        Optional[Path],  # noqa: UP045 - typer reads it at run time
        typer.Option(
            "--badge",
            metavar="FILE",
            dir_okay=False,
            help="Also write an SVG badge with the share that is documented.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Show how much is documented, and report problems.

    Reads the documents, and checks metrics, terms and verified queries against them. Enable or disable the rules
    undocumented, unclear, unmasked, orphaned, without_key, broken, changed, contradicted and open_gaps under lint: in
    databases.yaml. An unmasked value, a broken definition, or coverage below minimum_coverage means exit code 1; other
    findings do so with --strict. A badge is written whatever is found.
    """
    from tribal.app.local import local_application
    from tribal.documenting import lint as lint_documents
    from tribal.edges.cli.views.review import lint_data, print_lint
    from tribal.edges.local_caller import local_caller
    from tribal.errors import EXIT_PARTIAL
    from tribal.settings import load_settings

    settings = load_settings(project=project, needs_databases=False)
    app = local_application(settings)
    caller = local_caller(settings)
    gaps = app.open_gaps(caller) if settings.lint.open_gaps else ()
    guidance = app.guidance() if app.guidance else None
    decisions = partial(guidance.about, caller=caller) if guidance else None
    report = lint_documents(app.store(), settings.lint, settings.metrics, settings.terms, gaps, decisions)
    failed = report.failed or not report.covered or (strict and bool(report.findings))
    if badge is not None:
        _write_badge(badge, report.share.percent)
    if as_json:
        print_json(lint_data(report, success=not failed) | ({"badge": str(badge)} if badge else {}))
    else:
        print_lint(report, show_all=show_all)
    if failed:
        raise typer.Exit(EXIT_PARTIAL)


def _write_badge(file: Path, percent: float) -> None:
    from tribal.edges.cli.commands.site_folder import replace_file
    from tribal.errors import StoreUnwritable
    from tribal.rendering.web.badge import badge

    try:
        replace_file(file, badge(percent).encode())
    except OSError as error:
        raise StoreUnwritable(f"{str(file)!r} cannot be written: {error.strerror or error}") from error


@command
def todo(
    context: typer.Context,
    project: Project = _HERE,
    limit: Annotated[int, typer.Option("--limit", min=1, max=1000, help="The number of items to list.")] = 20,
    as_json: Json = False,
) -> None:
    """Show what to document first.

    First comes what blocks most questions of interrogations and exams, with these questions. Then tables that no
    person, comment or model has described, and columns without any information, by the number of tables that refer to
    them and by how unclear their names are. Ends with lines to fill in for annotations/ in this folder.
    """
    from tribal.documenting import todo as rank
    from tribal.edges.cli.views.review import print_todo, todo_data

    app, caller = documented(context, project)
    found = rank(app.store(), limit, app.open_gaps(caller))
    if as_json:
        print_json(todo_data(found))
    else:
        print_todo(found, context.obj or project)
