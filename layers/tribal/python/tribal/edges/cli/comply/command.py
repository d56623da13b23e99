"""`tribal comply`: checks files and documented tables against decisions and policies."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from tribal.edges.cli.console import command, counted, print_json
from tribal.edges.cli.options import Json, Project

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tribal.capabilities.knowledge.policies.checking import Rule
    from tribal.edges.cli.comply.files import CheckedFiles
    from tribal_contracts.knowledge import KnowledgeCheckOutput, PolicyViolation, Severity

_HERE = Path()
_MAX_SHOWN = 10_000
"""Maximum number of violations to print: a hostile file could have a million."""


@command
def comply(
    paths: Annotated[
        Optional[list[Path]],  # noqa: UP045 - typer reads it at run time
        typer.Argument(metavar="[PATH]...", help="Files or folders.", show_default=False),
    ] = None,
    changed: Annotated[
        bool, typer.Option("--changed", help="Only files that changed according to git: staged, unstaged or new.")
    ] = False,
    since: Annotated[
        Optional[str],  # noqa: UP045 - typer reads it at run time
        typer.Option("--since", metavar="COMMIT", help="With --changed: include changes since this commit."),
    ] = None,
    tables: Annotated[
        Optional[list[str]],  # noqa: UP045 - typer reads it at run time
        typer.Option(
            "--tables", metavar="GLOB", help="Documented tables, such as 'shop.billing.*'; may be given several times."
        ),
    ] = None,
    item: Annotated[
        Optional[list[str]],  # noqa: UP045 - typer reads it at run time
        typer.Option("--item", metavar="ID", help="Only this decision or policy; may be given several times."),
    ] = None,
    min_severity: Annotated[
        str, typer.Option("--min-severity", metavar="info|warn|block", help="Leave out less severe ones.")
    ] = "warn",
    form: Annotated[str, typer.Option("--format", metavar="text|json|sarif", help="sarif is for code hosts.")] = "text",
    project: Project = _HERE,
    as_json: Json = False,
) -> None:
    """Check code, SQL and tables against decisions and policies.

    Dependencies are checked too. Exits with 1 when a violation blocks. Paths and globs are relative to the project
    folder, else to the root of the checkout. Something required but missing is found only if that folder is checked as
    a whole. Files that git ignores are skipped.
    """
    from tribal.edges.cli.comply.files import CheckedFiles, changed_files, files_of
    from tribal.errors import EXIT_PARTIAL
    from tribal.rendering.sarif import sarif

    least = _severity(min_severity)
    if form not in ("text", "json", "sarif"):
        raise typer.BadParameter("text, json or sarif", param_hint="--format")
    if since is not None and not changed:
        raise typer.BadParameter("needs --changed", param_hint="--since")
    if changed:
        found = changed_files(paths or [], since, project)
    elif paths or not tables:
        found = files_of(paths or [_HERE], project)
    else:
        found = CheckedFiles(project.resolve())
    answer, rules = _checked(project, found, tables or (), item, least)
    if as_json or form == "json":
        print_json(answer)
    elif form == "sarif":
        import tribal

        typer.echo(json.dumps(sarif(answer.violations, tribal.__version__), indent=2))
        _print_notes(answer)
    else:
        _print(answer, found, rules, len(tables or ()))
    if not answer.passed:
        raise typer.Exit(EXIT_PARTIAL)


def _severity(text: str) -> Severity:
    severities: dict[str, Severity] = {"info": "info", "warn": "warn", "block": "block"}
    if text not in severities:
        raise typer.BadParameter("info, warn or block", param_hint="--min-severity")
    return severities[text]


def _checked(
    project: Path, found: CheckedFiles, tables: Sequence[str], items: Sequence[str] | None, least: Severity
) -> tuple[KnowledgeCheckOutput, Sequence[Rule]]:
    from tribal.app.local import local_application
    from tribal.capabilities.knowledge.check import CheckRequest, check_evidence, rules_of
    from tribal.capabilities.knowledge.documented_tables import DocumentedTables
    from tribal.capabilities.knowledge.snapshots.visible_items import visible_items
    from tribal.capabilities.knowledge.tools import parts_of
    from tribal.edges.local_caller import local_caller
    from tribal.settings import load_settings

    settings = load_settings(project=project, needs_databases=False)
    with closing(local_application(settings)) as app:
        caller = local_caller(settings)
        visible = visible_items(caller, app)
        rules = rules_of(visible, items or None)
        request = CheckRequest(
            found.files, tables, found.is_whole, least, most=_MAX_SHOWN, find=found.find, notes_unapplied=True
        )
        parts = parts_of(app)
        documented = DocumentedTables(app.index(), caller.scope, parts.databases)
        warnings = [*visible.unusable, *found.warnings]
        return check_evidence(request, rules, documented, warnings, parts.reading_files(None)), rules


def _print(answer: KnowledgeCheckOutput, found: CheckedFiles, rules: Sequence[Rule], globs: int) -> None:
    from tribal.rendering.markdown import show_invisible

    for each in answer.violations:
        typer.echo(show_invisible(_line(each)))
    if answer.truncated:
        typer.echo(
            f"note: only the {_MAX_SHOWN:,} most severe violations are shown; check fewer files to see the rest",
            err=True,
        )
    _print_notes(answer)
    items = len({rule.item_id for rule in rules})
    counts = answer.summary
    looked = [counted(len(found.files), "file")] if found.files or not globs else []
    looked += [f"{counted(globs, 'glob')} of tables"] if globs else []
    typer.echo(
        f"{'passed' if answer.passed else 'BLOCKED'}: {counts.block} block, {counts.warn} warn, {counts.info} info in"
        f" {' and '.join(looked)}, by {counted(len(rules), 'constraint')} of {counted(items, 'item')}"
    )


def _print_notes(answer: KnowledgeCheckOutput) -> None:
    from tribal.rendering.markdown import show_invisible

    for warning in answer.warnings or ():
        typer.echo(f"note: {show_invisible(warning)}", err=True)


def _line(violation: PolicyViolation) -> str:
    place = violation.location
    where = "" if place is None else f"{place.file}:{place.line}: " if place.line else f"{place.file}: "
    said = " ".join(violation.message.split())
    return f"{where}{violation.severity}: {said} [{violation.knowledge_item_id}: {violation.knowledge_item_title}]"
