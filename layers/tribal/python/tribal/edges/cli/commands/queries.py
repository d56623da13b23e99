"""`tribal queries`: lists verified queries, and verifies one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tribal.edges.cli.console import command, console, counted, print_json
from tribal.edges.cli.options import Json, Project, documented

if TYPE_CHECKING:
    from tribal.ports import ObjectStore
    from tribal_contracts import Definitions, VerifiedQuery

_HERE = Path()

queries = typer.Typer(add_completion=False, rich_markup_mode=None, invoke_without_command=True)


@queries.callback()
@command
def list_queries(context: typer.Context, project: Project = _HERE, as_json: Json = False) -> None:
    """List verified queries and their status, or verify one.

    Checks the files below queries/ against the documents. A query is current; changed, if a table that it uses has
    changed since it was verified; or broken, if its SQL does not fit the documented tables.
    """
    if context.invoked_subcommand is not None:
        return
    from tribal.documenting.definitions.published import current_definitions

    found = current_definitions(documented(context, project)[0].store())
    if as_json:
        print_json(
            {
                "success": True,
                "queries": [_data(query) for query in found.queries],
                "unusable": [each.model_dump() for each in found.unusable],
                "ignored_files": found.ignored_files,
            }
        )
        return
    _print_list(found)


@queries.command("verify", epilog="tribal queries verify queries/unpaid.sql")
@command
def verify(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file with the query, below queries/.")],
    project: Project = _HERE,
    as_json: Json = False,
) -> None:
    """Check a query against the documents, and write today's date into its header.

    Run it after reading what the query returns: the date says that a person has found it right. A query that does not
    fit the documented tables keeps its date, and means exit code 1.
    """
    from tribal.documenting.definitions.verify import verify_query
    from tribal.errors import EXIT_PARTIAL

    app, _ = documented(context, project)
    found = verify_query(_key(file, app.store()), app.store(), app.clock.published()[:10])
    if as_json:
        print_json({"success": not found.problems, "query": _data(found)})
    else:
        for problem in found.problems:
            typer.echo(f"{found.file}:{problem.line}: {problem.message}")
        if not found.problems:
            typer.echo(f"{found.file}: verified {found.verified}, with {counted(len(found.tables), 'table')}.")
    if found.problems:
        raise typer.Exit(EXIT_PARTIAL)


def _key(file: Path, store: ObjectStore) -> str:
    """Return the key of a file that is named by its path in the folder of the store, or by its key."""
    place, folder = file.resolve(), Path(store.location)
    if place.is_file() and folder.is_absolute() and place.is_relative_to(folder.resolve()):
        return place.relative_to(folder.resolve()).as_posix()
    return file.as_posix()


def _data(query: VerifiedQuery) -> dict[str, Any]:
    return query.model_dump(exclude={"sql", "verified_with", "is_bounded", "is_safe"})


def _print_list(found: Definitions) -> None:
    from tribal.edges.cli.safe_console import escape
    from tribal.edges.cli.tools.layout import print_grid
    from tribal.identity.table_states import change_text

    out = console()
    rows = [
        (query.status, escape("; ".join(query.questions)), escape(query.file), escape(", ".join(query.tables)))
        for query in found.queries
    ]
    print_grid(out, ("status", "question", "file", "tables"), rows)
    for query in found.queries:
        for problem in query.problems:
            out.print(escape(f"{query.file}:{problem.line}: {problem.message}"), soft_wrap=True)
        if query.status == "changed":
            for change in query.changes:
                out.print(escape(f"{query.file}: since it was verified, {change_text(change)}"), soft_wrap=True)
    for file in found.unusable:
        out.print(escape(f"{file.file}:{file.line}: {file.message}"), soft_wrap=True)
    ignored = f"; {counted(found.ignored_files, 'SQL file')} without a header ignored" if found.ignored_files else ""
    count = len(found.queries)
    out.print(f"{count:,} verified {'query' if count == 1 else 'queries'}{ignored}.")
