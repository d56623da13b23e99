"""`tribal token`: creates, lists and revokes tokens for `tribal serve`."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from tribal.edges.cli.console import command, counted, print_json
from tribal.edges.cli.options import Json, Project

if TYPE_CHECKING:
    from tribal.ports import ObjectStore
    from tribal_contracts import AccessToken

_HERE = Path()
_DAYS = 90
_MOST_DAYS = 3_650
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}\Z")
MORE_RIGHTS = ("annotations:write", "metrics:read")
"""Rights that no capability or layer of memory needs."""

token = typer.Typer(add_completion=False, rich_markup_mode=None, no_args_is_help=True)


@token.command("create", epilog="tribal token create ada-laptop --scope shop --days 30")
@command
def create(
    name: Annotated[str, typer.Argument(help="The name of the token in lists and logs, such as ada-laptop.")],
    scope: Annotated[
        Optional[list[str]],  # noqa: UP045 - typer reads it at run time
        typer.Option(
            "--scope", metavar="DATABASE[.SCHEMA]", help="What its bearer may see; may be given several times."
        ),
    ] = None,
    right: Annotated[
        Optional[list[str]],  # noqa: UP045 - typer reads it at run time
        typer.Option("--right", metavar="RIGHT", help="What its bearer may do; by default, read."),
    ] = None,
    days: Annotated[int, typer.Option(help="Days until it expires.", min=1, max=_MOST_DAYS)] = _DAYS,
    project: Project = _HERE,
    as_json: Json = False,
) -> None:
    """Create a token and show it once; only its hash is stored.

    Programs send it as Authorization: Bearer TOKEN. Rights are documentation:read, memory:read, metrics:read,
    annotations:propose and annotations:write, memory:write, interrogation:read and interrogation:start,
    contribution:read, contribution:prepare and contribution:approve (what someone else has prepared), and for the chat
    chat:ask (answers by a model), collections:write (uploads and removals) and chat:audit. Writing to the memory of a
    project, team, org or company needs a right such as memory:write:project.
    """
    from tribal.errors import ConfigurationError
    from tribal.store.access_tokens import add_token, new_token, token_record
    from tribal.store.documented_names import unmatched_scope

    if not scope:
        raise ConfigurationError("a token needs --scope: the databases or schemas that its bearer may see")
    _check_scope(scope)
    _check_name(name)
    store, now, owner = _store(project)
    made = new_token()
    record = token_record(made, name, (sorted(set(scope)), _rights(right)), now, days, owner)
    unmatched = unmatched_scope(record.scope, store)
    add_token(store, record)
    for warning in unmatched:
        typer.echo(f"warning: {warning}", err=True)
    if as_json:
        print_json({"token": made, **_fields(record), **({"warnings": unmatched} if unmatched else {})})
        return
    typer.echo(made)
    typer.echo(f"{record.name} sees {', '.join(record.scope)} until {record.expires_at}.", err=True)
    typer.echo("It is not shown again: only its hash is stored.", err=True)


@token.command("list", epilog="tribal token list")
@command
def list_tokens(project: Project = _HERE, as_json: Json = False) -> None:
    """List the tokens with their scope, rights and expiry."""
    from tribal.store.access_tokens import has_expired, read_tokens
    from tribal.store.documented_names import unmatched_scope

    store, now, _ = _store(project)
    records = sorted(read_tokens(store).tokens, key=lambda record: record.name)
    if as_json:
        print_json({"tokens": [{**_fields(record), "expired": has_expired(record, now)} for record in records]})
        return
    for record in records:
        state = "expired" if has_expired(record, now) else "until"
        sees, may = ", ".join(record.scope), ", ".join(record.rights)
        typer.echo(f"{record.name}: {state} {record.expires_at}; sees {sees}; may {may}")
        for warning in unmatched_scope(record.scope, store):
            typer.echo(f"  warning: {warning}", err=True)
    typer.echo(f"{counted(len(records), 'token')}.", err=True)


@token.command("revoke", epilog="tribal token revoke ada-laptop")
@command
def revoke(
    name: Annotated[str, typer.Argument(help="The token's name, as tribal token list shows it.")],
    project: Project = _HERE,
) -> None:
    """Revoke a token; a running server refuses it within seconds."""
    from tribal.store.access_tokens import revoke_token

    store, *_ = _store(project)
    revoke_token(store, name)
    typer.echo(f"{name} is revoked; a running server refuses it within seconds.")


def _store(project: Path) -> tuple[ObjectStore, datetime, str]:
    """The store, the time, and who works here."""
    from tribal.app.local import local_application
    from tribal.edges.local_caller import local_caller
    from tribal.settings import load_settings

    settings = load_settings(project=project, needs_databases=False)
    app = local_application(settings)
    return app.store(), app.clock.real(), local_caller(settings).person


def _rights(given: list[str] | None) -> list[str]:
    from tribal.capabilities import capabilities
    from tribal.errors import ConfigurationError
    from tribal.ports.remembering.identity import WRITE_RIGHTS
    from tribal.tools.registry import EVERYTHING

    of_tools = {spec.right for spec in EVERYTHING.tools.values()} | EVERYTHING.spending_rights
    of_routes = {right for each in capabilities() for right in each.named_rights}
    known = {*MORE_RIGHTS, *WRITE_RIGHTS, *of_tools, *of_routes}
    for right in given or ():
        if right not in known:
            raise ConfigurationError(f"--right {right!r} is not a right; the rights are {', '.join(sorted(known))}")
    return sorted(set(given) if given else EVERYTHING.read_rights)


def _check_scope(names: list[str]) -> None:
    from tribal.errors import ConfigurationError
    from tribal.identity.table_names import parse_name

    for name in names:
        try:
            parts = len(parse_name(name))
        except ValueError:
            parts = 0
        if parts not in (1, 2):
            raise ConfigurationError(f"--scope {name!r} is neither DATABASE nor DATABASE.SCHEMA, such as sales.public")


def _check_name(name: str) -> None:
    from tribal.errors import ConfigurationError

    if not _NAME.match(name):
        raise ConfigurationError("a token's name has up to 64 letters, digits, '.', '_' and '-', such as ada-laptop")


def _fields(record: AccessToken) -> dict[str, object]:
    return record.model_dump(mode="json", exclude={"token_hash"})
