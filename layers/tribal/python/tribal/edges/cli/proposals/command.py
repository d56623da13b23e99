"""`tribal proposals`: lists, shows, accepts and rejects descriptions that agents propose."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from tribal.edges.cli.console import command, counted, print_json
from tribal.edges.cli.hints import as_typed
from tribal.edges.cli.options import Json, Project, client_of, opened_folder, refuse_with_profile
from tribal.ports.capability import USE_STORE

if TYPE_CHECKING:
    from tribal.documenting.corrections import AnnotationChange
    from tribal.ports import Application, Caller
    from tribal_contracts.proposals.tools import ClosedProposal, ListedProposal, ProposalList

_HERE = Path()
_LISTED_CHARS = 100
_CONTEXT_LINES = 3
_Id = Annotated[str, typer.Argument(metavar="ID", help="The id of the proposal, as tribal proposals shows it.")]

proposals = typer.Typer(add_completion=False, rich_markup_mode=None, invoke_without_command=True)


@proposals.callback()
@command
def list_proposals(context: typer.Context, project: Project = _HERE, as_json: Json = False) -> None:
    """List descriptions that agents propose, newest first; show, accept or reject one."""
    if context.invoked_subcommand is not None:
        return
    with _opened(context, project) as service:
        found = service.listed()
    if as_json:
        print_json({"success": True, **found.model_dump(mode="json")})
        return
    for each in found.proposals:
        _print_listed(each)
    place = context.obj or project
    if not found.total:
        typer.echo("No proposal is waiting.")
    else:
        typer.echo(f"{counted(found.total, 'proposal')}; {as_typed('proposals show ID', place)} shows one in full.")


@proposals.command("show", epilog="tribal proposals show ID")
@command
def show(context: typer.Context, name: _Id, project: Project = _HERE, as_json: Json = False) -> None:
    """Show a proposal in full: the text before, and the one that is proposed."""
    with _opened(context, project) as service:
        found = service.open(name)
    if as_json:
        print_json({"success": True, **found.model_dump(mode="json")})
        return
    _print(f"{_target(found)}, proposed by {found.by} at {found.at}")
    _print(f"Before:\n{_indented(found.before or '(nothing)')}")
    _print(f"Proposed:\n{_indented(found.description)}")
    place = context.obj or project
    accept = "" if isinstance(place, str) else f"{as_typed(f'proposals accept {found.id}', place)} or "
    typer.echo(f"Next: {accept}{as_typed(f'proposals reject {found.id}', place)}")


@proposals.command("accept", epilog="tribal proposals accept ID --text 'Void invoices have status 3.'")
@command
def accept(
    context: typer.Context,
    name: _Id,
    text: Annotated[
        Optional[str],  # noqa: UP045 - typer reads it at run time
        typer.Option("--text", metavar="TEXT", help="Write this text instead of the proposed one."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before the text is written.")] = False,
    project: Project = _HERE,
    as_json: Json = False,
) -> None:
    """Accept a proposal: write its text, or a better one, to the annotations file of its database.

    Shows the text that is there now and the difference first, and asks before it writes.
    """
    refuse_with_profile(
        context,
        "proposals accept",
        f"the environment takes no corrections over its API; {USE_STORE}, and run `tribal index` there first",
    )
    from tribal_contracts.documentation.corrections import LONGEST_WORDS

    if text is not None and not 0 < len(text.strip()) <= LONGEST_WORDS:
        raise typer.BadParameter(f"it needs 1 to {LONGEST_WORDS:,} characters", param_hint="--text")
    with opened_folder(project) as (app, caller):
        acceptance = _acceptance(name, text, app, caller)
        _confirm(acceptance, asks=not yes, as_json=as_json)
        closed = acceptance.write(app, caller)
    if as_json:
        print_json({"success": True, "id": closed.id, "outcome": closed.outcome, "file": acceptance.change.key})
        return
    typer.echo(f"{closed.id} is {closed.outcome}; documents show the text after the next {as_typed('run', project)}.")


@proposals.command("reject", epilog="tribal proposals reject ID")
@command
def reject(context: typer.Context, name: _Id, project: Project = _HERE, as_json: Json = False) -> None:
    """Reject a proposal; its caller cannot propose exactly that text again."""
    with _opened(context, project) as service:
        closed = service.reject(name)
    if as_json:
        print_json({"success": True, "id": closed.id, "outcome": closed.outcome})
    else:
        typer.echo(f"{closed.id} is {closed.outcome}.")


@dataclass(frozen=True, slots=True)
class _Proposals:
    """Proposals of a folder or of an environment."""

    listed: Callable[[], ProposalList]
    open: Callable[[str], ListedProposal]
    reject: Callable[[str], ClosedProposal]


@contextmanager
def _opened(context: typer.Context, project: Path) -> Iterator[_Proposals]:
    if context.obj is not None:
        yield _deployed(context)
        return
    from tribal.capabilities.proposals.deciding import Proposals

    with opened_folder(project) as (app, caller):
        service = Proposals(app, caller)
        yield _Proposals(service.listed, service.open, service.reject)


def _deployed(context: typer.Context) -> _Proposals:
    from tribal.capabilities.proposals.deciding import not_found
    from tribal.capabilities.proposals.files import is_proposal_id
    from tribal.edges.http.proposals import PROPOSAL, PROPOSALS
    from tribal_contracts.proposals.tools import ClosedProposal, ProposalList

    client = client_of(context)

    def listed() -> ProposalList:
        return client.send("GET", PROPOSALS, ProposalList)

    def found(name: str) -> ListedProposal:
        proposal = next((each for each in listed().proposals if each.id == name), None)
        if proposal is None:
            raise not_found(name)
        return proposal

    def reject(name: str) -> ClosedProposal:
        if not is_proposal_id(name):
            raise not_found(name)
        return client.send("DELETE", PROPOSAL.replace("{id}", name), ClosedProposal)

    return _Proposals(listed, found, reject)


@dataclass(frozen=True, slots=True)
class _Acceptance:
    """A proposal that is about to be accepted."""

    proposal: ListedProposal
    now: str
    """The text that is there now: the one in the annotations file, or else the documented one."""
    words: str
    """The text to write."""
    change: AnnotationChange

    def write(self, app: Application, caller: Caller) -> ClosedProposal:
        """Write the text, then close the proposal: a process that is killed in between leaves it open.

        Raises:
            CorrectionOutdated: when someone changed the annotations file in the meantime.
        """
        from tribal.capabilities.proposals.deciding import Proposals

        self.change.write(app.store())
        return Proposals(app, caller).accept(self.proposal, self.words)


def _acceptance(name: str, text: str | None, app: Application, caller: Caller) -> _Acceptance:
    """Return what accepting a proposal would change; writes nothing.

    Raises:
        ProposalNotFound, ProposalClosed: when it is not open.
        TableNotFound, ColumnNotFound: when what it describes is gone; it stays open.
        ConfigurationError: when the annotations file cannot be changed.
    """
    from tribal.answering.visible_tables import visible_tables
    from tribal.capabilities.proposals.deciding import Proposals
    from tribal.capabilities.proposals.proposing import described
    from tribal.documenting.corrections import Subject, propose, written_texts
    from tribal.errors import TableNotFound

    proposal = Proposals(app, caller).open(name)
    words = proposal.description if text is None else text.strip()
    with visible_tables(caller, app) as tables:
        table = tables.named(proposal.table)
    if table is None:
        raise TableNotFound(
            f"{proposal.table} is no longer documented, so its description cannot be accepted; reject it with "
            f"`tribal proposals reject {name}`"
        )
    if proposal.column is not None:
        table.column(proposal.column)
    document = table.bounded
    subject = Subject((document.schema_, document.table), column=proposal.column)
    now = written_texts(app.store(), document.database)(subject) or described(document, proposal.column)
    return _Acceptance(proposal, now, words, propose(app.store(), document.database, subject, words))


def _confirm(acceptance: _Acceptance, *, asks: bool, as_json: bool) -> None:
    """Print what accepting a proposal would change, and ask on a terminal before it is written."""
    is_error = asks or as_json
    _print(f"{_target(acceptance.proposal)} now:\n{_indented(acceptance.now or '(nothing)')}", err=is_error)
    if difference := acceptance.change.difference(_CONTEXT_LINES):
        _print(difference, err=is_error)
    if not asks:
        return
    if not sys.stdin.isatty():
        raise typer.BadParameter("nothing was written: confirm on a terminal, or with --yes", param_hint="--yes")
    typer.confirm("Write it?", abort=True, err=True)


def _target(proposal: ListedProposal) -> str:
    from tribal.identity.table_names import TableIdentity
    from tribal.identity.targets import target_name

    return target_name(TableIdentity.parse(proposal.table), proposal.column)


def _print_listed(proposal: ListedProposal) -> None:
    _print(f"{proposal.id}  {_target(proposal)}  {proposal.at[:16].replace('T', ' ')}  by {proposal.by}")
    _print(f"    before: {_shortened(proposal.before) or '(nothing)'}")
    _print(f"    after:  {_shortened(proposal.description)}")


def _shortened(text: str) -> str:
    from tribal.rendering.markdown import one_line
    from tribal.rendering.words import shorten

    return shorten(one_line(text), _LISTED_CHARS)


def _indented(text: str) -> str:
    return "\n".join(f"    {line}".rstrip() for line in text.split("\n"))


def _print(text: str, *, err: bool = False) -> None:
    """Print text as it is, except for control characters."""
    from tribal.rendering.markdown import show_invisible

    typer.echo(show_invisible(text, keep="\n\t"), err=err)
