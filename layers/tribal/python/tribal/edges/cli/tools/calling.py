"""Calls tools for commands: on this machine, or in the environment of `--profile`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from tribal.edges.cli.options import client_of, opened_folder
from tribal.tools.registry import EVERYTHING

if TYPE_CHECKING:
    from tribal.ports import Application, Caller
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
    with opened_folder(project) as (app, caller):
        yield local_call(app, caller, tools, limited=limited)


def local_call(app: Application, caller: Caller, tools: Registry = EVERYTHING, *, limited: bool) -> Call:
    """Return what calls the tools of an application, with the limit of `opened_tools`."""
    from dataclasses import replace

    from tribal.tools.call import call_tool

    asked = app if limited else replace(app, answer_tokens=None)
    return lambda tool, arguments: call_tool(tool, arguments, caller, asked, tools)
