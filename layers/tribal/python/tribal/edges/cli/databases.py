"""The databases that a command works on: DSNs parsed, lists and globs expanded."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tribal.settings import Settings


def with_databases(settings: Settings, *, as_planned: bool = False) -> Settings:
    """The settings with an entry and a target for each database; prints warnings about the connections.

    Args:
        settings: the loaded settings.
        as_planned: use the databases that the last run found, if any, without connecting to a server.

    Raises:
        ConfigurationError: when there are no databases, or their addresses are invalid.
        DatabaseError: when a server that must list its databases does not respond.
        PlanError: when no database of a server matches.
    """
    from tribal.app.local import local_application
    from tribal.edges.cli.console import print_connection_warnings
    from tribal.identity.expansion import names_several
    from tribal.runs.expanding import find_databases, recorded_databases
    from tribal.settings.settings import with_targets

    several = [entry.name for entry in settings.require_entries() if names_several(entry)]
    settings = with_targets(settings)
    print_connection_warnings(settings)
    if not several:
        return settings
    app = local_application(settings)
    found = recorded_databases(app.store())
    if not as_planned or not found.keys() >= set(several):
        found = find_databases(app, found)
    return with_targets(replace(settings, found=found))


def lists_none(settings: Settings) -> bool:
    """Whether the file lists no database, which is said on standard error."""
    if settings.entries or not settings.has_file:
        return False
    import typer

    typer.echo("No database is configured: `databases` in databases.yaml is empty.", err=True)
    return True


def require_own_folder(settings: Settings, *, replace: bool) -> Settings:
    """The settings, unless a DSN was given for another database than the one that the folder documents.

    Raises:
        ConfigurationError: when it is another one and the user has not asked to replace it.
    """
    from tribal.errors import ConfigurationError
    from tribal.settings.settings import recorded_source

    if settings.source is None or replace:
        return settings
    recorded = recorded_source(settings)
    if recorded is None:
        return settings
    old, new = (_place(dsn, settings) for dsn in (recorded, settings.source.dsn))
    if old != new:
        raise ConfigurationError(
            f"this folder documents {old}; use --replace to switch to {new}, or --project to choose another folder"
        )
    return settings


def _place(dsn: str, settings: Settings) -> str:
    """The scheme, server and database of a DSN."""
    from tribal.settings.entries import entry_from_dsn, entry_target

    entry = entry_from_dsn(dsn, settings.environment)
    target = entry_target(entry, settings.environment)
    scheme = "postgresql" if entry.type == "postgres" else entry.type
    place = target.place.replace("127.0.0.1", "localhost").replace("[::1]", "localhost")
    return f"{scheme}://{place}/{target.database}"
