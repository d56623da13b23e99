"""`tribal contribute`: carries descriptions back to the repositories that create the tables."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from tribal.edges.cli.completion.names import tables
from tribal.edges.cli.console import command, print_json
from tribal.edges.cli.hints import as_typed
from tribal.edges.cli.options import Json, Project, refuse_with_profile
from tribal.ports.capability import USE_STORE

if TYPE_CHECKING:
    from tribal.edges.cli.contribution.clients import Shown
    from tribal.edges.cli.hints import Place
    from tribal_contracts.contribution.tools import ContributionOutput

_HERE = Path()
_Cycle = Annotated[int, typer.Argument(metavar="N", min=1, help="The number of the contribution.")]
_AnyCycle = Annotated[
    Optional[int],  # noqa: UP045 - typer reads it at run time
    typer.Argument(metavar="[N]", min=1, help="The number of the contribution; the newest one if left out."),
]
_ModelProse = Annotated[bool, typer.Option("--model-prose", help="Offer descriptions that a model wrote, too.")]

contribute = typer.Typer(add_completion=False, rich_markup_mode=None, no_args_is_help=True)


@contribute.command("list", epilog="tribal contribute list --table billing.invoice")
@command
def list_offers(
    context: typer.Context,
    table: Annotated[
        Optional[str],  # noqa: UP045 - typer reads it at run time
        typer.Option("--table", metavar="TABLE", help="Only descriptions of this table.", autocompletion=tables),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Also those that are merged or in the database.")] = False,
    model_prose: _ModelProse = False,
    limit: Annotated[int, typer.Option("--limit", min=1, max=200, help="How many to list.")] = 50,
    project: Project = _HERE,
    as_json: Json = False,
) -> None:
    """List descriptions that could be contributed, conflicts, and repositories without a recipe."""
    from tribal.edges.cli.contribution.clients import opened_contributions
    from tribal.edges.cli.contribution.views import print_list
    from tribal_contracts.contribution.tools import ListContributionsInput

    request = ListContributionsInput(table=table, model_prose=model_prose, limit=200)
    with opened_contributions(context, project) as service:
        found = service.offers(request)
    if as_json:
        print_json(found)
    else:
        print_list(found, every=every, limit=limit)


@contribute.command("prepare", epilog="tribal contribute prepare --table billing.invoice")
@command
def prepare(
    context: typer.Context,
    tables: Annotated[
        Optional[list[str]],  # noqa: UP045 - typer reads it at run time
        typer.Option(
            "--table", metavar="TABLE", help="Only this table; may be given several times.", autocompletion=tables
        ),
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
    if model is not None:
        refuse_with_profile(
            context,
            "--model",
            "the environment asks the model that `contribution.model` of its file names; leave it out",
        )
    from tribal.edges.cli.contribution.clients import opened_contributions
    from tribal.edges.cli.contribution.views import print_contribution
    from tribal_contracts.contribution.tools import PrepareContributionInput

    request = PrepareContributionInput(
        tables=tables or [], repository=repository, issue=issue, model_prose=model_prose, again=again
    )
    with opened_contributions(context, project, quiet=as_json) as service:
        found = service.prepare(request, model, lambda cost: _confirm(cost, asks=not yes))
    if found is None:
        _print_nothing(context.obj or project, as_json=as_json)
        return
    print_contribution(found, context.obj or project, as_json=as_json)
    _end(found, as_json=as_json)


@contribute.command("show", epilog="tribal contribute show 3")
@command
def show(context: typer.Context, cycle: _AnyCycle = None, project: Project = _HERE, as_json: Json = False) -> None:
    """Show what a contribution would publish: diff, message, text, checks and warnings."""
    from tribal.edges.cli.contribution.clients import opened_contributions
    from tribal.edges.cli.contribution.views import print_contribution

    with opened_contributions(context, project) as service:
        print_contribution(service.contribution(cycle), context.obj or project, as_json=as_json)


@contribute.command("approve", epilog="tribal contribute approve 3")
@command
def approve(context: typer.Context, cycle: _Cycle, project: Project = _HERE, as_json: Json = False) -> None:
    """Look at a contribution once more, approve it at the terminal, and publish it."""
    from tribal.capabilities.contribution.errors import ApprovalMissing
    from tribal.edges.cli.contribution.clients import opened_contributions
    from tribal.edges.cli.contribution.views import print_contribution, print_review

    with opened_contributions(context, project, quiet=as_json) as service:
        shown = service.review(cycle)
        typed = ""
        if not shown.is_approved:
            if not (sys.stdin.isatty() and sys.stderr.isatty()):
                raise ApprovalMissing("a person approves at a terminal; run this command in one")
            print_review(shown)
            typed = _typed(shown)
        found = service.approve(shown, typed)
    print_contribution(found, context.obj or project, as_json=as_json, brief=True)
    _end(found, as_json=as_json)


@contribute.command("follow", epilog="tribal contribute follow")
@command
def follow(context: typer.Context, cycle: _AnyCycle = None, project: Project = _HERE, as_json: Json = False) -> None:
    """See what became of published contributions."""
    from tribal.edges.cli.contribution.clients import opened_contributions
    from tribal.edges.cli.contribution.views import print_followed

    with opened_contributions(context, project, quiet=as_json) as service:
        followed = service.follow(cycle)
    print_followed(followed, context.obj or project, as_json=as_json)
    for found in followed:
        _end(found, as_json=as_json)


@contribute.command("status", epilog="tribal contribute status")
@command
def status(context: typer.Context, project: Project = _HERE, as_json: Json = False) -> None:
    """Show all contributions and what each of them waits for."""
    from tribal.edges.cli.contribution.clients import opened_contributions
    from tribal.edges.cli.contribution.views import print_status

    with opened_contributions(context, project) as service:
        found = service.status()
    if as_json:
        print_json(found.data)
    else:
        print_status(found, context.obj or project)


@contribute.command("abort", epilog="tribal contribute abort 3")
@command
def abort(context: typer.Context, cycle: _Cycle, project: Project = _HERE, as_json: Json = False) -> None:
    """End a contribution; its branch, if it has one, stays."""
    refuse_with_profile(
        context,
        "contribute abort",
        "no tool or route ends a contribution, and one that waits publishes nothing before it is approved; "
        f"{USE_STORE}, and the same `contribution`",
    )
    from tribal.capabilities.contribution.views import contribution_output
    from tribal.edges.cli.contribution.clients import opened_service
    from tribal.edges.cli.contribution.views import print_contribution

    with opened_service(project) as service:
        found = contribution_output(service, service.abort(cycle))
    print_contribution(found, project, as_json=as_json, brief=True)


def _typed(shown: Shown) -> str:
    from tribal.capabilities.contribution.publishing.approving import TYPED

    if shown.sign_off is not None:
        typer.echo(f"The repository asks for a sign-off. Approving adds: Signed-off-by: {shown.sign_off}", err=True)
    try:
        return str(typer.prompt(f"To publish it, type the first {TYPED} characters of the hash", err=True))
    except typer.Abort:
        return ""


def _confirm(cost: str, *, asks: bool) -> None:
    """Print what a model may cost, and ask on a terminal before anything is sent to it."""
    from tribal.capabilities.contribution.errors import ApprovalMissing

    typer.echo(cost, err=True)
    if not asks:
        return
    if not sys.stdin.isatty():
        raise ApprovalMissing("nothing was prepared: confirm on a terminal, or with --yes")
    typer.confirm("Continue?", abort=True, err=True)


def _print_nothing(place: Place, *, as_json: bool) -> None:
    if as_json:
        from tribal_contracts.contribution.tools import ContributionOutput

        print_json(ContributionOutput(success=True, message="There is nothing to contribute."))
    else:
        typer.echo(f"There is nothing to contribute; {as_typed('contribute list', place)} shows why.")


def _end(found: ContributionOutput, *, as_json: bool) -> None:
    """End with the error of a contribution that failed or was blocked, which JSON has said already."""
    from tribal.tools.error_classes import error_from

    if found.error is None:
        return
    problem = error_from(found.error)
    if as_json:
        raise typer.Exit(problem.exit_code)
    if found.outcome == "blocked":
        # The reasons were printed.
        problem.message = f"contribution {found.cycle} is blocked"
    raise problem
