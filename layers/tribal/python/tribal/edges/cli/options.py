"""Options that several commands share, and the databases that a command works on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from tribal.edges.cli.completion.names import databases, domains

if TYPE_CHECKING:
    from tribal.edges.cli.profile.client import Client
    from tribal.ports import Application, Caller
    from tribal.ports.environment import DeployedEnvironment


_RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}\Z")

Dsn = Annotated[
    Optional[str],  # noqa: UP045 - typer reads it at run time
    typer.Argument(
        metavar="DSN",
        help="postgresql://user:password@host:5432/database, instead of databases.yaml. "
        "Missing parts come from PGHOST, PGUSER, PGPASSWORD, ... and ~/.pgpass.",
        show_default=False,
    ),
]


def _require_no_profile(context: typer.Context, option: typer.CallbackParam, project: Path) -> Path:
    """Refuse a folder next to a profile: a command works with one of them."""
    source = context.get_parameter_source(option.name or "")
    if context.obj is not None and source is not None and source.name == "COMMANDLINE":
        raise typer.BadParameter("leave it out: --profile works with a deployed environment instead of a folder")
    return project


Project = Annotated[
    Path,
    typer.Option(
        "--project",
        "-p",
        metavar="DIR",
        help="Folder with databases.yaml and the documents.",
        callback=_require_no_profile,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object, for machines.")]
Explain = Annotated[bool, typer.Option("--explain", help="Also print how the question was read.")]
NoSamples = Annotated[bool, typer.Option("--no-samples", help="Read no rows, only structure, keys and comments.")]
WorkUnits = Annotated[
    Optional[list[str]],  # noqa: UP045 - typer reads it at run time
    typer.Option("--work-unit", "-u", metavar="ID", help="Only this work unit; may be given several times."),
]
Domains = Annotated[
    Optional[list[str]],  # noqa: UP045 - typer reads it at run time
    typer.Option(
        "--domain",
        "-d",
        metavar="NAME",
        help="Only this domain; may be given several times.",
        autocompletion=domains,
    ),
]
RetryFailed = Annotated[bool, typer.Option("--retry-failed", help="Only the tables that failed the last time.")]
Replan = Annotated[
    bool, typer.Option("--replan", help="Infer all domains again instead of keeping those of the last plan.")
]
Replace = Annotated[
    bool, typer.Option("--replace", help="Document another database than before; its documents are replaced.")
]
NewProse = Annotated[bool, typer.Option("--new-prose", help="Have the model rewrite everything, and pay for it again.")]
Budget = Annotated[
    Optional[float],  # noqa: UP045 - typer reads it at run time
    typer.Option(
        "--budget",
        metavar="USD",
        min=0.0,
        help="Cost limit of the model for this run, if below per_run_usd; asks on a terminal before exceeding it.",
        show_default=False,
    ),
]
Anyway = Annotated[
    bool, typer.Option("--anyway", help="Use the model without testing it, and even if it failed its test.")
]
Strict = Annotated[bool, typer.Option("--strict", help="Exit with 1 if rules had to replace the model.")]
Databases = Annotated[
    Optional[list[str]],  # noqa: UP045 - typer reads it at run time
    typer.Option(
        "--database", metavar="NAME", help="Only this database; may be given several times.", autocompletion=databases
    ),
]
OnlyDatabase = Annotated[
    Optional[str],  # noqa: UP045 - typer reads it at run time
    typer.Option(
        "--database",
        metavar="NAME",
        help="Only tables of this database.",
        show_default=False,
        autocompletion=databases,
    ),
]
OnlyDomain = Annotated[
    Optional[str],  # noqa: UP045 - typer reads it at run time
    typer.Option(
        "--domain",
        metavar="NAME",
        help="Only tables of this business domain.",
        show_default=False,
        autocompletion=domains,
    ),
]
Watch = Annotated[bool, typer.Option("--watch", help="Keep showing it until the run has ended.")]
Interval = Annotated[float, typer.Option(help="Seconds between two updates with --watch.", min=0.1)]


def run_ids(given: Any) -> Any:
    """Checks ids of runs; an invalid one is not shown, since it may be a DSN."""
    for name in (given,) if isinstance(given, str) else given or ():
        if not _RUN_ID.match(name):
            raise typer.BadParameter("not a run id; the folders in progress/runs are run ids")
    return given


RunId = Annotated[
    Optional[str],  # noqa: UP045 - typer reads it at run time
    typer.Argument(
        metavar="RUN",
        help="Id of the run; by default the current run, or the last one.",
        show_default=False,
        callback=run_ids,
    ),
]


def deployed(context: typer.Context) -> tuple[Application, DeployedEnvironment]:
    """The application and the environment of the profile given on the command line.

    Raises:
        ConfigurationError: when the profile cannot be used.
    """
    from tribal.app.remote.application import remote_application
    from tribal.settings.profiles import load_profile

    app = remote_application(load_profile(context.obj))
    assert app.environment is not None
    return app, app.environment


@contextmanager
def opened_folder(project: Path) -> Iterator[tuple[Application, Caller]]:
    """Open the application of a folder for its user, without the limits of a server, until the command ends."""
    from tribal.app.local import local_application
    from tribal.edges.local_caller import local_caller
    from tribal.settings import load_settings

    settings = load_settings(project=project, needs_databases=False)
    with closing(local_application(settings, limits=False)) as app:
        yield app, local_caller(settings)


def documented(context: typer.Context, project: Path) -> tuple[Application, Caller]:
    """The application whose store a command reads, and its caller: of a folder, or of the profile.

    Anyone who may read the bucket of an environment sees everything in it.
    """
    if context.obj is not None:
        from tribal.ports import Caller

        return deployed(context)[0], Caller(f"profile:{context.obj}")
    from tribal.app.local import local_application
    from tribal.edges.local_caller import local_caller
    from tribal.settings import load_settings

    settings = load_settings(project=project, needs_databases=False)
    return local_application(settings), local_caller(settings)


def client_of(context: typer.Context) -> Client:
    """The client of the environment of the profile given on the command line."""
    from tribal.edges.cli.profile.client import Client

    return Client(deployed(context)[1].api())


def refuse_with_profile(context: typer.Context, what: str, why: str) -> None:
    """Refuse what an environment does not offer.

    Args:
        context: of the command.
        what: the option or subcommand, such as `--resume`.
        why: the reason, and what to do instead.

    Raises:
        ConfigurationError: when the command line has `--profile`.
    """
    if context.obj is not None:
        from tribal.errors import ConfigurationError

        raise ConfigurationError(f"{what} does not work with --profile: {why}")
