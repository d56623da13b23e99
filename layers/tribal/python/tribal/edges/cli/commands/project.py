"""`tribal init` and `tribal check`."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from tribal.edges.cli.console import command, console, counted, print_json
from tribal.edges.cli.databases import lists_none, with_databases
from tribal.edges.cli.hints import as_typed
from tribal.edges.cli.options import Dsn, Json, NoSamples, Project

if TYPE_CHECKING:
    from tribal.edges.cli.init.answers import Answers
    from tribal.ports import AccessReport, BrokenTexts, ModelReadiness
    from tribal.settings import Settings
    from tribal_contracts import DatabaseType

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
    """Write a commented databases.yaml, and the schema by which editors complete and check it.

    On a terminal it asks at most four questions: where the database is, which environment variable has the password,
    whether rows may be read, and who describes tables. What the DSN answers is not asked. A password is never written.
    """
    from tribal.edges.cli.init.answers import default_answers
    from tribal.edges.cli.init.project_files import SCHEMA_LINE, project_text, shipped_schema, write_file
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
    from tribal.edges.cli.init.questions import ask_questions
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
    ask: Annotated[bool, typer.Option("--ask", help="Send each configured model one request for one word.")] = False,
    as_json: Json = False,
) -> None:
    """Show what can be read, which GRANTs are missing, and whether each model is ready.

    Connects to each database and reads its structure, but no rows. Lists objects that the server fails to render; a run
    documents everything else. With --sql it does not connect: it prints every statement that Tribal Knowledge may send,
    for an administrator to review.
    With --prompt it prints exactly what a run would send to the model about a table of the last plan, one request per
    line, and sends nothing. It takes samples as a run does; --no-samples leaves them out.
    """
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
    _check_access(settings, ask=ask, as_json=as_json)


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


def _check_access(settings: Settings, *, ask: bool, as_json: bool) -> None:
    from tribal.app.local import local_application
    from tribal.errors import EXIT_PARTIAL, DatabaseError
    from tribal.identity.expansion import expanded
    from tribal.planning import is_selected

    settings = settings if lists_none(settings) else with_databases(settings)
    app = local_application(settings)
    open_reader = app.run.open_reader
    results: list[dict[str, Any]] = []
    exit_code = 0
    for entry in expanded(settings.entries, settings.found):
        try:
            reader = open_reader(entry)
            try:
                report = reader.access()
            finally:
                reader.close()
        except DatabaseError as error:
            exit_code = error.exit_code
            results.append({"name": entry.name, "reachable": False, "error": error.message})
            continue
        broken = [each for each in report.broken if is_selected(entry, each.schema, each.table)]
        if (report.missing or broken) and not exit_code:
            exit_code = EXIT_PARTIAL
        results.append({"name": entry.name, "reachable": True, **_report_data(report, broken)})
    models = app.run.model_readiness(ask)
    if any(model.missing for model in models) and not exit_code:
        exit_code = EXIT_PARTIAL
    if as_json:
        model_fields = {"models": [asdict(model) for model in models]} if models else {}
        print_json({"success": exit_code == 0, "databases": results, **model_fields})
    else:
        for result in results:
            _print_access(result)
        if len(results) > 1:
            typer.echo(_summary(results))
        for model in models:
            _print_model(model)
    raise typer.Exit(exit_code)


def _print_model(model: ModelReadiness) -> None:
    from tribal.edges.cli.safe_console import escape

    out = console()
    prices = f": prices from {escape(model.prices)}" * bool(model.prices)
    name = f"[bold]{escape(model.section.replace('.', ' '))} {escape(model.name)}[/]{prices}"
    if model.missing:
        out.print(f"[red]✗[/] {name}\n  {escape(model.missing)}", soft_wrap=True)
        return
    there = "the package and the key are" if model.needs_key else "the package is"
    answered = f"it answered in {(model.answered_ms or 0) / 1000:.1f} s for ${model.usd:.6f}"
    result = f"{there} available; nothing was sent" if model.answered_ms is None else answered
    out.print(f"[green]✓[/] {name}; {result}", soft_wrap=True)


def _summary(results: Sequence[dict[str, Any]]) -> str:
    reached = [result for result in results if result["reachable"]]
    lacking = sum(bool(result["missing"] or result["broken"]) for result in reached)
    parts = [f"{len(reached) - lacking} can be read"]
    if lacking:
        parts.append(f"{lacking} can be read partially")
    if len(reached) < len(results):
        parts.append(f"{len(results) - len(reached)} did not answer or refused the login")
    return f"{counted(len(results), 'database')}: {', '.join(parts)}."


def _report_data(report: AccessReport, broken: Sequence[BrokenTexts]) -> dict[str, Any]:
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
    out.print(
        f"  tables: {result['tables_total']}, {result['tables_selectable']} of which can be sampled; the structure of "
        "the others is documented too"
        if result["tables_total"] != result["tables_selectable"]
        else f"  tables: {result['tables_total']}, all of which can be sampled"
    )
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
