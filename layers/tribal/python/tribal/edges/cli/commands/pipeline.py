"""`tribal plan`, `document`, `index` and `run`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tribal.edges.cli.console import command, counted, print_json, progress
from tribal.edges.cli.databases import lists_none, require_own_folder, with_databases
from tribal.edges.cli.hints import as_typed
from tribal.edges.cli.options import (
    Anyway,
    Budget,
    Domains,
    Dsn,
    Json,
    NewProse,
    NoSamples,
    Project,
    Replace,
    Replan,
    RetryFailed,
    Strict,
    WorkUnits,
)

if TYPE_CHECKING:
    from tribal.ports import Application, RunParameters
    from tribal.runs.local import LocalRun
    from tribal.settings import Settings

_HERE = Path()
_SEARCH = 'search "YOUR QUESTION"'


@command
def plan(
    dsn: Dsn = None,
    project: Project = _HERE,
    replan: Replan = False,
    replace: Replace = False,
    no_samples: NoSamples = False,
    new_prose: NewProse = False,
    as_json: Json = False,
) -> None:
    """Plan the documentation by business domain.

    Reads the structure of each database and counts matching values of likely keys on the server. No rows are
    transferred. Nothing is documented yet: check progress/documentation-plan.json, move tables between domains if you
    like, then run tribal document. --new-prose quotes what rewriting everything would cost.
    """
    from tribal.app.local import local_application
    from tribal.edges.cli.views.plan import last_plan, print_plan
    from tribal.ports import RunParameters
    from tribal.settings import load_settings

    settings = load_settings(project=project, dsn=dsn, take_samples=not no_samples)
    if lists_none(settings):
        if as_json:
            print_json({"success": True, "databases": []})
        return
    settings = with_databases(require_own_folder(settings, replace=replace))
    app = local_application(settings, RunParameters(replan=replan, new_prose=new_prose))
    previous = last_plan(app.store())
    with _open(app, "plan", as_json) as work:
        _record_found(settings, app)
        composed = work.plan()
        _record_source(settings, app, work)
    if as_json:
        print_json(composed.plan)
    else:
        document = f"{as_typed('document', project)}{' --no-samples' if no_samples else ''}"
        next_step = f"Next: {document}{_with_password(settings)}."
        print_plan(composed.plan, settings, previous, next_step=next_step)


@command
def document(
    dsn: Dsn = None,
    project: Project = _HERE,
    work_unit: WorkUnits = None,
    domain: Domains = None,
    retry_failed: RetryFailed = False,
    replace: Replace = False,
    force: Annotated[
        bool,
        typer.Option("--force", help="Document unchanged tables too, and accept a plan older than the configuration."),
    ] = False,
    no_samples: NoSamples = False,
    new_prose: NewProse = False,
    budget: Budget = None,
    anyway: Anyway = False,
    strict: Strict = False,
    as_json: Json = False,
) -> None:
    """Document the tables of the plan and write the manifest.

    Skips tables whose documentation would not change. A table that fails is recorded and does not stop the others;
    --retry-failed documents only the failed ones.
    """
    from tribal.app.local import local_application
    from tribal.ports import RunParameters, Selection
    from tribal.runs.selecting import require_planned
    from tribal.settings import load_settings

    settings = load_settings(project=project, dsn=dsn, take_samples=not no_samples)
    settings = with_databases(require_own_folder(settings, replace=replace), as_planned=True)
    selection = Selection(units=frozenset(work_unit or ()), domains=frozenset(domain or ()))
    parameters = RunParameters(
        selection=selection,
        force=force or new_prose,
        retry_failed=retry_failed,
        new_prose=new_prose,
        budget_usd=budget,
        anyway=anyway,
    )
    app = local_application(settings, parameters)
    require_planned(app)
    with _open(app, "document", as_json) as work:
        _record_found(settings, app)
        work.document()
        _record_source(settings, app, work)
    _report(work, settings, as_json, next_step=f"Next: {as_typed('index', project)}.", strict=strict)


@command
def index(
    dsn: Dsn = None,
    project: Project = _HERE,
    work_unit: WorkUnits = None,
    force: Annotated[bool, typer.Option("--force", help="Rebuild the index.")] = False,
    as_json: Json = False,
) -> None:
    """Update the search index from the documents.

    Reads only files that changed since the last time. The index is one SQLite file, data/tribal-knowledge.db; you can
    delete and rebuild it at any time. Indexes of collections are rebuilt too if they are missing or damaged.
    """
    from tribal.app.local import local_application
    from tribal.ports import RunParameters, Selection
    from tribal.runs.selecting import require_documented
    from tribal.settings import load_settings
    from tribal.store import documented_before

    settings = load_settings(project=project, dsn=dsn, needs_databases=False)
    parameters = RunParameters(selection=Selection(units=frozenset(work_unit or ())), force=force)
    app = local_application(settings, parameters)
    if _rebuild(app, parameters) and documented_before(app.store()) is None:
        return
    require_documented(app)
    with _open(app, "index", as_json) as work:
        _record_found(settings, app)
        work.index()
    _report(work, settings, as_json, next_step=f"Next: {as_typed(_SEARCH, project)}.")


@command
def run(
    dsn: Dsn = None,
    project: Project = _HERE,
    replan: Replan = False,
    replace: Replace = False,
    force: Annotated[bool, typer.Option("--force", help="Document and index everything again.")] = False,
    no_samples: NoSamples = False,
    open_page: Annotated[
        bool, typer.Option("--open", help="Open the page of all documents in the browser; only on a terminal.")
    ] = False,
    new_prose: NewProse = False,
    budget: Budget = None,
    anyway: Anyway = False,
    strict: Strict = False,
    as_json: Json = False,
) -> None:
    """Plan, document and index.

    Run it as often as you like. If nothing changed, nothing is rewritten; a stopped run is resumed.
    """
    from tribal.app.local import local_application
    from tribal.edges.cli.views.model import agree
    from tribal.ports import RunParameters
    from tribal.runs.local import LocalRun
    from tribal.settings import load_settings

    settings = load_settings(project=project, dsn=dsn, take_samples=not no_samples)
    settings = with_databases(require_own_folder(settings, replace=replace))
    parameters = RunParameters(
        force=force or new_prose, replan=replan, new_prose=new_prose, budget_usd=budget, anyway=anyway
    )
    app = local_application(settings, parameters)
    with progress(app.clock, quiet=as_json) as sink, LocalRun(app, "run", sink) as work:
        _record_found(settings, app)
        plan = work.plan().plan
        _record_source(settings, app, work)
        agreed = agree(plan, budget, sink)
        if agreed and work.document():
            work.index()
            _rebuild(app, parameters)
    if not agreed:
        _report_refused(work, project, as_json=as_json)
        return
    next_step = f"Next: {as_typed(_SEARCH, project)}, or {as_typed('domains', project)}."
    _report(work, settings, as_json, next_step=next_step, open_page=open_page, strict=strict)


def _rebuild(app: Application, parameters: RunParameters) -> bool:
    """Rebuild the capabilities' own indexes, which need no documents, where they cannot be used; return whether any."""
    from tribal.capabilities import capabilities
    from tribal.ports.capability import load

    lines = [load(each.rebuilds)(app, force=parameters.force) for each in capabilities() if each.rebuilds is not None]
    rebuilt = False
    for line in chain.from_iterable(lines):
        typer.echo(line, err=True)
        rebuilt = True
    return rebuilt


