"""The application of a deployed function: a bucket, Secrets Manager, and OpenSearch or a published SQLite file."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tribal.app.chat import chat_parts
from tribal.app.interrogation import deployed_party_models, interrogation_parts, text_in_bucket, visible_gaps
from tribal.app.knowledge import JoinedGuidance, knowledge_guidance, knowledge_origin, policy_checker
from tribal.app.memory import pointer_writers, recovering
from tribal.app.models import Models
from tribal.app.parts import (
    Databases,
    postgres_servers,
    rules_describers,
    secrets_manager,
    store_in_bucket,
    system_clock,
    wheel_embedder,
)
from tribal.capabilities.knowledge.parts import SYNC_SECONDS, KnowledgeParts
from tribal.capabilities.memory.parts import MemoryParts
from tribal.errors import ConfigurationError, ObjectNotFound
from tribal.ports import Application, Options, Provider, RunParameters
from tribal.ports.application import RunParts
from tribal.ports.derived import DerivedValues
from tribal.ports.remembering.audit import AuditLog, discard
from tribal.settings import settings_in_bucket
from tribal.settings.deployment import PROJECT_KEY, PROMPTS_KEY

if TYPE_CHECKING:
    from collections.abc import Mapping

    from opensearchpy import OpenSearch

    from tribal.adapters.sqlite.published import PublishedSqliteIndex
    from tribal.ports import Embedder, IndexReader, IndexWriter, MessageQueue, ObjectStore, Secrets
    from tribal.ports.remembering.guidance import GuidanceSource
    from tribal.ports.remembering.memory_index import MemoryIndex
    from tribal.settings.deployment import Deployment
    from tribal.settings.postgres_target import PostgresTarget
    from tribal.settings.snowflake.target import SnowflakeTarget
    from tribal_contracts import DatabaseEntry
    from tribal_contracts.chat.jobs import UploadAddress

MIRROR = "knowledge-mirror"
"""Temporary folder for a copy of the knowledge repository."""
FETCH_SECONDS = 15.0
"""Time limit for fetching, for a sync with a waiting caller, which must also finish within `SYNC_SECONDS`."""
_ADDRESS_SECONDS = 900
"""How long an address for an upload is valid, and the longest delay of a message."""
_HINT = "create it in Secrets Manager, in the region of the functions"


def deployed_application(
    deployment: Deployment,
    parameters: RunParameters | None = None,
    *,
    fetch_seconds: float = FETCH_SECONDS,
    sync_seconds: float | None = SYNC_SECONDS,
    audit: AuditLog = discard,
) -> Application:
    """Build a function's application; the bucket's `databases.yaml` is read when the options are first used.

    Args:
        deployment: the resources that the function uses.
        parameters: of the run that it takes part in.
        fetch_seconds: the longest that fetching decisions may take.
        sync_seconds: the longest that a sync may take; `None` for no limit.
        audit: called for every write of a memory.
    """
    store: Provider[ObjectStore] = Provider(lambda: store_in_bucket(deployment.bucket, deployment.region))
    secrets: Provider[Secrets] = Provider(lambda: secrets_manager(deployment.region, deployment.network_role))
    # The functions of a run connect in parallel, as many as the plan allows, with one connection each.
    servers = Provider(partial(postgres_servers, lambda _: 1))
    databases = Databases(secrets, partial(_target, deployment), _HINT, servers, role=deployment.network_role)
    clock = system_clock()
    options = Provider(partial(_options, deployment, store, parameters or RunParameters()))
    # Keys and tokens belong to the functions' own account; the role of a network is not used.
    keys: Provider[Secrets] = Provider(lambda: secrets_manager(deployment.region))
    models = Models(
        options,
        store,
        keys,
        clock,
        lambda: _prompts(store()),
        deployment.bucket.address(PROMPTS_KEY),
        _HINT,
        deployment.region,
        deployment.models,
        deployment.per_day_usd,
    )
    embedder: Provider[Embedder] = Provider(wheel_embedder)
    derived = DerivedValues()
    memory = _memory(deployment, store, embedder, audit)
    knowledge = _knowledge(deployment, keys, fetch_seconds, sync_seconds)
    questioning = interrogation_parts(
        deployed_party_models(deployment, models, store), partial(launch_session, deployment)
    )
    chat = chat_parts(
        deployment.sections, models, store, embedder, lambda: text_in_bucket(store()), _scratch("tribal-collections")
    )
    if deployment.queue_url is not None:
        chat = replace(
            chat, launch=partial(launch_job, deployment, store), address=partial(_upload_address, deployment)
        )
    return Application(
        clock=clock,
        options=options,
        store=store,
        secrets=secrets,
        embedder=embedder,
        index=Provider(partial(_index, deployment, store)),
        locks=lambda _: None,
        run=RunParts(
            open_reader=databases.open_reader,
            server_of=databases.server_of,
            retry_servers=databases.retry_servers,
            describers=models.describers if deployment.model else lambda _run_id, _stop: rules_describers(),
            index_writer=partial(_index_writer, deployment, store),
            queue=Provider(partial(_queue, deployment)),
        ),
        guidance=Provider(partial(_guidance, memory, knowledge, store, embedder, derived))
        if memory or knowledge
        else None,
        pointers=None if memory is None else pointer_writers(memory, store, embedder, clock),
        policies=None if knowledge is None else policy_checker,
        gaps=visible_gaps,
        derived=derived,
        answer_tokens=deployment.answer_tokens,
        sections=deployment.sections,
        capabilities={type(parts): parts for parts in (memory, knowledge, questioning, chat) if parts is not None},
    )


def launch_session(deployment: Deployment, session_id: str) -> None:
    """Have the state machine run an interrogation, under the id of the session: launched twice, it runs once.

    Raises:
        ConfigurationError: when the function has no state machine.
        DeploymentRefused, DeploymentUnreachable: when it cannot be started.
    """
    from tribal.adapters.aws.clients import aws_client
    from tribal.adapters.aws.state_machine import StateMachine
    from tribal_contracts.interrogation.tasks import InterrogationTask

    if deployment.state_machine is None:
        raise ConfigurationError("TRIBAL_STATE_MACHINE is not set; the stack sets it, so deploy again")
    machine = StateMachine(aws_client("stepfunctions", region=deployment.region), deployment.state_machine)
    machine.start_once(session_id, InterrogationTask(session_id=session_id).to_compact_json())


def launch_job(deployment: Deployment, store: Provider[ObjectStore], collection: str, job_id: str) -> None:
    """Send a job of a collection to the queue of its function, unless the event of its upload does.

    One whose upload has not arrived is sent too, for the time when its address has expired.
    """
    from tribal.capabilities.chat.collections.files import CollectionFiles
    from tribal_contracts.chat.jobs import IngestTask

    job = CollectionFiles(store(), collection).job(job_id)
    if job is None or (job.arrived and job.removes is None):
        return
    task = IngestTask(collection=collection, job_id=job_id)
    _queue(deployment).send([task.to_compact_json().decode()], 0 if job.arrived else _ADDRESS_SECONDS)


def _upload_address(deployment: Deployment, key: str, size_bytes: int, content_hash: str) -> UploadAddress:
    from tribal.adapters.aws.clients import aws_client
    from tribal.adapters.aws.upload_addresses import UploadAddresses

    place = deployment.bucket
    client = aws_client("s3", region=deployment.region)
    return UploadAddresses(client, place.bucket, place.prefix).address(key, size_bytes, content_hash)


def _knowledge(
    deployment: Deployment, keys: Provider[Secrets], fetch_seconds: float, sync_seconds: float | None
) -> KnowledgeParts | None:
    if deployment.knowledge is None:
        return None
    return KnowledgeParts(
        origin=knowledge_origin(deployment.knowledge, deployment.company, _scratch(MIRROR), keys, fetch_seconds),
        stale_hours=deployment.sync_stale_hours,
        sync_seconds=sync_seconds,
    )


def _memory(
    deployment: Deployment, store: Provider[ObjectStore], embedder: Provider[Embedder], audit: AuditLog
) -> MemoryParts | None:
    if deployment.memory is None:
        return None
    index: Provider[MemoryIndex] = Provider(partial(_memory_index, deployment, store, embedder))
    return MemoryParts(index=index, recover=recovering(store, index, embedder), settings=deployment.memory, audit=audit)


def _prompts(store: ObjectStore) -> Mapping[str, bytes]:
    from tribal.settings.prompt_files import prompts_in_bucket

    return prompts_in_bucket(store)


def _target(deployment: Deployment, entry: DatabaseEntry) -> PostgresTarget | SnowflakeTarget:
    from tribal.settings.entries import entry_target

    return entry_target(entry, deployment.variables)


def _options(deployment: Deployment, store: Provider[ObjectStore], parameters: RunParameters) -> Options:
    from tribal.app.options import options_of
    from tribal.runs.expanding import recorded_databases

    place = store().location
    try:
        data = store().get(PROJECT_KEY).data
    except ObjectNotFound as error:
        raise ConfigurationError(
            f"there is no {PROJECT_KEY} in {place}; upload it: aws s3 cp databases.yaml {place}{PROJECT_KEY}",
            code="PLAN_CONFIG_NOT_FOUND",
        ) from error
    settings = settings_in_bucket(
        deployment.bucket, data, deployment.variables, deployment.source_date_epoch, deployment.model
    )
    settings = replace(settings, found=recorded_databases(store()))
    return options_of(settings, parameters, record_pid=False)


def _index(deployment: Deployment, store: Provider[ObjectStore]) -> IndexReader:
    # A cluster needs no store, so a function that only queries it never builds the S3 client.
    if deployment.index == "sqlite":
        return _published_index(store)
    from tribal.adapters.opensearch.index import OpenSearchIndex

    return OpenSearchIndex(_cluster_client(deployment, reading=True))


def _index_writer(deployment: Deployment, store: Provider[ObjectStore]) -> IndexWriter:
    if deployment.index == "sqlite":
        return _published_index(store)
    from tribal.adapters.opensearch.writer import OpenSearchIndexWriter

    return OpenSearchIndexWriter(_cluster_client(deployment))


def _guidance(
    memory: MemoryParts | None,
    knowledge: KnowledgeParts | None,
    store: Provider[ObjectStore],
    embedder: Provider[Embedder],
    derived: DerivedValues,
) -> GuidanceSource:
    from tribal.capabilities.memory.guidance import MemoryGuidance

    decided = [knowledge_guidance(store, embedder, derived)] if knowledge else []
    remembered = [MemoryGuidance(memory.index)] if memory else []
    return JoinedGuidance([*decided, *remembered])


def _memory_index(deployment: Deployment, store: Provider[ObjectStore], embedder: Provider[Embedder]) -> MemoryIndex:
    if deployment.index == "sqlite":
        from tribal.adapters.journal.memories import JournalMemories

        return JournalMemories(store())
    from tribal.adapters.opensearch.memories import OpenSearchMemories

    # Callers wait for changes too, so time out early; repeating a change is harmless.
    return OpenSearchMemories(_cluster_client(deployment, reading=True), embedder().dimensions)


def _queue(deployment: Deployment) -> MessageQueue:
    from tribal.adapters.aws.clients import aws_client
    from tribal.adapters.aws.queue import SqsQueue

    if deployment.queue_url is None:
        raise ConfigurationError("TRIBAL_QUEUE_URL is not set; the stack sets it, so deploy again")
    return SqsQueue(aws_client("sqs", region=deployment.region), deployment.queue_url)


def _published_index(store: Provider[ObjectStore]) -> PublishedSqliteIndex:
    from tribal.adapters.sqlite.published import PublishedSqliteIndex

    return PublishedSqliteIndex(store(), _scratch("tribal-index"))


def _scratch(name: str) -> Path:
    """A folder that lasts as long as the function's instance."""
    return Path(tempfile.gettempdir()) / name


def _cluster_client(deployment: Deployment, *, reading: bool = False) -> OpenSearch:
    from tribal.adapters.opensearch.client import opensearch_client

    cluster, build = deployment.cluster, partial(opensearch_client, reading=reading)
    if cluster is None:
        raise ConfigurationError("TRIBAL_SEARCH_ENDPOINT is not set; the stack sets it, so deploy again")
    if cluster.secret is None:
        return build(cluster.endpoint, region=cluster.region, certificates=cluster.ca_bundle)
    secrets = secrets_manager(cluster.region)
    user, password = secrets.get(f"{cluster.secret}#username"), secrets.get(f"{cluster.secret}#password")
    if user is None or password is None:
        raise ConfigurationError(f"the secret {cluster.secret!r} has no username and password; add both")
    return build(cluster.endpoint, user=user.get_secret_value(), password=password, certificates=cluster.ca_bundle)
