"""Calls tools for commands: on this machine, or in the environment of `--profile`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from tribal.edges.cli.options import client_of
from tribal.tools.registry import EVERYTHING

if TYPE_CHECKING:
    from tribal.tools.registry import Registry
    from tribal_contracts import Contract

Call = Callable[[str, Mapping[str, Any]], "Contract"]
"""Calls a tool by name; returns its answer, also that it failed."""


@contextmanager
def opened_tools(
    context: typer.Context, project: Path, tools: Registry = EVERYTHING, *, limited: bool = False
) -> Iterator[Call]:
    """Open what answers the tools of a command.

    Args:
        context: of the command; it has the profile.
        project: the folder, without a profile.
        tools: the tools that may be called.
        limited: whether answers have the size that saves a model's context; people can read more.
    """
    if context.obj is not None:
        client = client_of(context)
        yield lambda tool, arguments: client.call(tool, arguments, tools)
        return
    from dataclasses import replace

    from tribal.app.local import local_application
    from tribal.edges.local_caller import local_caller
    from tribal.settings import load_settings
    from tribal.tools.call import call_tool

    settings = load_settings(project=project, needs_databases=False)
    with closing(local_application(settings, limits=False)) as app:
        caller, asked = local_caller(settings), app if limited else replace(app, answer_tokens=None)
        yield lambda tool, arguments: call_tool(tool, arguments, caller, asked, tools)