def _report_refused(work: LocalRun, project: Path, *, as_json: bool) -> None:
    """Report a run that planned only, because the user declined the cost."""
    if as_json:
        print_json(work.record)
        return
    typer.echo("Planned only: no table was documented and no model was called.")
    typer.echo(
        f"Next: {as_typed('run', project)} with another --budget, or with `describer: rules` for a database in "
        "databases.yaml to exclude it from the model."
    )


def _record_found(settings: Settings, app: Application) -> None:
    """Record the databases that entries with a list or a glob match."""
    from tribal.runs.expanding import record_databases

    record_databases(settings.found, app.store())


def _record_source(settings: Settings, app: Application, work: LocalRun) -> None:
    """Record the DSN that a folder without `databases.yaml` documents, unless its database could not be reached."""
    if settings.source is not None and work.is_complete:
        from tribal.identity.locations import SOURCE_FILE
        from tribal.store import put_record_if_changed
        from tribal_contracts import SourceRecord

        record = SourceRecord(schema_version="1.0", dsn=settings.source.dsn)
        put_record_if_changed(app.store(), SOURCE_FILE, record)


def _with_password(settings: Settings) -> str:
    """A reminder for the next command, if the DSN had a password: passwords are not recorded."""
    if settings.source is None or not settings.source.had_password:
        return ""
    return ", with the password in PGPASSWORD or ~/.pgpass, since it is not recorded"


@contextmanager
def _open(app: Application, command_name: str, as_json: bool) -> Iterator[LocalRun]:
    from tribal.runs.local import LocalRun

    with progress(app.clock, quiet=as_json) as sink, LocalRun(app, command_name, sink) as work:
        yield work


def _report(
    work: LocalRun, settings: Settings, as_json: bool, next_step: str, *, open_page: bool = False, strict: bool = False
) -> None:
    """Print how the run ended, and exit with its code."""
    from tribal.edges.cli.views.run_report import print_record, record_exit_code
    from tribal.identity.locations import CATALOG_OVERVIEW_PAGE, DOCS

    record = work.record
    if as_json:
        print_json(record)
    else:
        indexed = ""
        if work.indexed is not None:
            done = work.indexed
            indexed = f"index of {counted(done.files_total, 'file')} up to date" + (
                f", {done.files_failed} failed" * bool(done.files_failed)
            )
        print_record(record, indexed)
        typer.echo(f"Documents: {settings.address(DOCS + CATALOG_OVERVIEW_PAGE)}")
        if settings.bucket is not None and record.command == "document":
            next_step = f"{next_step} A deployed environment indexes new documents in its bucket automatically."
        typer.echo(next_step)
        if record.command != "index":
            _look(settings, open_page=open_page)
    raise typer.Exit(record_exit_code(record, strict=strict))


def _look(settings: Settings, *, open_page: bool) -> None:
    """Print the HTML page of all documents as a clickable address, and open it if requested."""
    from tribal.identity.locations import DOCS, SITE_PAGE

    if settings.bucket is not None:
        typer.echo(f"View: aws s3 cp {settings.address(DOCS + SITE_PAGE)} . (everything on one page)")
        return
    page = settings.store / DOCS / SITE_PAGE
    if not page.is_file():
        return
    typer.echo(f"View: {page.as_uri()}")
    if open_page and sys.stdout.isatty():
        import webbrowser

        webbrowser.open(page.as_uri())
