"""`tribal site`: the documentation as a folder of files that need no server."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tribal.edges.cli.console import command, print_json
from tribal.edges.cli.options import Json, Project

_HERE = Path()


@command
def site(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new or empty folder, or a site written earlier.")],
    project: Project = _HERE,
    as_json: Json = False,
) -> None:
    """Write the documentation as a static site.

    Open its index.html in a browser, from disk or from any web server. It needs no program, network or build step, and
    loads parts of a large database on demand. Everyone who can read the folder sees everything that is documented.
    Writing it again replaces it atomically.
    """
    from tribal.app.local import local_application
    from tribal.edges.cli.commands.site_folder import write_site
    from tribal.identity.scope import EVERYTHING
    from tribal.page_data.changes import changes_part
    from tribal.page_data.exam import exam_part
    from tribal.page_data.home import Reports, latest_exam
    from tribal.page_data.parts import every_part
    from tribal.page_data.survey import page_toolbox
    from tribal.ports import Caller
    from tribal.settings import load_settings

    app = local_application(load_settings(project=project, needs_databases=False))
    try:
        with app.index().reading():
            caller, store = Caller("site"), app.store()
            gaps = app.open_gaps(caller, exams_only=True)
            exams = exam_part(store, caller, with_sessions=False)
            reports = Reports(gaps, changes_part(store, EVERYTHING), latest_exam(store, caller), exams)
            index = write_site(folder, every_part(page_toolbox(caller, app), store, reports))
    finally:
        app.close()
    address = index.resolve().as_uri()
    if as_json:
        print_json({"address": address})
    else:
        typer.echo(f"wrote {address}")
