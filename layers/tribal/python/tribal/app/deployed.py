"""The application of a deployed function: a bucket, Secrets Manager, and OpenSearch or a published SQLite file."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tribal.app.parts import (
    reader_opener,
    rules_describer,
    secrets_manager,
    store_in_bucket,
    system_clock,
    wheel_embedder,
)
from tribal.errors import ConfigurationError, ObjectNotFound
from tribal.ports import Application, Options, Provider, RunParameters
from tribal.settings import settings_in_bucket
from tribal.settings.deployment import PROJECT_KEY

if TYPE_CHECKING:
    from pydantic import SecretStr

    from tribal.ports import ObjectStore, SearchIndex, Secrets
    from tribal.settings.deployment import Deployment, SearchCluster

_HINT = "make it in Secrets Manager, in the region of the functions"


def deployed_application(deployment: Deployment, parameters: RunParameters | None = None) -> Application:
    """What a function works with; the `databases.yaml` of the bucket is read when the options are first asked for."""
    store: Provider[ObjectStore] = Provider(lambda: store_in_bucket(deployment.bucket, deployment.region))
    secrets: Provider[Secrets] = Provider(lambda: secrets_manager(deployment.region, deployment.network_role))
    index = partial(_index, deployment, store)
    return Application(
        clock=system_clock(),
        options=Provider(partial(_options, deployment, store, parameters or RunParameters())),
        store=store,
        secrets=secrets,
        open_reader=reader_opener(secrets, deployment.environment, _HINT, role=deployment.network_role),
        describer=Provider(rules_describer),
        embedder=Provider(wheel_embedder),
        index=Provider(index),
        index_writer=index,
        locks=lambda _: None,
    )


def _options(deployment: Deployment, store: Provider[ObjectStore], parameters: RunParameters) -> Options:
    from tribal.app.options import options_of

    place = store().location
    try:
        data = store().get(PROJECT_KEY).data
    except ObjectNotFound as error:
        raise ConfigurationError(
            f"there is no {PROJECT_KEY} in {place}; upload it: aws s3 cp databases.yaml {place}{PROJECT_KEY}",
            code="PLAN_CONFIG_NOT_FOUND",
        ) from error
    settings = settings_in_bucket(deployment.bucket, data, deployment.environment)
    return options_of(settings, parameters, record_pid=False)


def _index(deployment: Deployment, store: Provider[ObjectStore], *, in_place: bool = False) -> SearchIndex:
    """The index of the environment; `in_place` for writers side by side. A cluster needs no store."""
    if deployment.index == "sqlite":
        from tribal.adapters.sqlite.published import PublishedSqliteIndex

        return PublishedSqliteIndex(store(), Path(tempfile.gettempdir()) / "tribal-index")
    from tribal.adapters.opensearch.client import opensearch_client
    from tribal.adapters.opensearch.index import OpenSearchIndex

    cluster = deployment.cluster
    if cluster is None:
        raise ConfigurationError("TRIBAL_SEARCH_ENDPOINT is not set; the stack sets it, so deploy it anew")
    if cluster.secret is None:
        client = opensearch_client(cluster.endpoint, region=cluster.region, certificates=cluster.ca_bundle)
    else:
        user, password = _log_in(cluster, cluster.secret)
        client = opensearch_client(cluster.endpoint, user=user, password=password, certificates=cluster.ca_bundle)
    return OpenSearchIndex(client, in_place=in_place)


def _log_in(cluster: SearchCluster, name: str) -> tuple[str, SecretStr]:
    secrets = secrets_manager(cluster.region)
    user, password = secrets.get(f"{name}#username"), secrets.get(f"{name}#password")
    if user is None or password is None:
        raise ConfigurationError(f"the secret {name!r} has no username and password; write both into it")
    return user.get_secret_value(), password
