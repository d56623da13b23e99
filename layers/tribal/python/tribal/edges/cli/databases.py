"""The databases that a command works on: every DSN read, and lists and globs expanded."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tribal.settings import Settings


def with_databases(settings: Settings, *, as_planned: bool = False) -> Settings:
    """The settings with an entry and a target for each database; tells the user how they will be reached.

    Args:
        settings: as they were loaded.
        as_planned: whether to keep to the databases that the last run found, if there was one, and ask no server.

    Raises:
        ConfigurationError: when there is none, or what says how to reach them cannot be used.
        DatabaseError: when a server has to be asked for its databases and does not answer.
        PlanError: when a server has no database that is meant.
    """
    from tribal.app.local import local_application
    from tribal.edges.cli.console import print_connection_warnings
    from tribal.identity.expansion import stands_for_several
    from tribal.runs.expanding import find_databases, recorded_databases
    from tribal.settings.entries import with_targets

    several = [entry.name for entry in settings.require_entries() if stands_for_several(entry)]
    settings = with_targets(settings)
    print_connection_warnings(settings)
    if not several:
        return settings
    app = local_application(settings)
    found = recorded_databases(app.store())
    if not as_planned or not found.keys() >= set(several):
        found = find_databases(app, found)
    return with_targets(replace(settings, found=found))
