"""The application on this machine: a folder or a bucket, SQLite, and secrets from the environment."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from tribal.app.asking.index_embedder import embedder_readiness, index_embedder
from tribal.app.building import Building, BuiltCapabilities
from tribal.app.models import Models
from tribal.app.parts import (
    Databases,
    aws_missing,
    postgres_servers,
    secrets_manager,
    spending,
    store_in_bucket,
    system_clock,
    text_in_folder,
    wheel_embedder,
)
from tribal.errors import ConfigurationError, missing_package
from tribal.identity.locations import AUDIT_FILE, DATA_FOLDER, INDEX_FILE
from tribal.ports import Application, Provider, RunParameters
from tribal.ports.application import RunParts, SectionReadiness, WorkerLaunch
from tribal.ports.derived import DerivedValues
from tribal.settings import PROMPT_FOLDER

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping

    from tribal.adapters.sqlite.index import SqliteIndex
    from tribal.ports import Embedder, ObjectStore, ProcessLock, Secrets, Spending, Statement
    from tribal.ports.remembering.audit import MemoryWrite
    from tribal.settings import Settings
    from tribal_contracts import DatabaseType

_FETCH_SECONDS = 120.0
_HINT = "set the environment variable of that name, or put a file of that name into the folder in TRIBAL_SECRETS"


@dataclass(frozen=True, slots=True)
class Blueprint:
    """What a worker process needs to build its application; picklable."""

    settings: Settings
    parameters: RunParameters


def local_application(
    settings: Settings,
    parameters: RunParameters | None = None,
    *,
    processes: int = 1,
    prepare: Callable[[], object] | None = None,
    limits: bool = True,
) -> Application:
    """Build the application of a command on this machine.

    With a bucket as the store, missing secrets are read from Secrets Manager, so that the `databases.yaml` of a
    deployed environment works here unchanged. Opening a database needs settings from `with_targets`. `prepare` warms up
    a large new index before it replaces the current one. Without `limits`, memories may be written at any rate and a
    sync may take any time, for a person at a terminal.
    """
    from tribal.app.options import options_of

    parameters = parameters or RunParameters()
    secrets: Provider[Secrets] = Provider(partial(_secrets, settings))
    hint = _HINT if settings.bucket is None else f"{_HINT}, or create it in Secrets Manager"
    servers = Provider(partial(postgres_servers, lambda limit: limit // processes))
    databases = Databases(secrets, lambda entry: settings.targets[entry.name], hint, servers, settings.take_samples)
    clock = system_clock(settings.source_date_epoch)
    options = Provider(lambda: options_of(settings, parameters))
    store: Provider[ObjectStore] = Provider(partial(_store, settings))
    embedder: Provider[Embedder] = Provider(wheel_embedder)
    derived = DerivedValues()
    models = Models(
        options,
        store,
        secrets,
        clock,
        partial(_prompts, settings),
        str(settings.project / PROMPT_FOLDER),
        hint,
        _region(settings),
        settings.models,
        settings.per_day_usd if settings.model is None else settings.model.per_day_usd,
    )
    building = Building(
        settings=settings,
        sections=settings.sections,
        company=settings.identity.company,
        clock=clock,
        store=store,
        secrets=secrets,
        embedder=embedder,
        derived=derived,
        models=models,
        text=partial(text_in_folder, settings),
        scratch=lambda name: settings.store / DATA_FOLDER / name,
        audit=partial(_audit, settings),
        limits=limits,
        fetch_seconds=_FETCH_SECONDS,
        stale_hours=settings.sync.stale_hours,
    )
    built = BuiltCapabilities.of(building)
    app = Application(
        clock=clock,
        options=options,
        store=store,
        secrets=secrets,
        embedder=embedder,
        index_embedder=index_embedder(building, settings),
        index=Provider(partial(_index, settings, prepare, derived.forget)),
        locks=partial(_lock, settings),
        run=_run(settings, parameters, databases, building, built, partial(spending, store, clock)),
        derived=derived,
        answer_tokens=settings.answer_tokens,
        sections=settings.sections,
    )
    return built.added_to(app)


def _run(
    settings: Settings,
    parameters: RunParameters,
    databases: Databases,
    building: Building,
    built: BuiltCapabilities,
    read_spending: Callable[[], Spending],
) -> RunParts:
    return RunParts(
        open_reader=databases.open_reader,
        server_of=databases.server_of,
        retry_servers=databases.retry_servers,
        describers=building.models.describers,
        unsent=building.models.unsent,
        model_readiness=lambda ask: [
            *building.models.readiness(ask),
            *embedder_readiness(building, settings),
            *built.readiness(),
        ],
        model_announcements=building.models.announcements,
        section_readiness=lambda: [*_store_readiness(settings), *built.section_readiness(settings.sections)],
        spending=read_spending,
        index_writer=partial(_index, settings),
        queue=Provider(_no_queue),
        sweep=partial(_sweep, settings),
        workers=WorkerLaunch(
            (sys.executable, "-P", "-m", "tribal.app.worker"), blueprint=Blueprint(settings, parameters)
        ),
    )


def worker_application(blueprint: Blueprint, workers: int) -> Application:
    """Build the application of one of `workers` processes, which share the connections to each server."""
    application = local_application(blueprint.settings, blueprint.parameters, processes=workers)
    return replace(application, run=replace(application.run, workers=None))


def statements(kind: DatabaseType) -> list[Statement]:
    """Every statement that a reader of databases of one type may send."""
    if kind == "snowflake":
        from tribal.adapters.snowflake.statements import STATEMENTS as SNOWFLAKE

        return list(SNOWFLAKE)
    from tribal.adapters.postgres.queries import STATEMENTS

    return list(STATEMENTS)


def _store(settings: Settings) -> ObjectStore:
    if settings.bucket is not None:
        try:
            return store_in_bucket(settings.bucket, _region(settings))
        except ModuleNotFoundError as error:
            raise aws_missing(error, "a store in S3") from error
    from tribal.adapters.local.folder import FolderStore

    return FolderStore(settings.store)


def _store_readiness(settings: Settings) -> list[SectionReadiness]:
    """Whether a store in S3 can be reached at all; without calling it."""
    if settings.bucket is None:
        return []
    missing = "" if find_spec("boto3") else missing_package("boto3", "a store in S3", "aws")
    return [SectionReadiness("store", settings.bucket.address(""), missing)]


def _sweep(settings: Settings) -> None:
    # Writes to a bucket are atomic: nothing to clean up.
    if settings.bucket is None:
        from tribal.adapters.local.folder import FolderStore

        FolderStore(settings.store).sweep()


def _prompts(settings: Settings) -> Mapping[str, bytes]:
    from tribal.settings.prompt_files import prompts_in_folder

    return prompts_in_folder(settings.project)


def _lock(settings: Settings, name: str) -> ProcessLock | None:
    if settings.bucket is not None:
        return None
    from tribal.adapters.local.folder import FolderLock

    return FolderLock(settings.store, name)


def _secrets(settings: Settings) -> Secrets:
    from tribal.adapters.local.secrets import ChainedSecrets, EnvironmentSecrets

    folder = settings.environment.get("TRIBAL_SECRETS")
    here = EnvironmentSecrets(settings.environment, Path(folder) if folder else None)
    if settings.bucket is None:
        return here

    return ChainedSecrets(here, lambda: secrets_manager(_region(settings)))


def _index(
    settings: Settings,
    prepare: Callable[[], object] | None = None,
    replaced: Callable[[Hashable], None] = lambda _: None,
) -> SqliteIndex:
    from tribal.adapters.sqlite.index import SqliteIndex

    return SqliteIndex(settings.store / INDEX_FILE, prepare=prepare, replaced=replaced)


def _audit(settings: Settings, write: MemoryWrite) -> None:
    from tribal.adapters.local.audit_log import append_write

    append_write(settings.store / AUDIT_FILE, write)


def _region(settings: Settings) -> str | None:
    """The region from the AWS CLI's environment variable, which boto3 ignores."""
    return settings.environment.get("AWS_REGION") or None


def _no_queue() -> NoReturn:
    raise ConfigurationError("only a deployed environment has a queue for its indexer")
