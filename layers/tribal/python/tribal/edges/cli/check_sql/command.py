"""`tribal check-sql`: checks files of SQL against the documented tables."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from tribal.edges.cli.completion.names import databases
from tribal.edges.cli.console import command, counted, print_json
from tribal.edges.cli.options import Json, Project

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tribal.edges.cli.tools.calling import Call
    from tribal_contracts import CheckSqlOutput, SqlFinding

    Checked = Sequence[tuple[str, CheckSqlOutput]]

_HERE = Path()
_STANDARD_INPUT = "-"
_SHOWN_AS = "<stdin>"
_MOST_BYTES = 1 << 20
"""Not more is read of a file; the check itself refuses far less."""


@command
def check_sql(
    context: typer.Context,
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Files with one query each; - is stdin.")],
    database: Annotated[
        Optional[str],  # noqa: UP045 - typer reads it at run time
        typer.Option(
            "--database",
            metavar="NAME",
            help="The documented database; needed where there are several.",
            autocompletion=databases,
        ),
    ] = None,
    schema: Annotated[
        Optional[str],  # noqa: UP045 - typer reads it at run time
        typer.Option("--schema", metavar="NAME", help="Where tables without a schema are."),
    ] = None,
    as_sarif: Annotated[bool, typer.Option("--sarif", help="Print SARIF, for code hosts.")] = False,
    project: Project = _HERE,
    as_json: Json = False,
) -> None:
    """Check queries against the documented tables.

    Needs no database. Finds unknown and ambiguous names, values that a column never holds, joins that follow no key or
    only a part of one, sums over repeated rows, and violated policies. Models of dbt are understood as far as they use
    ref and source. Exits with 1 when there are errors; warnings alone exit with 0.
    """
    from tribal.edges.cli.tools.calling import opened_tools
    from tribal.errors import EXIT_PARTIAL

    if as_sarif and as_json:
        raise typer.BadParameter("give --json or --sarif, not both", param_hint="--sarif")
    texts = [(_SHOWN_AS if file == _STANDARD_INPUT else file, _read(file)) for file in files]
    with opened_tools(context, project) as call:
        checked = _check(texts, {"database": database, "schema": schema}, call)
    if as_json:
        print_json(_data(checked))
    elif as_sarif:
        typer.echo(json.dumps(_sarif(checked), indent=2))
    else:
        _print(checked)
    if not all(answer.valid for _, answer in checked):
        raise typer.Exit(EXIT_PARTIAL)


def _read(file: str) -> str:
    try:
        if file == _STANDARD_INPUT:
            data = sys.stdin.buffer.read(_MOST_BYTES)
        else:
            with Path(file).open("rb") as opened:
                data = opened.read(_MOST_BYTES)
        return data.decode("utf-8-sig")
    except OSError as error:
        raise typer.BadParameter(f"cannot read {file}: {error.strerror or error}", param_hint="FILE") from error
    except UnicodeDecodeError as error:
        raise typer.BadParameter(f"{file} is not UTF-8; save it as UTF-8", param_hint="FILE") from error


def _check(texts: Sequence[tuple[str, str]], arguments: dict[str, str | None], call: Call) -> Checked:
    from tribal.tools.call import succeeded

    given = {name: value for name, value in arguments.items() if value is not None}
    return [(file, succeeded("check_sql", call("check_sql", {"sql": text, **given}))) for file, text in texts]


def _data(checked: Checked) -> dict[str, Any]:
    fields = {"valid", "findings", "tables", "columns", "not_checked", "notes"}
    return {
        "success": True,
        "valid": all(answer.valid for _, answer in checked),
        "files": [{"file": file, **answer.model_dump(include=fields)} for file, answer in checked],
    }


def _sarif(checked: Checked) -> dict[str, Any]:
    import tribal
    from tribal.rendering.sarif import sql_sarif

    return sql_sarif([(file, each) for file, answer in checked for each in answer.findings], tribal.__version__)


def _print(checked: Checked) -> None:
    from tribal.rendering.markdown import show_invisible

    for file, answer in checked:
        for finding in answer.findings:
            for line in _lines(file, finding):
                typer.echo(show_invisible(line))
        for text in answer.not_checked:
            typer.echo(f"{show_invisible(file)}: not checked: {show_invisible(text)}", err=True)
        for text in answer.notes or ():
            typer.echo(f"{show_invisible(file)}: note: {show_invisible(text)}", err=True)
        for warning in answer.warnings or ():
            typer.echo(f"{show_invisible(file)}: note: {show_invisible(warning.message)}", err=True)
    found = [each.severity for _, answer in checked for each in answer.findings]
    errors, warnings = found.count("error"), found.count("warning")
    typer.echo(f"{counted(errors, 'error')}, {counted(warnings, 'warning')} in {counted(len(checked), 'file')}")


def _lines(file: str, finding: SqlFinding) -> Iterator[str]:
    message = " ".join(finding.message.split())
    yield f"{file}:{finding.line}:{finding.column}: {finding.severity}: {message} [{finding.code}]"
    if finding.suggestion is not None:
        yield f"    perhaps: {' '.join(finding.suggestion.split())}"
