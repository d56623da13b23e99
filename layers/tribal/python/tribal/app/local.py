"""The application on this machine: a folder or a bucket, SQLite, and secrets from the environment."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from tribal.app.chat import chat_parts
from tribal.app.chat_models import embeddings_readiness
from tribal.app.interrogation import interrogation_parts, local_party_models, text_in_folder, visible_gaps
from tribal.app.knowledge import JoinedGuidance, file_reader, knowledge_guidance, knowledge_origin, policy_checker
from tribal.app.memory import pointer_writers, recovering
from tribal.app.models import Models
from tribal.app.parts import (
    Databases,
    aws_missing,
    postgres_servers,
    secrets_manager,
    spending,
    store_in_bucket,
    system_clock,
    wheel_embedder,
)
from tribal.capabilities.knowledge.parts import SYNC_SECONDS, KnowledgeParts
from tribal.capabilities.memory.parts import MemoryParts
from tribal.errors import ConfigurationError
from tribal.identity.locations import AUDIT_FILE, INDEX_FILE, MEMORIES_FILE, MIRROR_FOLDER, SCRATCH_FOLDER
from tribal.ports import Application, Provider, RunParameters
from tribal.ports.application import RunParts, WorkerLaunch
from tribal.ports.derived import DerivedValues
from tribal.settings import PROMPT_FOLDER
from tribal_contracts.chat.settings import ChatSettings
from tribal_contracts.core.shape import find_section

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping

    from tribal.adapters.sqlite.index import SqliteIndex
    from tribal.ports import Embedder, ObjectStore, ProcessLock, Secrets, Spending, Statement
    from tribal.ports.remembering.audit import MemoryWrite
    from tribal.ports.remembering.guidance import GuidanceSource
    from tribal.ports.remembering.memory_index import MemoryIndex
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
    memory = _memory(settings, store, embedder, limits=limits)
    questioning = interrogation_parts(local_party_models(settings, models, store))
    knowledge = _knowledge(settings, secrets, limits=limits)
    chat = chat_parts(
        settings.sections, models, store, embedder, partial(text_in_folder, settings), settings.store / SCRATCH_FOLDER
    )
    return Application(
        clock=clock,
        options=options,
        store=store,
        secrets=secrets,
        embedder=embedder,
        index=Provider(partial(_index, settings, prepare, derived.forget)),
        locks=partial(_lock, settings),
        run=_run(settings, parameters, databases, models, partial(spending, store, clock)),
        guidance=Provider(partial(_guidance, settings, memory, store, embedder, derived)),
        pointers=pointer_writers(memory, store, embedder, clock),
        policies=policy_checker,
        gaps=visible_gaps,
        derived=derived,
        answer_tokens=settings.answer_tokens,
        sections=settings.sections,
        capabilities={type(parts): parts for parts in (memory, knowledge, questioning, chat) if parts is not None},
    )


def _memory(
    settings: Settings, store: Provider[ObjectStore], embedder: Provider[Embedder], *, limits: bool
) -> MemoryParts:
    index: Provider[MemoryIndex] = Provider(partial(_memory_index, settings))
    return MemoryParts(
        index=index,
        recover=recovering(store, index, embedder),
        settings=settings.memory,
        audit=partial(_audit, settings),
        limits_writes=limits,
    )


def _knowledge(settings: Settings, secrets: Provider[Secrets], *, limits: bool) -> KnowledgeParts:
    return KnowledgeParts(
        origin=knowledge_origin(
            settings.knowledge, settings.identity.company, settings.store / MIRROR_FOLDER, secrets, _FETCH_SECONDS
        ),
        stale_hours=settings.sync.stale_hours,
        sync_seconds=SYNC_SECONDS if limits else None,
        databases=settings.database_types,
        file_reader=Provider(file_reader),
    )


def _run(
    settings: Settings,
    parameters: RunParameters,
    databases: Databases,
    models: Models,
    read_spending: Callable[[], Spending],
) -> RunParts:
    return RunParts(
        open_reader=databases.open_reader,
        server_of=databases.server_of,
        retry_servers=databases.retry_servers,
        describers=models.describers,
        unsent=models.unsent,
        model_readiness=lambda ask: [
            *models.readiness(ask),
            *embeddings_readiness(find_section(settings.sections, ChatSettings), models),
        ],
        spending=read_spending,
        index_writer=partial(_index_writer, settings),
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


def _memory_index(settings: Settings) -> MemoryIndex:
    from tribal.adapters.sqlite.memories import SqliteMemories

    return SqliteMemories(settings.store / MEMORIES_FILE)


def _audit(settings: Settings, write: MemoryWrite) -> None:
    from tribal.adapters.local.audit_log import append_write

    append_write(settings.store / AUDIT_FILE, write)


def _guidance(
    settings: Settings,
    memory: MemoryParts,
    store: Provider[ObjectStore],
    embedder: Provider[Embedder],
    derived: DerivedValues,
) -> GuidanceSource:
    from tribal.capabilities.knowledge.snapshots.snapshot import MANIFEST
    from tribal.capabilities.memory.guidance import MemoryGuidance

    # Showing a table must not create an index of memories if memory is not used.
    remembered = MemoryGuidance(
        memory.ready_index, lambda: settings.memory is not None or (settings.store / "memory").exists()
    )
    if settings.knowledge is None and not (settings.store / MANIFEST).exists():
        return remembered
    return JoinedGuidance([knowledge_guidance(store, embedder, derived), remembered])


def _index_writer(settings: Settings) -> SqliteIndex:
    return _index(settings)


def _region(settings: Settings) -> str | None:
    """The region from the AWS CLI's environment variable, which boto3 ignores."""
    return settings.environment.get("AWS_REGION") or None


def _no_queue() -> NoReturn:
    raise ConfigurationError("only a deployed environment has a queue for its indexer")
