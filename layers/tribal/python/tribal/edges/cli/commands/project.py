"""`tribal init` and `tribal check`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from tribal.edges.cli.console import command, print_json
from tribal.edges.cli.databases import lists_none, with_databases
from tribal.edges.cli.hints import as_typed
from tribal.edges.cli.options import Dsn, Json, NoSamples, Project

if TYPE_CHECKING:
    from tribal.edges.cli.project.answers import Answers
    from tribal.edges.cli.project.check_view import CheckReport
    from tribal.ports import CatalogReader
    from tribal.settings import Settings
    from tribal_contracts import DatabaseEntry, DatabaseType

_HERE = Path()
_PRODUCTS: dict[DatabaseType, str] = {"postgres": "PostgreSQL", "snowflake": "Snowflake"}


@command
def init(
    dsn: Dsn = None,
    project: Project = _HERE,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing databases.yaml.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Ask nothing; take the defaults.")] = False,
    editor_schema: Annotated[
        bool, typer.Option("--editor-schema", help="Write only databases.schema.json, for your own databases.yaml.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Write a commented databases.yaml and its schema.

    On a terminal it asks at most four questions: where the database is, which environment variable has the password,
    whether rows may be read, and who describes tables. What the DSN answers is not asked. A password is never written.
    """
    from tribal.edges.cli.project.answers import default_answers
    from tribal.edges.cli.project.project_files import SCHEMA_LINE, project_text, shipped_schema, write_file
    from tribal.errors import ConfigurationError
    from tribal.settings import PROJECT_FILE, SCHEMA_FILE, read_environment

    file, schema_file = project / PROJECT_FILE, project / SCHEMA_FILE
    if editor_schema:
        if dsn is not None:
            raise ConfigurationError("--editor-schema writes only the schema; leave out the DSN")
        write_file(schema_file, shipped_schema())
        if as_json:
            print_json({"success": True, "schema": str(schema_file)})
        else:
            typer.echo(f"Wrote {schema_file}. Editors read it if {PROJECT_FILE} starts with this line:\n{SCHEMA_LINE}")
        return
    if file.exists() and not force:
        raise ConfigurationError(f"{file} already exists; edit it, or replace it with --force")
    environment = read_environment()
    on_terminal = all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))
    asks = on_terminal and not (yes or as_json)
    answers = _asked(dsn, environment) if asks else default_answers(dsn, environment)
    write_file(schema_file, shipped_schema())
    write_file(file, project_text(answers).encode())
    if as_json:
        print_json({"success": True, "file": str(file), "schema": str(schema_file)})
        return
    typer.echo(f"Wrote {file}, and {SCHEMA_FILE} for editors.")
    unset = " and ".join(name for name in answers.variables if not environment.get(name))
    typer.echo(
        f"Next: {f'set {unset}, then ' * bool(unset)}run {as_typed('check', project)} and {as_typed('run', project)}."
    )


def _asked(dsn: str | None, environment: Mapping[str, str]) -> Answers:
    """The answers of the user."""
    from tribal.edges.cli.project.questions import ask_questions
    from tribal.errors import EXIT_INTERRUPTED

    try:
        answers = ask_questions(dsn, environment)
    except (typer.Abort, KeyboardInterrupt):
        typer.echo("\nstopped; nothing was written", err=True)
        raise typer.Exit(EXIT_INTERRUPTED) from None
    typer.echo()
    return answers


