"""Prints the requests that would be sent to a model about a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from tribal.edges.cli.console import counted, print_json
from tribal.edges.cli.databases import with_databases

if TYPE_CHECKING:
    from tribal.documenting import TablePreview
    from tribal.ports import UnsentRequest
    from tribal.settings import Settings


def print_prompt(settings: Settings, table: str, *, as_json: bool) -> None:
    """Print the bodies of the requests about a table, one per line, and notes about them on standard error.

    Raises:
        ConfigurationError: when model, prompts or annotations cannot be used.
        PlanError: when there is no plan.
        TableNotFound: when the plan does not have the table.
    """
    from tribal.app.local import local_application
    from tribal.runs.reports.previewing import find_planned_table, preview

    if settings.model is None:
        _print(table, [], ["nothing would be sent: databases.yaml has no `model`"], as_json=as_json)
        return
    app = local_application(with_databases(settings, as_planned=True))
    planned = find_planned_table(table, app)
    if not app.options().described_by_model(planned.entry):
        kept_from = f"nothing would be sent: `describer: rules` excludes database {planned.entry.name!r} from the model"
        _print(planned.name, [], [kept_from], as_json=as_json)
        return
    shown = preview(planned, app)
    requests = list(app.run.unsent(shown.requests))
    _print(planned.name, requests, _notes(planned.name, shown, requests), as_json=as_json)


def _notes(name: str, shown: TablePreview, requests: list[UnsentRequest]) -> list[str]:
    if not requests:
        return [f"nothing would be sent: {name} is fully described by people, comments and rules"]
    size = sum(len(request.body) for request in requests)
    notes = [
        f"nothing was sent; {counted(len(requests), 'request')} about {name}, {counted(size, 'byte')}, to "
        f"{requests[0].address}"
    ]
    if shown.kept:
        notes.append("the model has described it already: a run sends this only with --new-prose")
    if shown.not_sampled:
        notes.append(f"its samples are missing, but a run may include them: {shown.not_sampled}")
    return notes


def _print(name: str, requests: list[UnsentRequest], notes: list[str], *, as_json: bool) -> None:
    from tribal.rendering.markdown import show_invisible

    if as_json:
        sent = [{"address": request.address, "body": request.body.decode()} for request in requests]
        print_json({"table": name, "requests": sent, "notes": notes})
        return
    for request in requests:
        typer.echo(request.body)
    for note in notes:
        typer.echo(f"note: {show_invisible(note)}", err=True)
