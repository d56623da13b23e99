"""`tribal decisions`: lists decisions and policies, finds some, or shows one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from tribal.edges.cli.console import command
from tribal.edges.cli.options import Json, Project
from tribal.tools.registry import EVERYTHING

if TYPE_CHECKING:
    from tribal.edges.cli.tools.calling import Call

_HERE = Path()
_QUERY, _SHOW = "knowledge_query", "knowledge_show"
_USUAL_PARTS = {"include_constraints": True, "include_history": False}


@command
def decisions(
    context: typer.Context,
    wanted: Annotated[
        Optional[str],  # noqa: UP045 - typer reads it at run time
        typer.Argument(metavar="[ID or QUERY]", help="An id shows that item; anything else is searched for."),
    ] = None,
    kind: Annotated[
        Optional[str],  # noqa: UP045 - typer reads it at run time
        typer.Option("--type", metavar="adr|policy|pattern|spec", help="Only this type."),
    ] = None,
    layer: Annotated[
        Optional[str],  # noqa: UP045 - typer reads it at run time
        typer.Option("--layer", metavar="company|org|team|project", help="Only this layer."),
    ] = None,
    tags: Annotated[
        Optional[list[str]],  # noqa: UP045 - typer reads it at run time
        typer.Option("--tags", metavar="TAG", help="Only items with this tag; may be given several times."),
    ] = None,
    status: Annotated[
        Optional[list[str]],  # noqa: UP045 - typer reads it at run time
        typer.Option(
            "--status",
            metavar="draft|proposed|accepted|deprecated|superseded",
            help="Only items with this status, by default accepted ones; may be given several times.",
        ),
    ] = None,
    limit: Annotated[
        Optional[int],  # noqa: UP045 - typer reads it at run time
        typer.Option("--limit", metavar="1..100", help="How many to list, by default 10."),
    ] = None,
    include_constraints: Annotated[
        bool, typer.Option("--include-constraints/--no-include-constraints", help="With an id: what it demands.")
    ] = True,
    include_history: Annotated[
        bool, typer.Option("--include-history", help="With an id: the commits that changed it.")
    ] = False,
    project: Project = _HERE,
    as_json: Json = False,
) -> None:
    """List decisions and policies, find some, or show one.

    `tribal sync` gets them from where they are kept. With --json it prints `item` for an id, otherwise `items`.
    """
    from tribal.edges.cli.tools.calling import opened_tools
    from tribal.edges.cli.tools.command import show_answer

    filters = {"type": kind, "layer": layer, "tags": tags, "status": status, "limit": limit}
    asked = {name: value for name, value in ({"query": wanted} | filters).items() if value}
    parts = {"include_constraints": include_constraints, "include_history": include_history}
    with opened_tools(context, project, limited=as_json) as call:
        if wanted is not None and parts != _USUAL_PARTS:
            tool, found = _SHOW, call(_SHOW, {"id": wanted, **parts})
        else:
            tool, found = _found(call, asked)
    show_answer(found, tool, EVERYTHING, as_json=as_json, place=context.obj or project)


def _found(call: Call, asked: dict[str, Any]) -> tuple[str, Any]:
    """Return a tool and its answer; a single word without filters may be an id."""
    from tribal.capabilities.knowledge.errors import KnowledgeNotFound

    if asked.keys() == {"query"} and not any(map(str.isspace, asked["query"])):
        shown = call(_SHOW, {"id": asked["query"], **_USUAL_PARTS})
        error = EVERYTHING.group_of(_SHOW).error_of(shown)
        if error is None or error.code != KnowledgeNotFound.default_code:
            return _SHOW, shown
    return _QUERY, call(_QUERY, asked)