@command
def check(
    dsn: Dsn = None,
    project: Project = _HERE,
    sql: Annotated[bool, typer.Option("--sql", help="Print every statement that tribal may send.")] = False,
    prompt: Annotated[
        Optional[str],  # noqa: UP045 - typer reads it at run time
        typer.Option(
            "--prompt", metavar="TABLE", help="Print what would be sent to a model about a table.", show_default=False
        ),
    ] = None,
    no_samples: NoSamples = False,
    ask: Annotated[
        bool,
        typer.Option("--ask", help="Test the model that describes tables, and ask each other model for one word."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Show what works, what is missing and what to do next.

    Connects to each database and reads its structure, but no rows: what can be read, and which GRANTs are missing.
    Lists objects that the server fails to render; a run documents everything else. Then checks whether the models,
    packages, folders and repositories that databases.yaml needs are there.
    With --ask it tests the model that describes tables: it asks about five built-in tables, sends nothing of your
    databases, and records the result, which `tribal run` obeys. First it says what that may cost.
    With --sql it does not connect: it prints every statement that Tribal Knowledge may send, for an administrator to
    review.
    With --prompt it prints exactly what a run would send to the model about a table of the last plan, one request per
    line, and sends nothing. It takes samples as a run does; --no-samples leaves them out.
    """
    from tribal.edges.cli.project.check_view import next_step, print_report
    from tribal.errors import ConfigurationError
    from tribal.settings import load_settings

    settings = load_settings(project=project, dsn=dsn, take_samples=not no_samples)
    if prompt is not None:
        if sql:
            raise ConfigurationError("--sql and --prompt print different things; give one of them")
        from tribal.edges.cli.commands.prompt import print_prompt

        print_prompt(settings, prompt, as_json=as_json)
        return
    if sql:
        _print_statements(settings, as_json=as_json)
        return
    _note_other_schema(project)
    report = _checked(settings, ask=ask)
    step = next_step(report, as_typed("check", project, dsn), as_typed("run", project, dsn))
    if as_json:
        print_json(report.data(step))
    else:
        print_report(report, step)
    raise typer.Exit(report.exit_code)


def _print_statements(settings: Settings, *, as_json: bool) -> None:
    """The statements for the configured types of databases, or for all types if none is configured."""
    from tribal.app.local import statements

    kinds = {entry.type for entry in settings.entries} or set(_PRODUCTS)
    sent = {kind: statements(kind) for kind in _PRODUCTS if kind in kinds}
    if as_json:
        listed = [
            {"database_type": kind, "purpose": statement.purpose, "sql": statement.sql}
            for kind, some in sent.items()
            for statement in some
        ]
        print_json({"statements": listed})
        return
    for kind, some in sent.items():
        typer.echo(f"-- Every statement that is sent to {_PRODUCTS[kind]}. {{...}} marks a placeholder.")
        for statement in some:
            typer.echo(f"\n-- {statement.purpose}\n{statement.sql.strip()};")


def _checked(settings: Settings, *, ask: bool) -> CheckReport:
    from tribal.app.local import local_application
    from tribal.edges.cli.project.check_view import CheckReport
    from tribal.edges.cli.project.model_view import RunEstimate, announce
    from tribal.errors import EXIT_PARTIAL
    from tribal.identity.expansion import expanded

    settings = settings if lists_none(settings) else with_databases(settings)
    run = local_application(settings).run
    entries = expanded(settings.entries, settings.found)
    databases = [_access(run.open_reader, entry) for entry in entries]
    if ask:
        announce(run.model_announcements())
    models, sections = run.model_readiness(ask), run.section_readiness()
    is_missing = any(model.problem for model in models) or any(section.missing for section in sections)
    exit_code = max((code for _, code in databases), default=0) or EXIT_PARTIAL * is_missing
    described = {entry.name for entry in entries if entry.describer != "rules"}
    tables = sum(data.get("tables_total", 0) for data, _ in databases if data["name"] in described)
    estimates = (RunEstimate.of(model, tables) for model in models)
    estimate = next((each for each in estimates if each is not None), None)
    return CheckReport([data for data, _ in databases], models, sections, exit_code, estimate)


def _access(open_reader: Callable[[DatabaseEntry], CatalogReader], entry: DatabaseEntry) -> tuple[dict[str, Any], int]:
    """Return what can be read of a database, as JSON, with the exit code."""
    from tribal.edges.cli.project.check_view import access_data
    from tribal.errors import EXIT_PARTIAL, ConfigurationError, DatabaseError
    from tribal.planning import is_selected

    try:
        with closing(open_reader(entry)) as reader:
            report = reader.access()
    except (ConfigurationError, DatabaseError) as error:
        return {"name": entry.name, "reachable": False, "error": error.message}, error.exit_code
    broken = [each for each in report.broken if is_selected(entry, each.schema, each.table)]
    data = {"name": entry.name, "reachable": True, **access_data(report, broken)}
    return data, EXIT_PARTIAL if report.missing or broken else 0


def _note_other_schema(project: Path) -> None:
    """Say so if the schema for editors is that of another version."""
    from tribal.edges.cli.project.project_files import shipped_schema
    from tribal.settings import SCHEMA_FILE

    file = project / SCHEMA_FILE
    if file.is_file() and file.read_bytes() != shipped_schema():
        typer.echo(
            f"note: {file} is of another version; {as_typed('init --editor-schema', project)} renews it", err=True
        )
