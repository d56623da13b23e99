"""Completes names of tables, domains and databases on a command line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from tribal.app.names import DocumentedName

Name = tuple[str, ...]


class NothingToComplete(Exception):
    """No name begins as typed; a shell must not offer files instead."""


def tables(context: typer.Context, incomplete: str) -> list[str]:
    """List tables, each by the shortest name that is unique and begins as typed."""
    found = [each[:3] for each in _documented(context)]
    counts = Counter(name[start:] for name in found for start in range(len(name)))
    return _fitting((spelling for name in found for spelling in _spelling(name, counts, incomplete)), incomplete)


def domains(context: typer.Context, incomplete: str) -> list[str]:
    """List the business domains."""
    return _fitting((each.domain for each in _documented(context)), incomplete)


def databases(context: typer.Context, incomplete: str) -> list[str]:
    """List the databases."""
    return _fitting((each.database for each in _documented(context)), incomplete)


def _documented(context: typer.Context) -> list[DocumentedName]:
    from tribal.app.names import documented_names

    if context.find_root().params.get("profile") is not None:
        raise NothingToComplete("names of a deployed environment are not completed: its API may take seconds")
    return documented_names(context.params.get("project") or Path())


def _spelling(name: Name, counts: Mapping[Name, int], incomplete: str) -> list[str]:
    """Return the spelling of a table that is offered, if any."""
    from tribal.identity.table_names import format_name

    tails = (name[start:] for start in reversed(range(len(name))))
    spellings = (format_name(tail) for tail in tails if counts[tail] == 1)
    return [spelling for spelling in spellings if spelling.startswith(incomplete)][:1]


def _fitting(names: Iterable[str], incomplete: str) -> list[str]:
    found = [name for name in dict.fromkeys(names) if name.startswith(incomplete)]
    if not found:
        raise NothingToComplete
    return found
