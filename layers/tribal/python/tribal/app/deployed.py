"""The application of a deployed function: a bucket, Secrets Manager, and OpenSearch or a published SQLite file."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tribal.app.building import Building, BuiltCapabilities
from tribal.app.models import Models
from tribal.app.parts import (
    Databases,
    cluster_client,
    postgres_servers,
    queue_of,
    rules_describers,
    secrets_manager,
    store_in_bucket,
    system_clock,
    text_in_bucket,
    wheel_embedder,
)
from tribal.errors import ConfigurationError, ObjectNotFound
from tribal.ports import Application, Options, Provider, RunParameters
from tribal.ports.application import RunParts
from tribal.ports.derived import DerivedValues
from tribal.ports.remembering.audit import AuditLog, discard
from tribal.settings import settings_in_bucket
from tribal.settings.deployment import PROJECT_KEY, PROMPTS_KEY

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tribal.adapters.sqlite.published import PublishedSqliteIndex
    from tribal.ports import Embedder, IndexReader, IndexWriter, ObjectStore, Secrets
    from tribal.settings.deployment import Deployment
    from tribal.settings.postgres_target import PostgresTarget
    from tribal.settings.snowflake.target import SnowflakeTarget
    from tribal_contracts import DatabaseEntry

FETCH_SECONDS = 15.0
"""Time limit for fetching, for a sync with a waiting caller, which must also finish in time."""
_HINT = "create it in Secrets Manager, in the region of the functions"


def deployed_application(
    deployment: Deployment,
    parameters: RunParameters | None = None,
    *,
    fetch_seconds: float = FETCH_SECONDS,
    sync_seconds: float | None = None,
    audit: AuditLog = discard,
) -> Application:
    """Build a function's application; the bucket's `databases.yaml` is read when the options are first used.

    Args:
        deployment: the resources that the function uses.
        parameters: of the run that it takes part in.
        fetch_seconds: the longest that fetching decisions may take.
        sync_seconds: the longest that a sync may take; `None` for as long as a caller waits.
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
    built = BuiltCapabilities.of(
        Building(
            deployment=deployment,
            sections=deployment.sections,
            company=deployment.company,
            clock=clock,
            store=store,
            secrets=keys,
            embedder=embedder,
            derived=derived,
            models=models,
            text=lambda: text_in_bucket(store()),
            scratch=_scratch,
            audit=audit,
            limits=True,
            fetch_seconds=fetch_seconds,
            stale_hours=deployment.sync_stale_hours,
            sync_seconds=sync_seconds,
        )
    )
    app = Application(
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
            queue=Provider(partial(queue_of, deployment)),
        ),
        derived=derived,
        answer_tokens=deployment.answer_tokens,
        sections=deployment.sections,
    )
    return built.added_to(app)


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

    return OpenSearchIndex(cluster_client(deployment, reading=True))


def _index_writer(deployment: Deployment, store: Provider[ObjectStore]) -> IndexWriter:
    if deployment.index == "sqlite":
        return _published_index(store)
    from tribal.adapters.opensearch.writer import OpenSearchIndexWriter

    return OpenSearchIndexWriter(cluster_client(deployment))


def _published_index(store: Provider[ObjectStore]) -> PublishedSqliteIndex:
    from tribal.adapters.sqlite.published import PublishedSqliteIndex

    return PublishedSqliteIndex(store(), _scratch("tribal-index"))


def _scratch(name: str) -> Path:
    """A folder that lasts as long as the function's instance."""
    return Path(tempfile.gettempdir()) / name
