"""`tribal contribute`: carries descriptions back to the repositories that create the tables."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from tribal.edges.cli.console import command, print_json
from tribal.edges.cli.options import Json, Project

if TYPE_CHECKING:
    from tribal.capabilities.contribution.contributions import Contributions, Review
    from tribal_contracts import ModelQuote
    from tribal_contracts.contribution.cycles import CycleRecord

_HERE = Path()
_Cycle = Annotated[int, typer.Argument(metavar="N", min=1, help="The number of the contribution.")]
_AnyCycle = Annotated[
    Optional[int],  # noqa: UP045 - typer reads it at run time
    typer.Argument(metavar="[N]", min=1, help="The number of the contribution; the newest one if left out."),
]
_ModelProse = Annotated[bool, typer.Option("--model-prose", help="Offer descriptions that a model wrote, too.")]

contribute = typer.Typer(add_completion=False, rich_markup_mode=None, no_args_is_help=True)


@contribute.command("list")
@command
def list_offers(
    table: Annotated[
        Optional[str],  # noqa: UP045 - typer reads it at run time
        typer.Option("--table", metavar="TABLE", help="Only descriptions of this table."),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Also those that are merged or in the database.")] = False,
    model_prose: _ModelProse = False,
    limit: Annotated[int, typer.Option("--limit", min=1, max=200, help="How many to list.")] = 50,
    project: Project = _HERE,
    as_json: Json = False,
) -> None:
    """List descriptions that could be contributed, conflicts, and repositories without a recipe."""
    from tribal.capabilities.contribution.views import list_output
    from tribal.edges.cli.contribution.views import print_list
    from tribal_contracts.contribution.tools import ListContributionsInput

    request = ListContributionsInput(table=table, model_prose=model_prose, limit=200)
    with _service(project) as service:
        found = list_output(service, request)
    if as_json:
        print_json(found)
    else:
        print_list(found, every=every, limit=limit)


@contribute.command("prepare")
@command
def prepare(
    tables: Annotated[
        Optional[list[str]],  # noqa: UP045 - typer reads it at run time
        typer.Option("--table", metavar="TABLE", help="Only this table; may be given several times."),
    ] = None,
    repository: Annotated[
        Optional[str],  # noqa: UP045 - typer reads it at run time
        typer.Option("--repository", metavar="NAME", help="Only this repository."),
    ] = None,
    issue: Annotated[
        Optional[str],  # noqa: UP045 - typer reads it at run time
        typer.Option("--issue", metavar="URL", help="What this issue on GitHub asks for."),
    ] = None,
    model_prose: _ModelProse = False,
    again: Annotated[bool, typer.Option("--again", help="Offer descriptions again that were declined.")] = False,
    model: Annotated[
        Optional[str],  # noqa: UP045 - typer reads it at run time
        typer.Option("--model", metavar="NAME", help="The entry of `models` that does what an issue asks for."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before a model costs money.")] = False,
    project: Project = _HERE,
    as_json: Json = False,
) -> None:
    """Prepare a contribution and stop before anything is published."""
    if model is not None and issue is None:
        raise typer.BadParameter("it does what an issue asks for; name one with --issue", param_hint="--model")
    from tribal.edges.cli.contribution.views import print_contribution
    from tribal_contracts.contribution.tools import PrepareContributionInput

    request = PrepareContributionInput(
        tables=tables or [], repository=repository, issue=issue, model_prose=model_prose, again=again
    )
    with _service(project, quiet=as_json) as service:
        record = service.prepare(request, model, lambda quote: _confirm(service, quote, asks=not yes))
        if record is None:
            _print_nothing(as_json=as_json)
            return
        print_contribution(service, record, project, as_json=as_json)
        _end(record, as_json=as_json)


@contribute.command("show")
@command
def show(cycle: _AnyCycle = None, project: Project = _HERE, as_json: Json = False) -> None:
    """Show what a contribution would publish: diff, message, text, checks and warnings."""
    from tribal.edges.cli.contribution.views import print_contribution

    with _service(project) as service:
        print_contribution(service, service.record(cycle), project, as_json=as_json)


@contribute.command("approve")
@command
def approve(cycle: _Cycle, project: Project = _HERE, as_json: Json = False) -> None:
    """Look at a contribution once more, approve it at the terminal, and publish it."""
    from tribal.capabilities.contribution.errors import ApprovalMissing
    from tribal.edges.cli.contribution.views import print_contribution, print_review

    with _service(project, quiet=as_json) as service:
        review = service.review(cycle)
        typed = ""
        if not review.is_approved:
            if not (sys.stdin.isatty() and sys.stderr.isatty()):
                raise ApprovalMissing("a person approves at a terminal; run this command in one")
            print_review(service, review)
            typed = _typed(review)
        record = service.approve(review, typed)
        print_contribution(service, record, project, as_json=as_json, brief=True)
        _end(record, as_json=as_json)


@contribute.command("follow")
@command
def follow(cycle: _AnyCycle = None, project: Project = _HERE, as_json: Json = False) -> None:
    """See what became of published contributions."""
    from tribal.edges.cli.contribution.views import print_followed

    with _service(project, quiet=as_json) as service:
        followed = service.follow(cycle)
        print_followed(service, followed, project, as_json=as_json)
        for record in followed:
            _end(record, as_json=as_json)


@contribute.command("status")
@command
def status(project: Project = _HERE, as_json: Json = False) -> None:
    """Show all contributions and what each of them waits for."""
    from tribal.edges.cli.contribution.views import print_status

    with _service(project) as service:
        found = service.status()
        if as_json:
            print_json(found)
        else:
            print_status(service, found, project)


@contribute.command("abort")
@command
def abort(cycle: _Cycle, project: Project = _HERE, as_json: Json = False) -> None:
    """End a contribution; its branch, if it has one, stays."""
    from tribal.edges.cli.contribution.views import print_contribution

    with _service(project) as service:
        print_contribution(service, service.abort(cycle), project, as_json=as_json, brief=True)


def _typed(review: Review) -> str:
    from tribal.capabilities.contribution.publishing.approving import TYPED

    if review.sign_off is not None:
        typer.echo(f"The repository asks for a sign-off. Approving adds: Signed-off-by: {review.sign_off}", err=True)
    try:
        return str(typer.prompt(f"To publish it, type the first {TYPED} characters of the hash", err=True))
    except typer.Abort:
        return ""


def _confirm(service: Contributions, quote: ModelQuote, *, asks: bool) -> None:
    """Print what a model may cost, and ask on a terminal before anything is sent to it."""
    from tribal.capabilities.contribution.errors import ApprovalMissing
    from tribal.edges.cli.model_view import dollars, quote_text
    from tribal_contracts import NANODOLLARS

    cap = service.parts.settings.per_cycle_usd
    limit = dollars(round(cap * NANODOLLARS))
    typer.echo(f"The model's part is estimated at {quote_text(quote)}; it stops at {limit}.", err=True)
    if not asks:
        return
    if not sys.stdin.isatty():
        raise ApprovalMissing("nothing was prepared: confirm on a terminal, or with --yes")
    typer.confirm("Continue?", abort=True, err=True)


def _print_nothing(*, as_json: bool) -> None:
    if as_json:
        from tribal_contracts.contribution.tools import ContributionOutput

        print_json(ContributionOutput(success=True, message="There is nothing to contribute."))
    else:
        typer.echo("There is nothing to contribute; `tribal contribute list` shows why.")


def _end(record: CycleRecord, *, as_json: bool) -> None:
    """End with the error of a contribution that failed or was blocked, which JSON has said already."""
    from tribal.capabilities.contribution.views import problem_of

    problem = problem_of(record, brief=True)
    if problem is not None and as_json:
        raise typer.Exit(problem.exit_code)
    if problem is not None:
        raise problem


@contextmanager
def _service(project: Path, *, quiet: bool = False) -> Iterator[Contributions]:
    from tribal.app.local import local_application
    from tribal.capabilities.contribution.contributions import Contributions
    from tribal.capabilities.contribution.parts import contribution_parts
    from tribal.edges.local_caller import local_caller
    from tribal.settings import load_settings

    settings = load_settings(project=project, needs_databases=False)
    caller = local_caller(settings)

    def report(line: str) -> None:
        if not quiet:
            typer.echo(f"  {line}", err=True)

    with closing(local_application(settings, limits=False)) as app:
        yield Contributions(app, contribution_parts(app), caller, caller.person, report=report)
